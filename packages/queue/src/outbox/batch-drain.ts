import { inPoolTransaction, isTransientDatabaseError, type QueuePool, type QueueTx } from '../database.js';
import { errorText, processClock, type QueueLogger, type TraceContext } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import { Pace } from './pace.js';
import { RowTaker, type StoredRow } from './row-taker.js';
import type { Topic } from './topic.js';

/** A row as its dispatcher receives it. */
export interface DispatchRow<P> {
  /** Grows with the order of insertion; a good part of a deterministic job id. */
  readonly id: number;
  readonly key: string | null;
  readonly payload: P;
  /** Earlier failures of this row. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** The request that caused the row. */
  readonly context: TraceContext;
  /** True for a row of a transaction with more than 50 rows of an ordered topic. */
  readonly bulk: boolean;
}

/**
 * Processes the rows. Writes go through `tx`, the transaction that deletes the rows, so that they commit together.
 * `afterCommit` is for work outside a transaction (adding jobs); anything it loses must be recoverable from the writes
 * of `tx`.
 */
export type Dispatcher<P> = (
  rows: readonly DispatchRow<P>[],
  tx: QueueTx,
) => Promise<void | { afterCommit?: () => Promise<void> }>;

/** Settings for draining a message type. */
export interface DrainSettings {
  /** Rows a transaction. */
  batchSize: number;
  /** Failures after which a row is set aside. */
  maxAttempts: number;
  /** Wait after the first failure of a row, in milliseconds; doubles with each further one. */
  retryDelayMs: number;
  /**
   * Minimum time between two reads of the topic in this process under load, in milliseconds: rows gather, so that a
   * batch serves many of them. A full batch is followed by the next immediately, and single rows are dispatched
   * immediately.
   */
  paceMs: number;
}

// A held-back row waits in not_before, as a row that was asked for later does.
const MARK_FAILED = `UPDATE queue.outbox SET attempts = attempts + 1, error = $2,
    not_before = clock_timestamp() + make_interval(secs => $3::float8 / 1000 * power(2, least(attempts, 10))),
    set_aside_at = CASE WHEN attempts + 1 >= $4 THEN clock_timestamp() END
  WHERE id = $1 RETURNING set_aside_at IS NOT NULL AS aside`;

const SET_ASIDE = `UPDATE queue.outbox o SET attempts = attempts + 1, error = u.error, set_aside_at = clock_timestamp()
  FROM unnest($1::bigint[], $2::text[]) AS u (id, error) WHERE o.id = u.id`;

/** Drains one topic: batches of rows, each in one transaction with what its dispatcher writes. */
export class BatchDrain<P> {
  /** Rows dispatched by this process since it began. */
  dispatched = 0;
  private readonly taker: RowTaker;
  /** True if rows were ready after the last batch; null if unchecked. */
  private isMoreReady: boolean | null = null;
  private isStopped = false;
  /** By the time that passes here: an injected clock that stands still would stop a drain for good. */
  private readonly pace: Pace;

  constructor(
    private readonly pool: QueuePool,
    private readonly topic: Topic<P, unknown>,
    private readonly dispatcher: Dispatcher<P>,
    private readonly settings: DrainSettings,
    private readonly logger: QueueLogger,
    private readonly faultPoint?: OnFaultPoint,
  ) {
    this.taker = new RowTaker(topic, settings.batchSize);
    this.pace = new Pace(settings.paceMs, processClock);
  }

  /**
   * Dispatches until no row is ready, or {@link stop} was called. Throws only faults of the database; rows that fail are
   * marked and left.
   */
  async drain(): Promise<void> {
    let taken = 0;
    do {
      if (taken < this.settings.batchSize) await this.pace.turn();
      if (this.isStopped) return;
      this.isMoreReady = null;
      taken = await this.batch();
      this.pace.took(taken);
    } while (this.goesOn(taken));
  }

  /** From now on nothing waits for others to gather with: the process is stopping. */
  hurry(): void {
    this.pace.hurry();
  }

  /** Takes no batch after the one in hand. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Returns true if the drain must read the rows again: a process that finds a key locked skips it, so that the lock
   * owner checks again afterwards.
   */
  private goesOn(taken: number): boolean {
    if (this.topic.order === 'none') return taken >= this.settings.batchSize;
    return taken > 0 && (this.isMoreReady ?? true);
  }

