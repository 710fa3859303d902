import type { SqlReader } from './sql-reader.js';

/**
 * Records that users sent a request. Called when credentials are looked up, which every process does again and again
 * while a client is active. A time of less than an hour ago is left, so that most calls write nothing. Rows are written
 * in the order of the users, so that two processes do not wait for each other.
 */
export async function recordActivity(database: SqlReader, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
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
}
