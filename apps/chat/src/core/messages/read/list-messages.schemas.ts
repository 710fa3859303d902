import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';
import { narrowParameter } from './narrow/parse-narrow-terms.js';
import { fetchedMessageSchema } from '../wire/wire-message.js';

const messageCountParameterSchema = z.int().nonnegative();

/** Parameters of GET /messages (chat-4.7). `parseMessageSelection` checks their valid combinations. */
export const listMessagesParameters = defineParameters(
  z.object({
    anchor: z.string().trim().optional().meta({ description: 'A message id, or newest, oldest, first_unread, date' }),
    anchor_date: z
      .string()
      .trim()
      .optional()
      .meta({ description: 'ISO 8601 date, or date and time; in UTC when it has no offset' }),
    include_anchor: z.boolean().optional(),
    num_before: messageCountParameterSchema.optional(),
    num_after: messageCountParameterSchema.optional(),
    narrow: narrowParameter.default([]),
    client_gravatar: z.boolean().default(true),
    apply_markdown: z.boolean().default(true),
    message_ids: z.array(z.int().nonnegative()).optional(),
    allow_empty_topic_name: z.boolean().default(false),
    use_first_unread_anchor: z.boolean().optional(),
  }),
);

export const listMessagesResponseBody = createSuccessBodySchema({
  anchor: z
    .number()
    .multipleOf(1)
    .optional()
    .meta({ description: 'Absent when the request contains ids of messages.' }),
  found_anchor: z.boolean(),
  found_oldest: z.boolean(),
  found_newest: z.boolean(),
  history_limited: z.boolean(),
  messages: z.array(fetchedMessageSchema),
});
