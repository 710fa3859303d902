import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { messageFlagBits, lockUserMessageRowsSql } from '../../core/messages/index.js';
import type { WireMutedUser } from './muted-users.events.js';

/** SQL of the API's JSON form for a row of `muted_users mu`. */
export const mutedUserJsonSql = `json_build_object('id', mu.muted_user_id,
  'timestamp', floor(extract(epoch FROM mu.date_muted))::bigint)`;

/** Lists the users whom a user has muted, in the order of muting. */
export async function listMutedUsers(tx: SqlQueryRunner, userId: number): Promise<WireMutedUser[]> {
  const { rows } = await tx.query<{ muted: WireMutedUser }>(
    `SELECT ${mutedUserJsonSql} AS muted FROM muted_users mu WHERE mu.user_id = $1
     ORDER BY mu.date_muted, mu.muted_user_id`,
    [userId],
  );
  return rows.map(({ muted }) => muted);
}

/** Stores that one user mutes another user. Returns false if the second user is already muted. */
export async function addMutedUser(tx: Tx, userId: number, mutedId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [userId, mutedId],
  );
  return rowCount > 0;
}

/** Deletes the record that one user mutes another user. Returns false if the second user is not muted. */
export async function removeMute(tx: Tx, userId: number, mutedId: number): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM muted_users WHERE user_id = $1 AND muted_user_id = $2', [
    userId,
    mutedId,
  ]);
  return rowCount > 0;
}

/**
 * Marks all unread messages of a sender as read for a user, in one statement. Returns the ids of the marked messages,
 * in ascending order.
 */
export async function markReadFromSender(tx: Tx, userId: number, senderId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `WITH unread AS (
       SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id
       WHERE um.user_id = $1 AND um.flags & ${messageFlagBits.read} = 0 AND m.sender_id = $2 ${lockUserMessageRowsSql}
     ), marked AS (
       UPDATE user_messages um SET flags = um.flags | ${messageFlagBits.read} FROM unread
       WHERE um.user_id = $1 AND um.message_id = unread.message_id
       RETURNING um.message_id AS id)
     SELECT id FROM marked ORDER BY id`,
    [userId, senderId],
  );
  return rows.map(({ id }) => id);
}
