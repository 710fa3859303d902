import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Parameters of the request POST /streams/{stream_id}/delete_topic, which deletes a topic (chat-4.12). */
export const deleteTopicParameters = defineParameters(z.object({ topic_name: z.string() }));

/** Response body of the request POST /streams/{stream_id}/delete_topic, which deletes a topic. */
export const deleteTopicResponseBody = createSuccessBodySchema({
  complete: z.boolean().meta({ description: 'False if the time budget ended first: send the request again' }),
});
