import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/**
 * Records that users have sent a request, unless the recorded time is less than an hour ago. Writes rows in the order
 * of the user ids, to avoid deadlocks. The insert may wait for a soft deactivation, which locks the row and skips users
 * with a recent request. The insert may also wait for another process that writes the time. Therefore the function
 * reads the state of all users after the insert.
 *
 * @returns the users who are soft-deactivated
 */
export async function recordUserActivity(
  database: SqlQueryRunner,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set();
  await database.query(
    `INSERT INTO user_activity AS activity (user_id, last_request_at)
     SELECT DISTINCT asked.id, now() FROM unnest($1::int[]) AS asked (id)
       LEFT JOIN user_activity known ON known.user_id = asked.id
     WHERE known.user_id IS NULL OR known.last_request_at < now() - interval '1 hour'
     ORDER BY asked.id
     ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at
       WHERE activity.last_request_at < excluded.last_request_at - interval '1 hour'`,
    [userIds],
  );
  const { rows } = await database.query<{ user_id: number }>(
    'SELECT user_id FROM soft_deactivations WHERE user_id = ANY($1)',
    [userIds],
  );
  return new Set(rows.map((row) => row.user_id));
}
