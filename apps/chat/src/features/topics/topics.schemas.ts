import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of GET /users/me/{stream_id}/topics (docs/contract/chat.md 2.E). */
export const listTopicsParameters = defineParameters(z.object({ allow_empty_topic_name: z.boolean().default(false) }));

export const listTopicsResponseBody = createSuccessBodySchema({
  topics: z.array(z.strictObject({ name: z.string(), max_id: z.int() })),
});
