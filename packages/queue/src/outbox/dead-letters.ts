import type { QueuePool } from '../database.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { DEFAULT_MAX_READ_BYTES } from '../size-limits.js';

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
  /** True if the payload is null because the payloads of the list exceed its maximum size. */
  isShortened?: true;
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
  /** Null if the payloads of the list are too large. */
  payload: string | null;
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

/**
 * Selection of dead letters in a list: at most `limit` (default 100), without the first `offset`. Payloads are omitted from
 * the first dead letter at which their total size exceeds `maxBytes` bytes (default 4 MiB; `Infinity` for no maximum).
 */
export type DeadLetterSelection = [filter?: DeadLetterFilter, limit?: number, offset?: number, maxBytes?: number];

/** Lists dead letters of the outbox, oldest first. Omitted payloads stay in PostgreSQL. */
export async function listDeadLetters(
  { pool, schema }: OutboxTablesLocation,
  topic: string,
  ...[filter = {}, limit = 100, offset = 0, maxBytes = DEFAULT_MAX_READ_BYTES]: DeadLetterSelection
): Promise<DeadLetter[]> {
  const { rows } = await pool.query<StoredDeadLetterRow>(
    `SELECT id, key, version, attempts, error,
            CASE WHEN $8::bigint IS NULL OR sum(octet_length(payload::text)) OVER (ORDER BY id) <= $8
              THEN payload::text END AS payload,
            (extract(epoch FROM created_at) * 1000)::float8 AS created_ms,
            (extract(epoch FROM set_aside_at) * 1000)::float8 AS aside_ms
     FROM (
       SELECT * FROM ${schema}.outbox WHERE ${IS_MATCHING_DEAD_LETTER_SQL} ORDER BY id LIMIT $6 OFFSET $7
     ) listed ORDER BY id`,
    [...createDeadLetterFilterParameters(topic, filter), limit, offset, maxBytes === Infinity ? null : maxBytes],
  );
  return rows.map(({ created_ms, aside_ms, payload, ...row }) => ({
    ...row,
    id: Number(row.id),
    payload: payload === null ? null : decodeDatesInJsonValue(JSON.parse(payload)),
    createdAt: new Date(created_ms),
    deadLetteredAt: new Date(aside_ms),
    ...(payload === null ? { isShortened: true as const } : {}),
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
