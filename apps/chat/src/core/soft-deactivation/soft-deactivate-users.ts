import type { Database, Tx } from '@switchboard/database';
import type { EventLog } from '@switchboard/queue';
import { OmittedMessageRowWriter } from './write-rows-of-returning-users.js';
import { userOwnsEventWebhookSql } from '../event-webhooks/index.js';
import { wantsAllChannelNotificationsSql } from './channel-notification-settings.js';
import { lockUserActivity, lockSoftDeactivations, lockUsers } from '../database-locks.js';

/** Dependencies and options of {@link softDeactivateUsers}. */
export interface SoftDeactivationDependencies {
  readonly database: Database;
  readonly eventLog: Pick<EventLog, 'listOwnersOfQueues'>;
  /**
   * Number of days without a request after which a user is soft-deactivated. The value 0 disables soft deactivation and
   * reactivates all users.
   */
  readonly days: number;
}

const softDeactivationBatchSize = 500;
const softDeactivationRecordsPerBatch = 10_000;

interface SoftDeactivationCandidate {
  readonly id: number;
  readonly realmId: number;
}

/**
 * Returns the SQL condition on `users u LEFT JOIN user_activity a` that a user is inactive enough to be
 * soft-deactivated. The condition is false for bots, and for users who own an enabled event webhook.
 */
const isUserInactiveSql = (days: string): string => `
  u.is_active AND u.bot_type IS NULL AND NOT u.is_system_bot AND NOT ${wantsAllChannelNotificationsSql}
  AND NOT ${userOwnsEventWebhookSql}
  AND coalesce(a.last_request_at, u.date_joined) < now() - make_interval(days => ${days})
  AND NOT EXISTS (SELECT FROM soft_deactivations known WHERE known.user_id = u.id)`;

/**
 * Soft-deactivates users who have sent no request for the given number of days and have no event queue. Processes the
 * users in batches.
 */
export async function softDeactivateUsers(tools: SoftDeactivationDependencies, signal: AbortSignal): Promise<void> {
  const { database, days } = tools;
  if (days > 0) await softDeactivateUsersInBatches(tools, signal);
  else await reactivateAllSoftDeactivatedUsers(database, signal);
  await removeRecordsOfSettledMessages(database);
}

async function softDeactivateUsersInBatches(tools: SoftDeactivationDependencies, signal: AbortSignal): Promise<void> {
  const { database, days } = tools;
  for (let after = 0; !signal.aborted;) {
    const candidates = await listSoftDeactivationCandidates(database, after, days);
    const last = candidates.at(-1);
    if (last === undefined) break;
    after = last.id;
    const userIds = await excludeUsersWithEventQueues(tools, candidates);
    if (userIds.length > 0) await database.inTransaction((tx) => markInactiveUsersSoftDeactivated(tx, userIds, days));
  }
}

/**
 * Reactivates soft-deactivated users one after another. After an abort, the next run continues with the remaining
 * users.
 */
async function reactivateAllSoftDeactivatedUsers(database: Database, signal: AbortSignal): Promise<void> {
  const returning = new OmittedMessageRowWriter(database);
  const { rows } = await database.query<{ id: number }>(
    'SELECT user_id AS id FROM soft_deactivations ORDER BY user_id',
  );
  for (const { id } of rows) {
    if (signal.aborted) return;
    await returning.writeOmittedRows(id);
  }
}

/**
 * Lists the ids of the next users to soft-deactivate, in ascending order. The SQL applies the lower bound of the ids to
 * both tables. Otherwise PostgreSQL would read `user_activity` from its start for each batch.
 */
export async function listSoftDeactivationCandidates(
  database: Tx,
  after: number,
  days: number,
): Promise<SoftDeactivationCandidate[]> {
  const { rows } = await database.query<SoftDeactivationCandidate>(
    `SELECT u.id, u.realm_id AS "realmId"
     FROM users u LEFT JOIN user_activity a ON a.user_id = u.id AND a.user_id > $1
     WHERE u.id > $1 AND ${isUserInactiveSql('$2')} ORDER BY u.id LIMIT ${softDeactivationBatchSize}`,
    [after, days],
  );
  return rows;
}

/**
 * Returns those of the given users who have no event queue. {@link markInactiveUsersSoftDeactivated} skips users who
 * register an event queue later, because POST /register counts as a recent request.
 */
async function excludeUsersWithEventQueues(
  { eventLog }: SoftDeactivationDependencies,
  candidates: readonly SoftDeactivationCandidate[],
): Promise<number[]> {
  const found: number[] = [];
  for (const realmId of new Set(candidates.map((user) => user.realmId))) {
    const userIds = candidates.filter((user) => user.realmId === realmId).map(({ id }) => id);
    const owners = await eventLog.listOwnersOfQueues(String(realmId), userIds.map(String));
    found.push(...userIds.filter((id) => !owners.has(String(id))));
  }
  return found;
}

/**
 * Locks the rows of users, and marks the users as soft-deactivated whose last request is still long ago. Concurrent
 * requests lock `user_activity` before they check whether the user is soft-deactivated; changes of settings lock
 * `users`.
 */
async function markInactiveUsersSoftDeactivated(tx: Tx, userIds: readonly number[], days: number): Promise<void> {
  await tx.query(
    `INSERT INTO user_activity (user_id, last_request_at) SELECT id, date_joined FROM users WHERE id = ANY($1)
     ORDER BY id ON CONFLICT DO NOTHING`,
    [userIds],
  );
  await lockUserActivity(tx, userIds);
  await lockUsers(tx, userIds);
  await tx.query(
    `INSERT INTO soft_deactivations (user_id, realm_id, after_message_id)
     SELECT u.id, u.realm_id, next_message_id() - 1 FROM users u LEFT JOIN user_activity a ON a.user_id = u.id
     WHERE u.id = ANY($1) AND ${isUserInactiveSql('$2')} ORDER BY u.id ON CONFLICT DO NOTHING`,
    [userIds, days],
  );
}

/**
 * Removes, in batches, records of messages whose omitted rows are all written (`settled_messages`). A record remains as
 * long as a user is soft-deactivated who was already absent before the message. The function locks a table to wait for
 * uncommitted soft deactivations.
 */
async function removeRecordsOfSettledMessages(database: Database): Promise<void> {
  const sql = `DELETE FROM settled_messages WHERE message_id IN (SELECT message_id FROM settled_messages
    WHERE message_id <= coalesce((SELECT min(after_message_id) FROM soft_deactivations), 9223372036854775807)
    ORDER BY message_id LIMIT ${softDeactivationRecordsPerBatch})`;
  for (let removed = softDeactivationRecordsPerBatch; removed === softDeactivationRecordsPerBatch;) {
    removed = await database.inTransaction(async (tx) => {
      await lockSoftDeactivations(tx);
      return (await tx.query(sql)).rowCount;
    });
  }
}
