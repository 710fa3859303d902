import { z } from 'zod';
import { successBody } from '../../http/envelope.schemas.js';
import { defineParameters } from '../../http/parameters.js';

/** POST /submessage (chat-contract 2.C). */
export const addSubmessageParameters = defineParameters(
  z.object({
    message_id: z.int(),
    msg_type: z.enum(['widget']),
    content: z.string().meta({ description: 'JSON, in the form of the widget' }),
  }),
);

/** Nothing but the envelope. */
export const emptyBody = successBody({});
