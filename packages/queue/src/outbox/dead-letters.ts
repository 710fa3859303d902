import type { QueuePool } from '../database.js';
import { decodeDatesInJsonValue } from '../payload-json.js';

/**
 * An outbox row that failed as often as its message type allows, or that cannot be parsed, in the form that operators
 * see.
 */
export interface DeadLetter {
  id: number;
  key: string | null;
  /** Version of the payload schema with which the outbox row was written. */
  version: number;
  payload: unknown;
  attempts: number;
  error: string | null;
  createdAt: Date;
  deadLetteredAt: Date;
}

/**
 * Conditions that select dead letters (outbox rows that failed permanently). All conditions that are set must match.
 */
export interface DeadLetterFilter {
  ids?: readonly number[];
  key?: string;
  /** Text that the error of matching dead letters contains. The comparison is case-sensitive. */
  errorIncludes?: string;
  deadLetteredBefore?: Date;
}

interface StoredDeadLetterRow {
  id: string;
  key: string | null;
  version: number;
  payload: string;
  attempts: number;
  error: string | null;
  created_ms: number;
  aside_ms: number;
}

const IS_MATCHING_DEAD_LETTER_SQL = `topic = $1 AND set_aside_at IS NOT NULL
  AND ($2::bigint[] IS NULL OR id = ANY($2)) AND ($3::text IS NULL OR key = $3)
  AND ($4::text IS NULL OR strpos(error, $4) > 0) AND ($5::timestamptz IS NULL OR set_aside_at < $5)`;

const createDeadLetterFilterParameters = (
  topic: string,
  { ids, key, errorIncludes, deadLetteredBefore }: DeadLetterFilter,
): unknown[] => [topic, ids ?? null, key ?? null, errorIncludes ?? null, deadLetteredBefore ?? null];

/** Location of the outbox tables: a database pool, and the SQL identifier of the schema. */
export interface OutboxTablesLocation {
  readonly pool: QueuePool;
  readonly schema: string;
}

/** Lists dead letters of the outbox, oldest first, at most `limit`, without the first `offset`. */
export async function listDeadLetters(
  { pool, schema }: OutboxTablesLocation,
  topic: string,
  filter: DeadLetterFilter,
  limit: number,
  offset = 0,
): Promise<DeadLetter[]> {
  const { rows } = await pool.query<StoredDeadLetterRow>(
    `SELECT id, key, version, payload::text AS payload, attempts, error,
            (extract(epoch FROM created_at) * 1000)::float8 AS created_ms,
            (extract(epoch FROM set_aside_at) * 1000)::float8 AS aside_ms
     FROM ${schema}.outbox WHERE ${IS_MATCHING_DEAD_LETTER_SQL} ORDER BY id LIMIT $6 OFFSET $7`,
    [...createDeadLetterFilterParameters(topic, filter), limit, offset],
  );
  return rows.map(({ created_ms, aside_ms, ...row }) => ({
    ...row,
    id: Number(row.id),
    payload: decodeDatesInJsonValue(JSON.parse(row.payload)),
    createdAt: new Date(created_ms),
    deadLetteredAt: new Date(aside_ms),
  }));
}

/** Requeues dead letters of the outbox and resets their failure count. Returns the number of requeued rows. */
export async function requeueDeadLetterRows(
  { pool, schema }: OutboxTablesLocation,
  topic: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { rows } = await pool.query(
    `UPDATE ${schema}.outbox SET set_aside_at = NULL, attempts = 0, not_before = NULL WHERE ${IS_MATCHING_DEAD_LETTER_SQL} RETURNING id`,
    createDeadLetterFilterParameters(topic, filter),
  );
  return rows.length;
}

/**
 * Deletes dead letters of the outbox. The work of the deleted rows is never done. Returns the number of deleted rows.
 */
export async function discardDeadLetterRows(
  { pool, schema }: OutboxTablesLocation,
  topic: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { rows } = await pool.query(
    `DELETE FROM ${schema}.outbox WHERE ${IS_MATCHING_DEAD_LETTER_SQL} RETURNING id`,
    createDeadLetterFilterParameters(topic, filter),
  );
  return rows.length;
}
