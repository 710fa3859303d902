import { z } from 'zod';
import { selectAccessibleMessagesSql } from '../../core/messages/index.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { missingMessageReminderHeading } from './format-reminder-text.js';

const commonScheduledFields = {
  scheduled_message_id: z.int(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int().meta({ description: 'UNIX time in seconds' }),
  failed: z.boolean().meta({ description: 'True if the message could not be sent at its time' }),
};

/** Schema of a scheduled message in the API (docs/contract/chat.md 2.A). */
export const wireScheduledMessageSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ ...commonScheduledFields, type: z.literal('stream'), to: z.int(), topic: z.string() }),
    z.strictObject({ ...commonScheduledFields, type: z.literal('private'), to: z.array(z.int()) }),
  ])
  .meta({ id: 'ScheduledMessage' });
export type WireScheduledMessage = z.infer<typeof wireScheduledMessageSchema>;

/** Schema of a reminder in the API (docs/contract/chat.md 2.A). */
export const wireReminderSchema = z
  .strictObject({
    reminder_id: z.int(),
    type: z.literal('private'),
    to: z.array(z.int()).meta({ description: 'Id of the user who is reminded' }),
    content: z.string(),
    rendered_content: z.string(),
    scheduled_delivery_timestamp: z.int().meta({ description: 'UNIX time in seconds' }),
    failed: z.boolean().meta({ description: 'True if the reminder could not be sent at its time' }),
    reminder_target_message_id: z.int(),
  })
  .meta({ id: 'Reminder' });
export type WireReminder = z.infer<typeof wireReminderSchema>;

const scheduledMessageTextFieldsSql = `'content', s.content, 'rendered_content', s.rendered_content`;

const commonScheduledFieldsSql = `'scheduled_delivery_timestamp', floor(extract(epoch FROM s.deliver_at))::bigint, 'failed', s.failure IS NOT NULL`;

/** SQL of the API's JSON form for a row of `scheduled_messages s`. */
export const scheduledMessageJsonSql = `CASE s.type
  WHEN 'stream' THEN json_build_object('scheduled_message_id', s.id, 'type', s.type, 'to', s.to_ids[1],
    'topic', s.topic, ${scheduledMessageTextFieldsSql}, ${commonScheduledFieldsSql})
  ELSE json_build_object('scheduled_message_id', s.id, 'type', s.type, 'to', s.to_ids, ${scheduledMessageTextFieldsSql}, ${commonScheduledFieldsSql}) END`;

const accessibleReminderTargetsSql = selectAccessibleMessagesSql({
  actor: 'asked.user_id',
  isGuest: 'asked.is_guest',
  realmId: 'asked.realm_id',
});

/**
 * SQL condition that the author of a reminder, a row of `scheduled_messages s`, can read the message that the reminder
 * is about.
 */
const isReminderTargetReadableSql = `EXISTS (
  SELECT FROM (
    SELECT s.reminder_message_id AS message_id, reader.id AS user_id, reader.realm_id, reader.role = ${userRoleNumbers.guest} AS is_guest
    FROM users reader WHERE reader.id = s.user_id
  ) asked, LATERAL (SELECT FROM ${accessibleReminderTargetsSql.from} WHERE m.id = asked.message_id AND ${accessibleReminderTargetsSql.where}) readable)`;

const reminderNoteHtmlSql = `replace(replace(replace(replace(s.reminder_note, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), E'\n', E'<br>\n')`;

/**
 * SQL expression for the text of a reminder about a message that the user cannot read. The text consists only of the
 * user's note, as plain text.
 */
const reminderWithoutQuoteSql = `
  'content', '${missingMessageReminderHeading}' || coalesce(E' Note:\n> ' || replace(s.reminder_note, E'\n', E'\n> '), ''),
  'rendered_content', '<p>${missingMessageReminderHeading}'
    || coalesce(E' Note:</p>\n<blockquote>\n<p>' || ${reminderNoteHtmlSql} || E'</p>\n</blockquote>', '</p>')`;

/**
 * SQL of the API's JSON form for a reminder, a row of `scheduled_messages s`. The quote is omitted when the user can no
 * longer read the message.
 */
export const reminderJsonSql = `CASE WHEN ${isReminderTargetReadableSql}
  THEN ${createReminderJsonSql(scheduledMessageTextFieldsSql)} ELSE ${createReminderJsonSql(reminderWithoutQuoteSql)} END`;

function createReminderJsonSql(text: string): string {
  return `json_build_object('reminder_id', s.id, 'type', 'private', 'to', s.to_ids, ${text},
    ${commonScheduledFieldsSql}, 'reminder_target_message_id', s.reminder_message_id)`;
}
