import { randomUUID } from 'node:crypto';
import type { QueueTx } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { createSqlCacheBySchema } from '../queue-schema.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** An outbox row to be inserted. `payload` and `context` are JSON text. */
export interface NewOutboxRow {
  topic: string;
  realm: string;
  version: number;
  payload: string;
  key: string | null;
  notBefore: Date | null;
  context: string | null;
  audience: string | null;
  weight: number;
  /** Payload of the outbox row, already parsed by the schema. If the field is set, the row need not be parsed again. */
  parsed?: unknown;
  /** True if the key of the outbox row is locked before the row is inserted. */
  locksKey?: boolean;
  /** True if the outbox row belongs to a message type that is ordered by key. */
  isOrdered?: boolean;
}

/**
 * Key of outbox rows that are dispatched together. The key consists of the message type and, for event log rows, the
 * realm; for other rows the realm is ''.
 */
export interface OutboxDispatchTarget {
  topic: string;
  realm: string;
}

const outboxRowColumnNames = [
  'topic',
  'realm',
  'version',
  'payload',
  'key',
  'notBefore',
  'context',
  'audience',
  'weight',
] as const satisfies readonly (keyof NewOutboxRow)[];

/** Outbox rows that must be dispatched after a commit. */
export interface DispatchTargetAfterCommit {
  readonly target: OutboxDispatchTarget;
  /**
   * Promise of the function that completes dispatching after the commit, if dispatching began before the commit.
   * Resolves to null if the whole dispatch must run after the commit.
   */
  readonly afterCommitTask?: Promise<(() => Promise<void>) | null>;
}

/**
 * Maximum number of outbox rows of an ordered message type in a small transaction. Rows of larger transactions are
 * dispatched alternately with the rows of other transactions.
 */
const maxRowsOfSmallTransaction = 50;

/**
 * Returns the value of the column `realm` for the outbox rows of an ordered message type in one transaction. The value
 * is empty for few rows. For many rows, the value is a unique name of the transaction, by which the transaction's rows
 * can be found.
 */
export function getCommonRealmOfRows(count: number): string {
  return count > maxRowsOfSmallTransaction ? `bulk:${randomUUID()}` : '';
}

interface UnsentOutboxRowsOfTransaction {
  rows: NewOutboxRow[];
  /**
   * Unique names of a transaction, by ordered message type. A message type has a name if the transaction adds many rows
   * of the type. All calls of `flush` in the transaction use that name.
   */
  realms: Map<string, string>;
  flushed: Map<string, DispatchTargetAfterCommit>;
}

