import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Nothing to send. */
export const noParameters = defineParameters(z.object({}));

/** Nothing but the envelope. */
export const emptyBody = successBody({});

/** POST /streams/{stream_id}/delete_topic (chat-4.12). */
export const deleteTopicParameters = defineParameters(z.object({ topic_name: z.string() }));

/** Response of POST /streams/{stream_id}/delete_topic. */
export const deleteTopicBody = successBody({
  complete: z.boolean().meta({ description: 'False if the time budget ended first: send the request again' }),
});
