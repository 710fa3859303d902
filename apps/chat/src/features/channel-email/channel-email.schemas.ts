import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of GET /streams/{stream_id}/email_address (docs/contract/chat.md 2.E). */
export const emailAddressParameters = defineParameters(
  z.object({
    sender_id: z.int().optional().meta({
      description:
        'Sender of the messages that are mailed to the channel: the user, a bot of the user, or the notification bot',
    }),
  }),
);

/** Response body of the request GET /streams/{stream_id}/email_address, which returns a channel's email address. */
export const emailAddressResponseBody = createSuccessBodySchema({ email: z.string() });