// INSERT of one row, the usual case. It takes the server half the time of unnesting arrays.
const insertOneOutboxRowSql = createSqlCacheBySchema(
  (schema) => `
  INSERT INTO ${schema}.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

// INSERT of several rows. WITH ORDINALITY makes ids follow the order in which the rows were added.
const insertManyOutboxRowsSql = createSqlCacheBySchema(
  (schema) => `
  INSERT INTO ${schema}.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
  SELECT r.topic, r.realm, r.version, r.payload::json, r.key, r.not_before, r.context::json, r.audience, r.weight
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::int[])
       WITH ORDINALITY AS r (topic, realm, version, payload, key, not_before, context, audience, weight, ordinal)
  ORDER BY r.ordinal`,
);

/** Returns the values of an outbox row in the order of the table's columns. */
export function listOutboxRowInsertValues(row: NewOutboxRow): unknown[] {
  return outboxRowColumnNames.map((column) => row[column]);
}

/**
 * Inserts outbox rows in one statement. Sends no statement if `rows` is empty.
 *
 * @throws Error of the database
 */
export async function insertOutboxRows(tx: QueueTx, schema: string, rows: readonly NewOutboxRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  if (rows.length === 1) await tx.query(insertOneOutboxRowSql(schema), listOutboxRowInsertValues(first));
  else
    await tx.query(
      insertManyOutboxRowsSql(schema),
      outboxRowColumnNames.map((column) => rows.map((row) => row[column])),
    );
}

/**
 * Buffers the outbox rows of open transactions until immediately before COMMIT. At that time the transaction has taken
 * all its row locks. The ids of conflicting writes therefore have the order of their commits
 * (docs/contract/event-log.md 2.1).
 */
export class OutboxRowBuffer {
  private readonly pending = new WeakMap<TransactionHandle, UnsentOutboxRowsOfTransaction>();

  /** Buffers an outbox row until the flush of its transaction. If the transaction rolls back, the row is dropped. */
  bufferRow(tx: TransactionHandle, row: NewOutboxRow): void {
    this.getUnsentRowsOfTransaction(tx).rows.push(row);
  }

  /**
   * Registers that a statement of the caller inserts outbox rows itself (see `Outbox.insertSql`), so that the inserted
   * rows are dispatched after the commit.
   */
  registerRowsInsertedByCaller(tx: TransactionHandle, target: OutboxDispatchTarget): void {
    this.getUnsentRowsOfTransaction(tx).flushed.set(`${target.topic}\n${target.realm}`, { target });
  }

  private getUnsentRowsOfTransaction(tx: TransactionHandle): UnsentOutboxRowsOfTransaction {
    const known = this.pending.get(tx);
    if (known) return known;
    const pending: UnsentOutboxRowsOfTransaction = { rows: [], realms: new Map(), flushed: new Map() };
    this.pending.set(tx, pending);
    tx.addCommitCheck(() => {
      const { length } = pending.rows;
      if (length > 0) throw new QueueUsageError(`${length} outbox rows were added after the last flush`);
    });
    return pending;
  }

  /**
   * Removes from the buffer and returns the outbox rows of `tx` that are not inserted yet. The caller must insert the
   * returned rows now.
   */
  removeUnsentRows(tx: TransactionHandle): NewOutboxRow[] {
    const pending = this.pending.get(tx);
    const rows = pending?.rows.splice(0) ?? [];
    for (const { topic, realm } of rows) {
      pending?.flushed.set(`${topic}\n${realm}`, { target: { topic, realm } });
    }
    return pending === undefined ? [] : writeTransactionNameIntoRows(rows, pending.realms);
  }

  /**
   * Returns the message types and realms whose outbox rows must be dispatched when `tx` commits. These rows were
   * already sent to the database server.
   */
  listTargetsOfSentRows(tx: TransactionHandle): OutboxDispatchTarget[] {
    return [...(this.pending.get(tx)?.flushed.values() ?? [])].map(({ target }) => target);
  }

  /** Records that the dispatch of the outbox rows of `target` has begun inside transaction `tx`. */
  recordBegunDispatch(
    tx: TransactionHandle,
    target: OutboxDispatchTarget,
    afterCommitTask: NonNullable<DispatchTargetAfterCommit['afterCommitTask']>,
  ): void {
    this.pending.get(tx)?.flushed.set(`${target.topic}\n${target.realm}`, { target, afterCommitTask });
  }

  /**
   * Removes the record of a transaction. Returns the message types and realms whose outbox rows must be dispatched now.
   * `hadRows` is true if the transaction had a record.
   */
  removeTransactionRecord(tx: TransactionHandle): { hadRows: boolean; targets: DispatchTargetAfterCommit[] } {
    const pending = this.pending.get(tx);
    this.pending.delete(tx);
    return { hadRows: pending !== undefined, targets: [...(pending?.flushed.values() ?? [])] };
  }
}

/**
 * Writes the unique name of the transaction into its outbox rows of an ordered message type, if the transaction has
 * many rows of that type.
 */
function writeTransactionNameIntoRows(rows: NewOutboxRow[], realms: Map<string, string>): NewOutboxRow[] {
  if (rows.length <= maxRowsOfSmallTransaction && realms.size === 0) return rows;
  const counts = new Map<string, number>();
  for (const { topic, isOrdered } of rows) if (isOrdered === true) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  for (const [topic, count] of counts) {
    if (!realms.has(topic) && count > maxRowsOfSmallTransaction) realms.set(topic, getCommonRealmOfRows(count));
  }
  return rows.map((row) => {
    const realm = row.isOrdered === true ? realms.get(row.topic) : undefined;
    return realm === undefined ? row : { ...row, realm };
  });
}
