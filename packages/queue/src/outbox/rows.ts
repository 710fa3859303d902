import type { QueuePool } from '../database.js';
import type { DrainTarget } from './buffer.js';

/** A row that failed as often as its topic allows, as an operator sees it. */
export interface SetAsideRow {
  id: number;
  key: string | null;
  payload: unknown;
  attempts: number;
  error: string | null;
  createdAt: Date;
  setAsideAt: Date;
}

/** How much of a topic waits. */
export interface TopicDepth {
  topic: string;
  /** Rows that wait, without those set aside. */
  waiting: number;
  setAside: number;
  /** Seconds since the oldest waiting row was added; 0 when none waits. */
  oldestAgeSeconds: number;
}

// A loose index scan: its cost grows with the number of topics and realms, not with the rows that wait.
const WAITING = `
  WITH RECURSIVE target AS (
    (SELECT topic, realm FROM queue.outbox WHERE seq IS NULL ORDER BY topic, realm LIMIT 1)
    UNION ALL
    SELECT n.topic, n.realm FROM target t, LATERAL (
      SELECT o.topic, o.realm FROM queue.outbox o
      WHERE o.seq IS NULL AND (o.topic, o.realm) > (t.topic, t.realm) ORDER BY o.topic, o.realm LIMIT 1) n
  ) SELECT topic, realm FROM target`;

/** Every topic and realm with rows that nobody has dispatched. */
export async function waitingTargets(pool: QueuePool): Promise<DrainTarget[]> {
  return (await pool.query<DrainTarget>(WAITING)).rows;
}

/** Rows set aside, oldest first. */
export async function listSetAside(pool: QueuePool, topic: string, limit: number): Promise<SetAsideRow[]> {
  const { rows } = await pool.query<{
    id: string;
    key: string | null;
    payload: string;
    attempts: number;
    error: string | null;
    created_ms: number;
    aside_ms: number;
  }>(
    `SELECT id, key, payload::text AS payload, attempts, error,
            (extract(epoch FROM created_at) * 1000)::float8 AS created_ms,
            (extract(epoch FROM set_aside_at) * 1000)::float8 AS aside_ms
     FROM queue.outbox
     WHERE topic = $1 AND set_aside_at IS NOT NULL ORDER BY id LIMIT $2`,
    [topic, limit],
  );
  return rows.map(({ created_ms, aside_ms, ...row }) => ({
    ...row,
    id: Number(row.id),
    payload: JSON.parse(row.payload) as unknown,
    createdAt: new Date(created_ms),
    setAsideAt: new Date(aside_ms),
  }));
}

/** Makes set-aside rows ready again with no failures counted. Returns how many there were. */
export async function requeueRows(pool: QueuePool, topic: string, ids?: number[]): Promise<number> {
  const { rows } = await pool.query(
    `UPDATE queue.outbox SET set_aside_at = NULL, attempts = 0, not_before = NULL
     WHERE topic = $1 AND set_aside_at IS NOT NULL AND ($2::bigint[] IS NULL OR id = ANY($2)) RETURNING id`,
    [topic, ids ?? null],
  );
  return rows.length;
}

/** Depth by topic. */
export async function readDepth(pool: QueuePool): Promise<TopicDepth[]> {
  const { rows } = await pool.query<{ topic: string; waiting: string; aside: string; age: number | null }>(
    `SELECT topic, count(*) FILTER (WHERE set_aside_at IS NULL) AS waiting, count(set_aside_at) AS aside,
            extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE set_aside_at IS NULL))::float8 AS age
     FROM queue.outbox WHERE seq IS NULL GROUP BY topic ORDER BY topic`,
  );
  return rows.map((row) => ({
    topic: row.topic,
    waiting: Number(row.waiting),
    setAside: Number(row.aside),
    oldestAgeSeconds: Math.max(0, row.age ?? 0),
  }));
}
