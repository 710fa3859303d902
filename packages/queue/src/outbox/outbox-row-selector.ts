import type { QueueTx } from '../database.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import { createRowSelectionSql } from './row-selection-sql.js';

/** An outbox row as stored in PostgreSQL. `payload` and `context` are JSON text. */
export interface StoredOutboxRow {
  id: string | number;
  key: string | null;
  version: number;
  payload: string;
  attempts: number;
  created_at_ms: number;
  context: string | null;
  /** True if the row was added by a transaction with many rows. */
  bulk: boolean;
  /** True if the row may be dispatched now. Otherwise rows with the same key have to wait for it. */
  ready: boolean;
}

/** An outbox row of an ordered message type, with the number of keys in its batch. */
interface LockedOutboxRow extends StoredOutboxRow {
  keys: number;
  last_key: string;
}

/**
 * Selects the outbox rows of one message type that a transaction dispatches next, and locks them against other
 * processes.
 */
export class OutboxRowSelector {
  /**
   * Last key of the previous batch in the pass over all keys. The next batch of the pass begins after it, so that every
   * key is reached.
   */
  private after: string | null = null;
  /**
   * Number of the next batch of an ordered message type. It selects the method by which the batch is chosen; the
   * methods alternate.
   */
  private turn = 0;

  private readonly sql: ReturnType<typeof createRowSelectionSql>;

  constructor(
    schema: string,
    private readonly topic: OutboxMessageType<unknown>,
    private readonly batchSize: number,
  ) {
    this.sql = createRowSelectionSql(schema);
  }

  /**
   * SQL that returns a row if any outbox row of the message type is ready, even one that another process has locked. It
   * has no parameters.
   */
  get isAnyRowReadySql(): string {
    return this.sql.anyReady(this.topic.name, this.topic.version);
  }

  /**
   * Locks and returns the next batch of outbox rows in the order of ids. If it is empty, no row is ready, or other
   * processes have locked all ready rows.
   *
   * @param limit maximum number of rows; default: the size of a batch
   */
  async lockNextRows(tx: QueueTx, limit = this.batchSize): Promise<StoredOutboxRow[]> {
    const { name, version, order } = this.topic;
    if (order === 'none') return (await tx.query<StoredOutboxRow>(this.sql.lockAnyRows, [name, version, limit])).rows;
    const rows = await this.lockRowsByKey(tx, limit);
    const held = new Set<string | null>();
    return rows.filter((row) => {
      if (!row.ready) held.add(row.key);
      return !held.has(row.key);
    });
  }

  /**
   * Locks and returns one outbox row if it is still ready. For an ordered message type, it must also be the oldest of
   * its key.
   */
  async lockOneRow(tx: QueueTx, id: string | number): Promise<StoredOutboxRow[]> {
    const { name, version, order } = this.topic;
    return (await tx.query<StoredOutboxRow>(this.sql.lockOneRow[order], [name, version, id])).rows;
  }

  /**
   * Locks and returns outbox rows of several keys. Batches alternate between three methods: the oldest rows of small
   * transactions, the oldest rows of each large transaction, and a pass over all keys. The pass also reaches keys that
   * follow blocked ones.
   */
  private async lockRowsByKey(tx: QueueTx, limit: number): Promise<LockedOutboxRow[]> {
    for (let tried = 0; tried < 3; tried += 1) {
      const turn = this.turn;
      this.turn = (turn + 1) % 3;
      const rows =
        turn === 2
          ? await this.lockRowsAfterKey(tx, limit)
          : await this.runStatement(
              tx,
              limit,
              turn === 0 ? this.sql.lockSmallTransactionRows : this.sql.lockLargeTransactionRows,
            );
      if (rows.length > 0) return rows;
    }
    return [];
  }

  /**
   * Locks and returns outbox rows in the order of their keys, starting after the last key of the previous batch of the
   * pass. At the end of the keys, the pass starts again.
   */
  private async lockRowsAfterKey(tx: QueueTx, limit: number): Promise<LockedOutboxRow[]> {
    let rows = this.after === null ? [] : await this.runStatement(tx, limit, this.sql.lockRowsAfterKey, [this.after]);
    if (rows.length === 0) rows = await this.runStatement(tx, limit, this.sql.lockRowsByKey);
    const [first] = rows;
    this.after = first && first.keys >= limit ? first.last_key : null;
    return rows;
  }

  private async runStatement(
    tx: QueueTx,
    limit: number,
    statement: string,
    further: readonly unknown[] = [],
  ): Promise<LockedOutboxRow[]> {
    const { name, version } = this.topic;
    return (await tx.query<LockedOutboxRow>(statement, [name, version, limit, ...further])).rows;
  }
}