  /** Dispatches one batch. Returns the number of its rows, dispatched or failed. */
  private async batch(): Promise<number> {
    let stored: StoredRow[] = [];
    try {
      await this.transact(async (tx) => (stored = await this.taker.take(tx)));
    } catch (error) {
      if (isTransientDatabaseError(error) || stored.length === 0) throw error;
      if (stored.length === 1 && stored[0]) await this.markFailed(stored[0], error);
      else await this.dispatchSingly(stored);
    }
    return stored.length;
  }

  /**
   * Dispatches each row of a failed batch by itself, to find the one at fault. A failing row blocks its own key only.
   */
  private async dispatchSingly(stored: StoredRow[]): Promise<void> {
    const held = new Set<string>();
    for (const row of stored) {
      if (row.key !== null && held.has(row.key)) continue;
      try {
        await this.transact((tx) => this.taker.takeOne(tx, row.id));
      } catch (error) {
        if (isTransientDatabaseError(error)) throw error;
        if (row.key !== null && this.topic.order === 'key') held.add(row.key);
        await this.markFailed(row, error);
      }
    }
  }

  private async transact(take: (tx: QueueTx) => Promise<StoredRow[]>): Promise<void> {
    let afterCommit: (() => Promise<void>) | undefined;
    let count = 0;
    await inPoolTransaction(
      this.pool,
      async (tx) => {
        const rows = await this.readable(await take(tx), tx);
        if (rows.length === 0) return;
        const result = await this.dispatcher(rows, tx);
        afterCommit = result?.afterCommit;
        const dispatched = `DELETE FROM queue.outbox WHERE id IN (${rows.map((row) => row.id).join(', ')})`;
        tx.endWith(dispatched, this.taker.anyReady, (found) => (this.isMoreReady = found.length > 0));
        count = rows.length;
      },
      'dispatch',
    );
    this.dispatched += count;
    if (count > 0) this.faultPoint?.('outbox.after-dispatch');
    await afterCommit?.().catch((error: unknown) => {
      this.logger.error({ topic: this.topic.name, error: errorText(error) }, 'what follows a dispatch failed');
    });
  }

  /**
   * Parses rows for their dispatcher. Unreadable rows become dead letters immediately, because a retry reads the same.
   */
  private async readable(stored: readonly StoredRow[], tx: QueueTx): Promise<DispatchRow<P>[]> {
    const rows: DispatchRow<P>[] = [];
    const held = new Set<string>();
    const unreadable: { id: number; error: string }[] = [];
    for (const row of stored) {
      if (row.key !== null && held.has(row.key)) continue;
      try {
        rows.push(this.read(row));
      } catch (error) {
        unreadable.push({ id: Number(row.id), error: errorText(error) });
        if (row.key !== null && this.topic.order === 'key') held.add(row.key);
      }
    }
    if (unreadable.length > 0) {
      await tx.query(SET_ASIDE, [unreadable.map(({ id }) => id), unreadable.map(({ error }) => error)]);
      this.logger.error({ topic: this.topic.name, unreadable: unreadable.slice(0, 10) }, 'outbox rows set aside');
    }
    return rows;
  }

  private read(row: StoredRow): DispatchRow<P> {
    return {
      id: Number(row.id),
      key: row.key,
      payload: this.topic.read(JSON.parse(row.payload), row.version),
      attempts: row.attempts,
      createdAt: new Date(row.created_at_ms),
      bulk: row.bulk,
      context: row.context === null ? {} : (JSON.parse(row.context) as TraceContext),
    };
  }

  private async markFailed(row: StoredRow, error: unknown): Promise<void> {
    const { maxAttempts, retryDelayMs } = this.settings;
    const { rows } = await this.pool.query<{ aside: boolean }>(MARK_FAILED, [
      row.id,
      errorText(error),
      retryDelayMs,
      maxAttempts,
    ]);
    const fields = { topic: this.topic.name, row: Number(row.id), attempt: row.attempts + 1, error: errorText(error) };
    if (rows[0]?.aside) this.logger.error(fields, 'outbox row set aside');
    else this.logger.warn(fields, 'outbox row failed and will be tried again');
  }
}
