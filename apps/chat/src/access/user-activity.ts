import type { SqlReader } from './sql-reader.js';

/**
 * Records that users sent a request. Called when credentials are looked up, which every process does again and again
 * while a client is active. A time of less than an hour ago is left, so that most calls write nothing. Rows are written
 * in the order of the users, so that two processes do not wait for each other.
 *
 * Soft deactivation locks the row, and leaves users whose last request is young. A time that is written may have waited for
 * it, so these users are looked up once more.
 *
 * @returns users whose time was written and who are softly deactivated
 */
export async function recordActivity(database: SqlReader, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set();
  const { rows } = await database.query<{ user_id: number }>(
    `INSERT INTO user_activity AS activity (user_id, last_request_at)
     SELECT DISTINCT asked.id, now() FROM unnest($1::int[]) AS asked (id)
       LEFT JOIN user_activity known ON known.user_id = asked.id
     WHERE known.user_id IS NULL OR known.last_request_at < now() - interval '1 hour'
     ORDER BY asked.id
     ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at
       WHERE activity.last_request_at < excluded.last_request_at - interval '1 hour'
     RETURNING user_id`,
    [userIds],
  );
  if (rows.length === 0) return new Set();
  const { rows: away } = await database.query<{ user_id: number }>(
    'SELECT user_id FROM soft_deactivations WHERE user_id = ANY($1)',
    [rows.map((row) => row.user_id)],
  );
  return new Set(away.map((row) => row.user_id));
}
