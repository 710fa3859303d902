import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Parameters of POST /streams/{stream_id}/delete_topic (chat-4.12). */
export const deleteTopicParameters = defineParameters(z.object({ topic_name: z.string() }));

/** Response of POST /streams/{stream_id}/delete_topic. */
export const deleteTopicResponseBody = successBody({
  complete: z.boolean().meta({ description: 'False if the time budget ended first: send the request again' }),
});
