import type { DeadLetter, OutboxTablesLocation } from '../outbox/dead-letters.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
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
  readonly payload: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdMs: number;
  readonly deadLetteredMs: number;
}

const COLUMNS = `id::float8 AS id, topic AS type, key, version, payload::text AS payload, attempts, error,
  (extract(epoch FROM created_at) * 1000)::float8 AS "createdMs",
  (extract(epoch FROM set_aside_at) * 1000)::float8 AS "deadLetteredMs"`;

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

/** Reads a page of at most `limit` dead letters, ordered by message type and id. */
export async function readDeadLetters(
  { pool, schema }: OutboxTablesLocation,
  selection: DeadLetterSelection,
  after: DeadLetterCursor | null,
  limit: number,
): Promise<ListedDeadLetter[]> {
  const { where, params } = whereSql(selection, after);
  const { rows } = await pool.query<StoredDeadLetter>(
    `SELECT ${COLUMNS} FROM ${schema}.outbox WHERE ${where} ORDER BY topic, id LIMIT ${limit}`,
    params,
  );
  return rows.map(({ createdMs, deadLetteredMs, payload, ...row }) => ({
    ...row,
    payload: decodeDatesInJsonValue(JSON.parse(payload)),
    createdAt: new Date(createdMs),
    deadLetteredAt: new Date(deadLetteredMs),
  }));
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
