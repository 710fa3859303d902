import type { DeadLetter, OutboxTablesLocation } from '../outbox/dead-letters.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { DEFAULT_MAX_READ_BYTES } from '../size-limits.js';
import type { DeadLetterCursor } from './parse-options.js';

/** Conditions that select the dead letters (failed outbox messages) that a command lists or changes. */
export interface DeadLetterSelection {
  readonly ids: readonly number[];
  readonly type: string | null;
  /** Time before which the rows became dead letters, as text that PostgreSQL can parse; null for any time. */
  readonly before: string | null;
}

/** A dead letter (failed outbox message) with its message type. */
export interface ListedDeadLetter extends DeadLetter {
  readonly type: string;
}

interface StoredDeadLetter {
  readonly id: number;
  readonly type: string;
  readonly key: string | null;
  readonly version: number;
  /** Null if payloads are not read. */
  readonly payload: string | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdMs: number;
  readonly deadLetteredMs: number;
  /** Number of rows that the statement found, including the row after the page. */
  readonly total: number;
}

/** A page of dead letters (failed outbox messages). */
export interface DeadLetterPage {
  readonly deadLetters: readonly ListedDeadLetter[];
  readonly hasMore: boolean;
}

/**
 * Returns the SQL condition and its parameters for a selection of dead letters after a cursor. The order of the cursor
 * is the order of the index of dead letters.
 */
function whereSql({ ids, type, before }: DeadLetterSelection, after: DeadLetterCursor | null) {
  const params: unknown[] = [];
  const parameter = (value: unknown): string => `$${params.push(value)}`;
  const conditions = ['set_aside_at IS NOT NULL'];
  if (ids.length > 0) conditions.push(`id = ANY (${parameter(ids)}::bigint[])`);
  if (type !== null) conditions.push(`topic = ${parameter(type)}`);
  if (before !== null) conditions.push(`set_aside_at < ${parameter(before)}::timestamptz`);
  if (after !== null) conditions.push(`(topic, id) > (${parameter(after.type)}, ${parameter(after.id)}::bigint)`);
  return { where: conditions.join(' AND '), params };
}

/**
 * Reads a page of at most `limit` dead letters, ordered by message type and id. With payloads, the page also ends before
 * its payloads exceed {@link DEFAULT_MAX_READ_BYTES}, but has at least one row.
 */
export async function readDeadLetters(
  { pool, schema }: OutboxTablesLocation,
  selection: DeadLetterSelection,
  page: { readonly after: DeadLetterCursor | null; readonly limit: number; readonly withPayloads: boolean },
): Promise<DeadLetterPage> {
  const { where, params } = whereSql(selection, page.after);
  const { rows } = await pool.query<StoredDeadLetter>(
    `SELECT id::float8 AS id, topic AS type, key, version, attempts, error, total::float8 AS total,
            ${page.withPayloads ? 'payload::text' : 'NULL'} AS payload,
            (extract(epoch FROM created_at) * 1000)::float8 AS "createdMs",
            (extract(epoch FROM set_aside_at) * 1000)::float8 AS "deadLetteredMs"
     FROM (
       SELECT *, row_number() OVER ordered AS number, count(*) OVER () AS total,
              ${page.withPayloads ? 'sum(octet_length(payload::text)) OVER ordered' : '0'} AS bytes
       FROM (
         SELECT * FROM ${schema}.outbox WHERE ${where} ORDER BY topic, id LIMIT ${page.limit + 1}
       ) selected WINDOW ordered AS (ORDER BY topic, id)
     ) listed
     WHERE number <= ${page.limit} AND (number = 1 OR bytes <= ${DEFAULT_MAX_READ_BYTES}) ORDER BY topic, id`,
    params,
  );
  const deadLetters = rows.map(({ createdMs, deadLetteredMs, payload, total: _, ...row }) => ({
    ...row,
    payload: payload === null ? null : decodeDatesInJsonValue(JSON.parse(payload)),
    createdAt: new Date(createdMs),
    deadLetteredAt: new Date(deadLetteredMs),
  }));
  return { deadLetters, hasMore: rows.length < (rows[0]?.total ?? 0) };
}

/** Counts the dead letters that match a selection. Stops counting at `limit`. */
export async function countDeadLetters(
  { pool, schema }: OutboxTablesLocation,
  selection: DeadLetterSelection,
  limit: number,
): Promise<number> {
  const { where, params } = whereSql(selection, null);
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM (SELECT FROM ${schema}.outbox WHERE ${where} LIMIT ${limit}) AS selected`,
    params,
  );
  return rows[0]?.count ?? 0;
}

/** Maximum number of dead letters that one statement changes. */
const BATCH_SIZE = 1_000;

export interface ChangedDeadLetters {
  readonly count: number;
  /** Message types of the changed rows, whose workers should be woken. */
  readonly types: ReadonlySet<string>;
}

/**
 * Changes at most `limit` dead letters that match a selection, in batches. The function `change` gets the ids of dead
 * letters of one message type, and returns the number of changed rows.
 */
export async function changeDeadLetters(
  tables: OutboxTablesLocation,
  selection: DeadLetterSelection,
  limit: number,
  change: (type: string, ids: readonly number[]) => Promise<number>,
): Promise<ChangedDeadLetters> {
  const types = new Set<string>();
  let after: DeadLetterCursor | null = null;
  let count = 0;
  for (let left = limit; left > 0;) {
    const page = await readIds(tables, selection, after, Math.min(left, BATCH_SIZE));
    for (const type of new Set(page.map((row) => row.type))) {
      const ids = page.filter((row) => row.type === type).map(({ id }) => id);
      count += await change(type, ids);
      types.add(type);
    }
    after = page.at(-1) ?? null;
    if (after === null) break;
    left -= page.length;
  }
  return { count, types };
}

async function readIds(
  { pool, schema }: OutboxTablesLocation,
  selection: DeadLetterSelection,
  after: DeadLetterCursor | null,
  limit: number,
): Promise<DeadLetterCursor[]> {
  const { where, params } = whereSql(selection, after);
  const { rows } = await pool.query<DeadLetterCursor>(
    `SELECT topic AS type, id::float8 AS id FROM ${schema}.outbox WHERE ${where} ORDER BY topic, id LIMIT ${limit}`,
    params,
  );
  return rows;
}
