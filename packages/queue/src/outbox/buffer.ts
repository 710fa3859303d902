import { randomUUID } from 'node:crypto';
import type { QueueTx } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../usage-error.js';

/** A row to be inserted. `payload` and `context` are JSON text. */
export interface NewRow {
  topic: string;
  realm: string;
  version: number;
  payload: string;
  key: string | null;
  notBefore: Date | null;
  context: string | null;
  audience: string | null;
  weight: number;
  /** Payload as parsed by the schema, if there is one; saves a second parse. */
  parsed?: unknown;
  /** True if `key` is locked before the row is inserted. */
  locksKey?: boolean;
  /** True for a row of a message type that is ordered by key. */
  isOrdered?: boolean;
}

/** Drain to run: a message type, and for event log rows their realm (otherwise ''). */
export interface DrainTarget {
  topic: string;
  realm: string;
}

const columns = [
  'topic',
  'realm',
  'version',
  'payload',
  'key',
  'notBefore',
  'context',
  'audience',
  'weight',
] as const satisfies readonly (keyof NewRow)[];

/** Drain to wake after a commit. */
export interface Woken {
  readonly target: DrainTarget;
  /** Remaining work of a drain that began before the commit. Resolves to null if a new drain has to do everything. */
  readonly afterCommitTask?: Promise<(() => Promise<void>) | null>;
}

/**
 * Maximum rows of an ordered message type in a small transaction. Larger transactions are dispatched in rotation with
 * others.
 */
const mostSingleRows = 50;

/**
 * Returns the value of `realm` for the rows of an ordered message type that one transaction adds: empty for a few rows,
 * otherwise a name unique to the transaction, so that its rows can be found separately.
 */
export function realmOfRows(count: number): string {
  return count > mostSingleRows ? `bulk:${randomUUID()}` : '';
}

interface Pending {
  rows: NewRow[];
  /**
   * Unique name of the transaction in its rows of ordered message types, by type, once there are many rows. A later
   * flush reuses it.
   */
  realms: Map<string, string>;
  flushed: Map<string, Woken>;
}

// INSERT of one row, the usual case. It takes the server half the time of unnesting arrays.
const INSERT_ONE = `
  INSERT INTO queue.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

// INSERT of several rows. WITH ORDINALITY makes ids follow the order in which the rows were added.
const INSERT_MANY = `
  INSERT INTO queue.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
  SELECT r.topic, r.realm, r.version, r.payload::json, r.key, r.not_before, r.context::json, r.audience, r.weight
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::int[])
       WITH ORDINALITY AS r (topic, realm, version, payload, key, not_before, context, audience, weight, ordinal)
  ORDER BY r.ordinal`;

/** Returns the values of a row in the order of the columns. */
export function insertValues(row: NewRow): unknown[] {
  return columns.map((column) => row[column]);
}

/**
 * Inserts rows in one statement; sends none for no rows.
 *
 * @throws Error of the database
 */
export async function insertRows(tx: QueueTx, rows: readonly NewRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  if (rows.length === 1) await tx.query(INSERT_ONE, insertValues(first));
  else
    await tx.query(
      INSERT_MANY,
      columns.map((column) => rows.map((row) => row[column])),
    );
}

/**
 * Rows of open transactions, buffered until immediately before COMMIT. All row locks are taken by then, so that the ids
 * of conflicting writes agree with the order of their commits (docs/contract/event-log.md 2.1).
 */
export class RowBuffer {
  private readonly pending = new WeakMap<TransactionHandle, Pending>();

  /**
   * Buffers `row` for the flush of its transaction. The rows of a rolled-back transaction are dropped with its handle.
   */
  add(tx: TransactionHandle, row: NewRow): void {
    this.of(tx).rows.push(row);
  }

  /** Registers that a statement of the caller inserts rows for `target` itself (see `Outbox.insertSql`). */
  expect(tx: TransactionHandle, target: DrainTarget): void {
    this.of(tx).flushed.set(`${target.topic}\n${target.realm}`, { target });
  }

  private of(tx: TransactionHandle): Pending {
    const known = this.pending.get(tx);
    if (known) return known;
    const pending: Pending = { rows: [], realms: new Map(), flushed: new Map() };
    this.pending.set(tx, pending);
    tx.addCommitCheck(() => {
      const { length } = pending.rows;
      if (length > 0) throw new QueueUsageError(`${length} outbox rows were added after the last flush`);
    });
    return pending;
  }

  /** Removes and returns the rows added to `tx` that are not inserted yet. The caller must insert them now. */
  takeRows(tx: TransactionHandle): NewRow[] {
    const pending = this.pending.get(tx);
    const rows = pending?.rows.splice(0) ?? [];
    for (const { topic, realm } of rows) {
      pending?.flushed.set(`${topic}\n${realm}`, { target: { topic, realm } });
    }
    return pending === undefined ? [] : apart(rows, pending.realms);
  }

  /** Returns the drains to wake when `tx` commits, for the rows that were sent to the server. */
  sent(tx: TransactionHandle): DrainTarget[] {
    return [...(this.pending.get(tx)?.flushed.values() ?? [])].map(({ target }) => target);
  }

  /** Marks the drain of `target` as started inside `tx`. */
  begin(tx: TransactionHandle, target: DrainTarget, afterCommitTask: NonNullable<Woken['afterCommitTask']>): void {
    this.pending.get(tx)?.flushed.set(`${target.topic}\n${target.realm}`, { target, afterCommitTask });
  }

  /**
   * Removes the entry of the transaction. Returns the drains to run now, and in `hadRows` whether there was an entry.
   */
  take(tx: TransactionHandle): { hadRows: boolean; targets: Woken[] } {
    const pending = this.pending.get(tx);
    this.pending.delete(tx);
    return { hadRows: pending !== undefined, targets: [...(pending?.flushed.values() ?? [])] };
  }
}

/** Marks the rows of ordered message types of a transaction that has many of them with its unique name. */
function apart(rows: NewRow[], realms: Map<string, string>): NewRow[] {
  if (rows.length <= mostSingleRows && realms.size === 0) return rows;
  const counts = new Map<string, number>();
  for (const { topic, isOrdered } of rows) if (isOrdered === true) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  for (const [topic, count] of counts) {
    if (!realms.has(topic) && count > mostSingleRows) realms.set(topic, realmOfRows(count));
  }
  return rows.map((row) => {
    const realm = row.isOrdered === true ? realms.get(row.topic) : undefined;
    return realm === undefined ? row : { ...row, realm };
  });
}
