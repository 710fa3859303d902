import type { QueuePool } from '../database.js';
import { createSqlCacheBySchema } from '../queue-schema.js';
import type { OutboxDispatchTarget } from './outbox-row-buffer.js';

/** Number of waiting outbox rows of a message type, and the age of the oldest waiting row. */
export interface WaitingOutboxRowStatistics {
  topic: string;
  /** Number of waiting outbox rows of the message type. Excludes dead letters. */
  waiting: number;
  deadLetters: number;
  /** Seconds since the oldest waiting outbox row was added; 0 if no row is waiting. */
  oldestAgeSeconds: number;
}

// Query for message types and realms with waiting rows: a loose index scan, whose cost grows with the number of topics
// and realms and not with the number of rows.
const selectWaitingDispatchTargetsSql = createSqlCacheBySchema(
  (schema) => `
  WITH RECURSIVE target AS (
    (SELECT topic, realm FROM ${schema}.outbox WHERE seq IS NULL ORDER BY topic, realm LIMIT 1)
    UNION ALL
    SELECT n.topic, n.realm FROM target t, LATERAL (
      SELECT o.topic, o.realm FROM ${schema}.outbox o
      WHERE o.seq IS NULL AND (o.topic, o.realm) > (t.topic, t.realm) ORDER BY o.topic, o.realm LIMIT 1) n
  ) SELECT topic, realm FROM target`,
);

/** Lists message types and realms that have outbox rows that are not dispatched yet. */
export async function listWaitingDispatchTargets(pool: QueuePool, schema: string): Promise<OutboxDispatchTarget[]> {
  return (await pool.query<OutboxDispatchTarget>(selectWaitingDispatchTargetsSql(schema))).rows;
}

/** Returns the number of waiting outbox rows and the age of the oldest row, for each message type. */
export async function readWaitingOutboxRowStatistics(
  pool: QueuePool,
  schema: string,
): Promise<WaitingOutboxRowStatistics[]> {
  const { rows } = await pool.query<{ topic: string; waiting: string; aside: string; age: number | null }>(
    `SELECT topic, count(*) FILTER (WHERE set_aside_at IS NULL) AS waiting, count(set_aside_at) AS aside,
            extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE set_aside_at IS NULL))::float8 AS age
     FROM ${schema}.outbox WHERE seq IS NULL GROUP BY topic ORDER BY topic`,
  );
  return rows.map((row) => ({
    topic: row.topic,
    waiting: Number(row.waiting),
    deadLetters: Number(row.aside),
    oldestAgeSeconds: Math.max(0, row.age ?? 0),
  }));
}
