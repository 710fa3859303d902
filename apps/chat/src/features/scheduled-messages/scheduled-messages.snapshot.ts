import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { maxReminderNoteLength } from './reminders.schemas.js';
import { createRemindersJsonSql, createScheduledMessagesJsonSql } from './scheduled-messages.repository.js';
import {
  type WireReminder,
  wireReminderSchema,
  type WireScheduledMessage,
  wireScheduledMessageSchema,
} from './wire-scheduled-message.js';

const scheduledMessagesSnapshotPart = defineSqlSnapshotPart({
  types: ['scheduled_messages'],
  maintainedBy: ['scheduled_messages'],
  shape: { scheduled_messages: z.array(wireScheduledMessageSchema) },
  sql: createScheduledMessagesJsonSql('$2'),
  fields: (messages: WireScheduledMessage[] | null) => ({ scheduled_messages: messages ?? [] }),
});

const remindersSnapshotPart = defineSqlSnapshotPart({
  types: ['reminders'],
  shape: { reminders: z.array(wireReminderSchema), max_reminder_note_length: z.int() },
  sql: createRemindersJsonSql('$2'),
  fields: (reminders: WireReminder[] | null) => ({
    reminders: reminders ?? [],
    max_reminder_note_length: maxReminderNoteLength,
  }),
});

/**
 * Snapshot parts that list the user's scheduled messages and reminders, ordered by due time: fields of the
 * `POST /register` response.
 */
export const scheduledMessageSnapshotParts = [scheduledMessagesSnapshotPart, remindersSnapshotPart];
