import type { Tx } from '@switchboard/database';
import {
  chatActorColumns,
  type AuthenticatedAccountRow,
  toCredentialOwner,
} from '../../../core/access/authenticator.js';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import type { ScheduledMessageType } from '../scheduled-messages.repository.js';
import {
  reminderJsonSql,
  scheduledMessageJsonSql,
  type WireReminder,
  type WireScheduledMessage,
} from '../wire-scheduled-message.js';

/** A due scheduled message or reminder. */
export interface DueMessage {
  readonly id: number;
  readonly userId: number;
  readonly type: ScheduledMessageType;
  /** Ids of the recipient of a scheduled message: one channel id, or the ids of users. */
  readonly toIds: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** Name of the client program that scheduled the message. */
  readonly client: string;
  readonly readBySender: boolean;
  /** Time at which the scheduled message is due, in milliseconds since the epoch. */
  readonly deliverAtMs: number;
  /** Id of the message that the reminder is about; null for a scheduled message. */
  readonly reminderMessageId: number | null;
  readonly reminderNote: string | null;
}

const dueMessageColumns = `s.id, s.user_id AS "userId", s.type, s.to_ids AS "toIds", s.topic, s.content, s.client,
  s.read_by_sender AS "readBySender", (extract(epoch FROM s.deliver_at) * 1000)::float8 AS "deliverAtMs",
  s.reminder_message_id AS "reminderMessageId", s.reminder_note AS "reminderNote"`;

/**
 * SQL that selects at most `$2` scheduled messages that are due at the time `$1`. Rows that another transaction has
 * locked are skipped.
 */
export const listDueMessagesSql = `SELECT ${dueMessageColumns} FROM scheduled_messages s
  WHERE s.attempt_at <= $1 ORDER BY s.attempt_at, s.id LIMIT $2 FOR UPDATE SKIP LOCKED`;

/**
 * Lists due scheduled messages, oldest first, without locking the rows. Skips messages that another transaction has
 * locked.
 */
export async function listDueMessages(database: Pick<Tx, 'query'>, now: Date, limit: number): Promise<DueMessage[]> {
  const { rows } = await database.query<DueMessage>({ name: 'list-due-messages', text: listDueMessagesSql }, [
    now,
    limit,
  ]);
  return rows;
}

/**
 * Locks the given scheduled messages that are still due. Returns the locked messages by id. Messages that another
 * transaction has locked are skipped.
 */
export async function lockDueMessages(tx: Tx, ids: readonly number[], now: Date): Promise<Map<number, DueMessage>> {
  const { rows } = await tx.query<DueMessage>(
    `SELECT ${dueMessageColumns} FROM scheduled_messages s
     WHERE s.id = ANY($1::int[]) AND s.attempt_at <= $2 ORDER BY s.id FOR UPDATE SKIP LOCKED`,
    [ids, now],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** SQL that returns the time at which the next scheduled message is due, in milliseconds since the epoch. */
export const nextScheduledMessageTimeSql = `SELECT (extract(epoch FROM s.attempt_at) * 1000)::float8 AS at FROM scheduled_messages s
  WHERE s.attempt_at IS NOT NULL ORDER BY s.attempt_at, s.id LIMIT 1`;

/**
 * Returns the time at which the next scheduled message is due, in milliseconds since the epoch. Returns null if no
 * messages are scheduled.
 */
export async function readNextScheduledMessageTime(tx: Tx): Promise<number | null> {
  const { rows } = await tx.query<{ at: number }>(nextScheduledMessageTimeSql);
  return rows[0]?.at ?? null;
}

/** Reads the accounts with the given ids. Returns a map from id to account. */
export async function readAccounts(
  database: Pick<Tx, 'query'>,
  userIds: readonly number[],
): Promise<Map<number, CredentialOwner>> {
  const { rows } = await database.query<AuthenticatedAccountRow>(lockAccountsByIdSql, [userIds]);
  return new Map(rows.map((row) => [row.id, toCredentialOwner(row)]));
}

/**
 * Locks the rows of the given accounts against changes until the transaction ends. Returns the accounts by id, read
 * after the locks are acquired.
 */
export async function lockAccounts(tx: Tx, userIds: readonly number[]): Promise<Map<number, CredentialOwner>> {
  const { rows } = await tx.query<AuthenticatedAccountRow>(`${lockAccountsByIdSql} ORDER BY u.id FOR SHARE OF u`, [
    userIds,
  ]);
  return new Map(rows.map((row) => [row.id, toCredentialOwner(row)]));
}

const lockAccountsByIdSql = `SELECT ${chatActorColumns} FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.id = ANY($1::int[])`;

/** Deletes the rows of scheduled messages that were sent. */
export async function removeSentMessages(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('DELETE FROM scheduled_messages WHERE id = ANY($1::int[])', [ids]);
}

/** Marks a scheduled message as failed without an event, for authors who cannot be notified. */
export async function markMessageFailedSilently(tx: Tx, id: number, failure: string): Promise<void> {
  await tx.query('UPDATE scheduled_messages SET failure = $2, attempt_at = NULL WHERE id = $1', [id, failure]);
}

/**
 * Marks a scheduled message as failed, so that no further attempt is made. Returns the scheduled message in the format
 * of the API, both as a message and as a reminder.
 */
export async function markScheduledMessageFailed(
  tx: Tx,
  id: number,
  failure: string,
): Promise<{ readonly message: WireScheduledMessage; readonly reminder: WireReminder }> {
  const { rows } = await tx.query<{ message: WireScheduledMessage; reminder: WireReminder }>(
    `UPDATE scheduled_messages s SET failure = $2, attempt_at = NULL WHERE s.id = $1
     RETURNING ${scheduledMessageJsonSql} AS message, ${reminderJsonSql} AS reminder`,
    [id, failure],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Scheduled message ${id} is not locked`);
  return row;
}

/** Postpones the next attempt to send a scheduled message. */
export async function postponeDeliveryAttempt(tx: Tx, id: number, until: Date): Promise<void> {
  await tx.query('UPDATE scheduled_messages SET attempt_at = $2 WHERE id = $1', [id, until]);
}

/**
 * Schedules an immediate attempt for the scheduled messages of a realm that failed with the given reason.
 *
 * @param failure reason with which the messages were marked as failed
 */
export async function retryFailedMessagesOfRealm(tx: Tx, realmId: number, failure: string): Promise<void> {
  await tx.query(
    `UPDATE scheduled_messages s SET failure = NULL, attempt_at = s.deliver_at
     FROM users u WHERE u.realm_id = $1 AND s.user_id = u.id AND s.failure = $2`,
    [realmId, failure],
  );
}
