import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';
import { fetchedMessageSchema } from '../wire/wire-message.js';

/** Parameters of GET /messages/{message_id} (docs/contract/chat.md 2.C). */
export const getMessageParameters = defineParameters(
  z.object({
    apply_markdown: z.boolean().default(true),
    allow_empty_topic_name: z.boolean().default(false),
  }),
);

/** Response body of the request GET /messages/{message_id}, which reads one message. */
export const getMessageResponseBody = createSuccessBodySchema({
  message: fetchedMessageSchema,
  raw_content: z.string().meta({ description: 'The source of the content, in Markdown' }),
});
