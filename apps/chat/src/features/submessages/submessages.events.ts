import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const submessagesEventFields = {
  message_id: z.int(),
  submessage_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string().meta({ description: 'JSON' }),
};

/** Event sent when an entry was added to the poll or to-do list of a message (docs/contract/chat.md 3.4). */
export const submessageAddEvent = defineEventType({
  name: 'submessage',
  webhookOrder: 'conversation',
  audience: 'All users who received the message and, if the channel shares its history, its subscribers.',
  payload: z.strictObject(submessagesEventFields),
}).addVariant({ type: 'submessage', fields: submessagesEventFields, render: (stored) => stored });

/** List of all event types about polls and to-do lists. */
export const submessageEvents = [submessageAddEvent];
