import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';

/** Parameters of POST /messages (docs/contract/chat.md 2.C). `to` is JSON or plain text. */
export const sendMessageParameters = defineParameters(
  z.object({
    type: z.enum(['direct', 'private', 'channel', 'stream']),
    to: z.string().optional().meta({
      description:
        'Channel: its id, name, or a list of one of them. Direct: ids or addresses, as a list or separated by commas.',
    }),
    content: z.string(),
    topic: z.string().optional(),
    queue_id: z.string().max(100).optional(),
    local_id: z.string().max(100).optional(),
    read_by_sender: z.boolean().optional(),
  }),
  { topic: ['subject'] },
);

/** Response body of the request POST /messages, which sends a message. */
export const sendMessageResponseBody = createSuccessBodySchema({
  id: z.int(),
  automatic_new_visibility_policy: z
    .literal([2, 3])
    .optional()
    .meta({ description: 'Present when sending the message made the sender unmute (2) or follow (3) the topic' }),
});
