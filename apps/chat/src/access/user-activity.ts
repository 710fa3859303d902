import type { SqlReader } from './sql-reader.js';

/**
 * Records that a user sent a request. Called when credentials are looked up, which every process does again and again
 * while a client is active; a time of less than an hour ago stays, so that most calls write nothing.
 */
export async function recordActivity(database: SqlReader, userId: number): Promise<void> {
  await database.query(
    `INSERT INTO user_activity AS activity (user_id, last_request_at) VALUES ($1, now())
     ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at
       WHERE activity.last_request_at < excluded.last_request_at - interval '1 hour'`,
    [userId],
  );
}
