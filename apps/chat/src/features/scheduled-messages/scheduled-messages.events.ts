import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireReminderSchema, wireScheduledMessageSchema } from './wire-scheduled-message.js';

const scheduledMessageAudience = 'Only the author of the scheduled message.';
const reminderAudience = 'Only the user who is reminded.';
const scheduledMessagesAddFields = { scheduled_messages: z.array(wireScheduledMessageSchema) };
const scheduledMessageUpdateFields = { scheduled_message: wireScheduledMessageSchema };
const scheduledMessageRemoveFields = { scheduled_message_id: z.int() };

/** Event sent when a message was scheduled (docs/contract/chat.md 3.4). */
export const scheduledMessagesAddEvent = defineEventType({
  name: 'scheduled_messages/add',
  audience: scheduledMessageAudience,
  payload: z.strictObject(scheduledMessagesAddFields),
}).addVariant({
  type: 'scheduled_messages',
  op: 'add',
  fields: scheduledMessagesAddFields,
  render: (payload) => payload,
});

/** Event sent when a scheduled message was changed or could not be sent. */
export const scheduledMessagesUpdateEvent = defineEventType({
  name: 'scheduled_messages/update',
  audience: scheduledMessageAudience,
  payload: z.strictObject(scheduledMessageUpdateFields),
}).addVariant({
  type: 'scheduled_messages',
  op: 'update',
  fields: scheduledMessageUpdateFields,
  render: (payload) => payload,
});

/** Event sent when a scheduled message was sent or deleted. */
export const scheduledMessagesRemoveEvent = defineEventType({
  name: 'scheduled_messages/remove',
  audience: scheduledMessageAudience,
  payload: z.strictObject(scheduledMessageRemoveFields),
}).addVariant({
  type: 'scheduled_messages',
  op: 'remove',
  fields: scheduledMessageRemoveFields,
  render: (payload) => payload,
});

/** Event sent when a reminder was added. */
export const remindersAddEvent = defineEventType({
  name: 'reminders/add',
  audience: reminderAudience,
  payload: z.strictObject({ reminders: z.array(wireReminderSchema) }),
}).addVariant({
  type: 'reminders',
  op: 'add',
  fields: { reminders: z.array(wireReminderSchema) },
  render: (payload) => payload,
});

/** Event sent when a reminder was sent or deleted. */
export const remindersRemoveEvent = defineEventType({
  name: 'reminders/remove',
  audience: reminderAudience,
  payload: z.strictObject({ reminder_id: z.int() }),
}).addVariant({
  type: 'reminders',
  op: 'remove',
  fields: { reminder_id: z.int() },
  render: (payload) => payload,
});

/** List of all event types that concern scheduled messages and reminders. */
export const scheduledMessageEvents = [
  scheduledMessagesAddEvent,
  scheduledMessagesUpdateEvent,
  scheduledMessagesRemoveEvent,
  remindersAddEvent,
  remindersRemoveEvent,
];
