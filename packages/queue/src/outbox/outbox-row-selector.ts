import type { QueueTx } from '../database.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import { createOutboxRowSelectionSql } from './row-selection-sql.js';

/** An outbox row in the form that is stored in PostgreSQL. `payload` and `context` are JSON text. */
export interface StoredOutboxRow {
  id: string | number;
  key: string | null;
  version: number;
  payload: string;
  attempts: number;
  created_at_ms: number;
  context: string | null;
  /** True if the outbox row was added by a transaction with many rows. */
  bulk: boolean;
  /** True if the outbox row may be dispatched now. If false, later rows with the same key must wait for this row. */
  ready: boolean;
}

/** An outbox row of a batch, with the number of rows that were locked for the batch. */
interface SelectedOutboxRow extends StoredOutboxRow {
  selected: number;
}

/** An outbox row of an ordered message type, with the number of keys in its batch. */
interface LockedOutboxRow extends SelectedOutboxRow {
  keys: number;
  last_key: string;
}

/**
 * Selects the outbox rows of one message type that a transaction dispatches next, and locks them against other
 * processes.
 */
export class OutboxRowSelector {
  /**
   * Last key of the previous batch in the pass over all keys. The next batch of the pass begins after this key, so that
   * every key is reached.
   */
  private after: string | null = null;
  /**
   * Number of the next batch of an ordered message type. The number selects the method by which the outbox rows of the
   * batch are chosen; the methods alternate.
   */
  private turn = 0;
  /** True if rows of the last batch were omitted because the payloads together were too large. */
  private hasOmittedRows = false;

  private readonly sql: ReturnType<typeof createOutboxRowSelectionSql>;

  constructor(
    schema: string,
    private readonly topic: OutboxMessageType<unknown>,
    private readonly batchSize: number,
  ) {
    this.sql = createOutboxRowSelectionSql(schema);
  }

  /**
   * SQL that returns a row if any outbox row of the message type is ready, even one that another process has locked.
   * The SQL has no parameters.
   */
  get selectAnyReadyRowSql(): string {
    return this.sql.anyReady(this.topic.name, this.topic.version);
  }

  /** True if the last batch ended early because its payloads together would have been too large. */
  get isBatchCut(): boolean {
    return this.hasOmittedRows;
  }

  /**
   * Locks and returns the next batch of outbox rows in the order of ids. If the batch is empty, no row is ready, or
   * other processes have locked all ready rows. The payloads of a batch have at most 16 MiB, except a batch of one row.
   *
   * @param limit maximum number of rows; default: the size of a batch
   */
  async lockNextRows(tx: QueueTx, limit = this.batchSize): Promise<StoredOutboxRow[]> {
    const isOrdered = this.topic.order === 'key';
    const rows = isOrdered
      ? await this.lockRowsByKey(tx, limit)
      : await this.runSelectionStatement<SelectedOutboxRow>(tx, limit, this.sql.lockAnyRows);
    this.hasOmittedRows = rows.length < (rows[0]?.selected ?? 0);
    if (!isOrdered) return rows;
    const held = new Set<string | null>();
    return rows.filter((row) => {
      if (!row.ready) held.add(row.key);
      return !held.has(row.key);
    });
  }

  /**
   * Locks and returns one outbox row if it is still ready. For an ordered message type, the row must also be the oldest
   * row of its key.
   */
  async lockReadyRow(tx: QueueTx, id: string | number): Promise<StoredOutboxRow[]> {
    const { name, version, order } = this.topic;
    return (await tx.query<StoredOutboxRow>(this.sql.lockOneRow[order], [name, version, id])).rows;
  }

  /**
   * Locks and returns outbox rows of several keys. Batches alternate between three methods: the oldest rows of small
   * transactions, the oldest rows of each large transaction, and a pass over all keys. The pass also reaches keys that
   * come after blocked keys.
   */
  private async lockRowsByKey(tx: QueueTx, limit: number): Promise<LockedOutboxRow[]> {
    for (let tried = 0; tried < 3; tried += 1) {
      const turn = this.turn;
      this.turn = (turn + 1) % 3;
      const rows =
        turn === 2
          ? await this.lockRowsAfterKey(tx, limit)
          : await this.runSelectionStatement<LockedOutboxRow>(
              tx,
              limit,
              turn === 0 ? this.sql.lockSmallTransactionRows : this.sql.lockLargeTransactionRows,
            );
      if (rows.length > 0) return rows;
    }
    return [];
  }

  /**
   * Locks and returns outbox rows in the order of their keys. Starts after the last key of the previous batch, and
   * starts again with the first key after the last key.
   */
  private async lockRowsAfterKey(tx: QueueTx, limit: number): Promise<LockedOutboxRow[]> {
    let rows =
      this.after === null
        ? []
        : await this.runSelectionStatement<LockedOutboxRow>(tx, limit, this.sql.lockRowsAfterKey, [this.after]);
    if (rows.length === 0) rows = await this.runSelectionStatement<LockedOutboxRow>(tx, limit, this.sql.lockRowsByKey);
    const [first] = rows;
    this.after = first && first.keys >= limit ? first.last_key : null;
    return rows;
  }

  private async runSelectionStatement<R extends SelectedOutboxRow>(
    tx: QueueTx,
    limit: number,
    statement: string,
    further: readonly unknown[] = [],
  ): Promise<R[]> {
    const { name, version } = this.topic;
    return (await tx.query<R>(statement, [name, version, limit, ...further])).rows;
  }
}
