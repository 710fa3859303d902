import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { maxReminderNoteLength } from './reminders.schemas.js';
import { listRemindersSql, listScheduledMessagesSql } from './scheduled-messages.repository.js';
import {
  type WireReminder,
  wireReminder,
  type WireScheduledMessage,
  wireScheduledMessage,
} from './wire-scheduled-message.js';

const scheduledMessagesPart = defineSqlSnapshotPart({
  types: ['scheduled_messages'],
  maintainedBy: ['scheduled_messages'],
  shape: { scheduled_messages: z.array(wireScheduledMessage) },
  sql: listScheduledMessagesSql('$2'),
  fields: (messages: WireScheduledMessage[] | null) => ({ scheduled_messages: messages ?? [] }),
});

const remindersPart = defineSqlSnapshotPart({
  types: ['reminders'],
  shape: { reminders: z.array(wireReminder), max_reminder_note_length: z.int() },
  sql: listRemindersSql('$2'),
  fields: (reminders: WireReminder[] | null) => ({
    reminders: reminders ?? [],
    max_reminder_note_length: maxReminderNoteLength,
  }),
});

/** Snapshot parts of the registering user's scheduled messages and reminders, in the order of their times. */
export const scheduledMessageSnapshotParts = [scheduledMessagesPart, remindersPart];
