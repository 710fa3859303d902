import type { Tx } from '@switchboard/database';
import {
  reminderJsonSql,
  scheduledMessageJsonSql,
  type WireReminder,
  type WireScheduledMessage,
} from './wire-scheduled-message.js';

/** Type of a row of scheduled messages: a channel message (`stream`), a direct message (`private`), or a reminder. */
export type ScheduledMessageType = 'stream' | 'private' | 'reminder';

/** Columns of a scheduled message or reminder that the author sets. */
export interface ScheduledMessageColumns {
  readonly type: ScheduledMessageType;
  /**
   * Ids of the recipients of the scheduled message: the channel id, or the ids of the users without the author. For a
   * message to the author alone, the list contains only the author's id.
   */
  readonly toIds: readonly number[];
  readonly topic: string;
  /** Markdown source of the scheduled message. */
  readonly content: string;
  /** HTML of the scheduled message, rendered when the content was last changed. */
  readonly html: string;
  /** Name of the client program that scheduled the message. */
  readonly client: string;
  /** Time at which the scheduled message is due, in UNIX seconds. */
  readonly deliverAt: number;
}

/** Id of the message that a reminder is about, and the user's note. */
export interface ReminderMessageAndNote {
  readonly messageId: number;
  readonly note: string | null;
}

const createScheduledMessageListSql = (json: string, type: string, userId: string): string =>
  `SELECT json_agg(${json} ORDER BY s.deliver_at, s.id) FROM scheduled_messages s WHERE s.user_id = ${userId} AND ${type}`;

/**
 * Returns SQL of a JSON array of a user's scheduled messages, ordered by time. The value is null for a user without
 * scheduled messages.
 *
 * @param userId SQL of the user's id
 */
export const createScheduledMessagesJsonSql = (userId: string): string =>
  createScheduledMessageListSql(scheduledMessageJsonSql, `s.type <> 'reminder'`, userId);

/**
 * Returns an SQL expression for a JSON array of a user's reminders, ordered by due time, like
 * {@link createScheduledMessagesJsonSql}.
 */
export const createRemindersJsonSql = (userId: string): string =>
  createScheduledMessageListSql(reminderJsonSql, `s.type = 'reminder'`, userId);

/** Lists the scheduled messages of a user, ordered by due time. */
export async function listScheduledMessages(tx: Tx, userId: number): Promise<WireScheduledMessage[]> {
  const sql = `SELECT (${createScheduledMessagesJsonSql('$1')}) AS list`;
  const { rows } = await tx.query<{ list: WireScheduledMessage[] | null }>(sql, [userId]);
  return rows[0]?.list ?? [];
}

/** Lists the reminders of a user, ordered by due time. */
export async function listReminders(tx: Tx, userId: number): Promise<WireReminder[]> {
  const sql = `SELECT (${createRemindersJsonSql('$1')}) AS list`;
  const { rows } = await tx.query<{ list: WireReminder[] | null }>(sql, [userId]);
  return rows[0]?.list ?? [];
}

/** Inserts a scheduled message or reminder. Returns the inserted row in the format of the API. */
async function insertScheduledMessageOrReminder<T>(
  tx: Tx,
  json: string,
  userId: number,
  content: ScheduledMessageColumns & { readonly readBySender: boolean },
  target: ReminderMessageAndNote | null,
): Promise<T> {
  const { rows } = await tx.query<{ inserted: T }>(
    `INSERT INTO scheduled_messages AS s (user_id, type, to_ids, topic, content, rendered_content, client,
       deliver_at, attempt_at, read_by_sender, reminder_message_id, reminder_note)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8::float8), to_timestamp($8::float8), $9, $10, $11)
     RETURNING ${json} AS inserted`,
    [
      userId,
      ...getScheduledMessageColumnValues(content),
      content.readBySender,
      target?.messageId ?? null,
      target?.note ?? null,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.inserted;
}

function getScheduledMessageColumnValues({
  type,
  toIds,
  topic,
  content,
  html,
  client,
  deliverAt,
}: ScheduledMessageColumns): unknown[] {
  return [type, toIds, topic, content, html, client, deliverAt];
}

/** Inserts a scheduled message. Returns the scheduled message in the format of the API. */
export function insertScheduledMessage(
  tx: Tx,
  userId: number,
  content: ScheduledMessageColumns & { readonly readBySender: boolean },
): Promise<WireScheduledMessage> {
  return insertScheduledMessageOrReminder(tx, scheduledMessageJsonSql, userId, content, null);
}

/** Inserts a reminder. Returns the reminder in the format of the API. */
export function insertReminder(
  tx: Tx,
  userId: number,
  content: ScheduledMessageColumns,
  target: ReminderMessageAndNote,
): Promise<WireReminder> {
  return insertScheduledMessageOrReminder(tx, reminderJsonSql, userId, { ...content, readBySender: false }, target);
}

/** A stored scheduled message whose row is locked. */
export interface LockedScheduledMessage extends ScheduledMessageColumns {
  readonly readBySender: boolean;
  readonly failed: boolean;
}

/**
 * Locks a scheduled message of a user until the transaction ends. Waits until a concurrent delivery ends. Returns null
 * if the user has no scheduled message with this id, or the message has been sent.
 */
export async function lockScheduledMessage(tx: Tx, userId: number, id: number): Promise<LockedScheduledMessage | null> {
  const { rows } = await tx.query<LockedScheduledMessage>(
    `SELECT type, to_ids AS "toIds", topic, content, rendered_content AS html, client,
       extract(epoch FROM deliver_at)::float8 AS "deliverAt", read_by_sender AS "readBySender",
       failure IS NOT NULL AS failed
     FROM scheduled_messages WHERE user_id = $1 AND id = $2::bigint AND type <> 'reminder' FOR UPDATE`,
    [userId, id],
  );
  return rows[0] ?? null;
}

/**
 * Replaces the content, recipient and time of a scheduled message, and clears the recorded failure. Returns the message
 * in the format of the API.
 */
export async function updateScheduledMessage(
  tx: Tx,
  id: number,
  content: ScheduledMessageColumns & { readonly readBySender: boolean },
): Promise<WireScheduledMessage> {
  const { rows } = await tx.query<{ updated: WireScheduledMessage }>(
    `UPDATE scheduled_messages s SET type = $2, to_ids = $3, topic = $4, content = $5, rendered_content = $6,
       client = $7, deliver_at = to_timestamp($8::float8), attempt_at = to_timestamp($8::float8), failure = NULL,
       read_by_sender = $9
     WHERE s.id = $1 RETURNING ${scheduledMessageJsonSql} AS updated`,
    [id, ...getScheduledMessageColumnValues(content), content.readBySender],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Scheduled message ${id} is not locked`);
  return row.updated;
}

/**
 * Removes a scheduled message of a user. Returns false if the user has no scheduled message with this id, or the
 * message has been sent.
 */
export async function removeScheduledMessage(tx: Tx, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM scheduled_messages WHERE user_id = $1 AND id = $2::bigint AND type <> 'reminder'`,
    [userId, id],
  );
  return rowCount > 0;
}

/**
 * Removes a reminder of a user. Returns false if the user has no reminder with this id, or the reminder has been sent.
 */
export async function removeReminder(tx: Tx, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM scheduled_messages WHERE user_id = $1 AND id = $2::bigint AND type = 'reminder'`,
    [userId, id],
  );
  return rowCount > 0;
}
