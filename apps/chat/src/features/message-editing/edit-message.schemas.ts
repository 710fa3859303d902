import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireAttachmentSchema } from '../../core/attachments/index.js';
import { propagateModeSchema } from './update-message.events.js';

/**
 * Parameters of the request PATCH /messages/{message_id}, which edits or moves a message (docs/contract/chat.md 2.C and
 * 5.7).
 */
export const editMessageParameters = defineParameters(
  z.object({
    content: z.string().optional(),
    prev_content_sha256: z
      .string()
      .optional()
      .meta({ description: 'SHA-256, in hexadecimal digits, of the content that the client edited' }),
    topic: z.string().optional(),
    stream_id: z.int().optional(),
    propagate_mode: propagateModeSchema.default('change_one'),
    send_notification_to_old_thread: z.boolean().default(false),
    send_notification_to_new_thread: z.boolean().default(true),
  }),
  { topic: ['subject'] },
);

/** Response body of the request PATCH /messages/{message_id}, which edits or moves a message. */
export const editMessageResponseBody = createSuccessBodySchema({
  detached_uploads: z
    .array(wireAttachmentSchema)
    .meta({ description: 'Uploaded files that no message refers to any more' }),
});

/** Parameters of the request GET /messages/{message_id}/history, which returns a message's edit history. */
export const messageHistoryParameters = defineParameters(
  z.object({ allow_empty_topic_name: z.boolean().default(false) }),
);

/**
 * Schema of one version of a message, with the values that the edit to this version replaced (docs/contract/chat.md
 * 2.A).
 */
export const messageVersionSchema = z
  .strictObject({
    topic: z.string(),
    prev_topic: z.string().optional(),
    stream: z.int().optional(),
    prev_stream: z.int().optional(),
    content: z.string(),
    rendered_content: z.string(),
    prev_content: z.string().optional(),
    prev_rendered_content: z.string().optional(),
    content_html_diff: z
      .string()
      .optional()
      .meta({ description: 'The rendered content, with the insertions and deletions of the edit highlighted' }),
    user_id: z.int().nullable(),
    timestamp: z.int(),
  })
  .meta({ id: 'MessageHistorySnapshot' });

/** Response body of the request GET /messages/{message_id}/history, which returns a message's edit history. */
export const messageHistoryResponseBody = createSuccessBodySchema({
  message_history: z.array(messageVersionSchema).meta({ description: 'Oldest first' }),
});
