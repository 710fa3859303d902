import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { maxDirectMessageRecipients } from '../../core/messages/index.js';

/** Parameters of POST /typing (chat-4.2). Parameters that the conversation type does not need are ignored. */
export const typingNotificationParameters = defineParameters(
  z.object({
    type: z.enum(['direct', 'stream', 'channel', 'private']).default('direct'),
    op: z.enum(['start', 'stop']),
    to: z
      .array(z.int())
      .max(maxDirectMessageRecipients)
      .optional()
      .meta({ description: 'Ids of users; for direct messages' }),
    stream_id: z.int().optional().meta({ description: 'For messages to a channel' }),
    topic: z.string().optional().meta({ description: 'For messages to a channel' }),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
