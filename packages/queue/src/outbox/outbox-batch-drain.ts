import { findTracer } from '@switchboard/tracing';
import { runInPoolTransaction, isTransientDatabaseError, type QueuePool, type QueueTx } from '../database.js';
import { formatErrorText, processClock, type QueueLogger, type TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import { createSqlCacheBySchema } from '../queue-schema.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { OutboxRowsDispatcher, DispatchedOutboxRow } from './outbox-dispatcher.js';
import { dispatchOutboxRowsInSpan } from './dispatch-span.js';
import { OutboxReadThrottle } from './outbox-read-throttle.js';
import { OutboxRowSelector, type StoredOutboxRow } from './outbox-row-selector.js';
import type { OutboxMessageType } from './outbox-message-type.js';

/**
 * Function that receives the keys of a batch of outbox rows and returns the keys whose rows need the dispatcher. Rows
 * with other keys are deleted without being parsed, so that rows without an effect take little memory and time. The
 * function's statements go through `tx`, the transaction of the dispatcher.
 */
export type SelectKeysNeedingDispatch = (keys: readonly string[], tx: QueueTx) => Promise<ReadonlySet<string>>;

/** Settings for the dispatch of the outbox rows of a message type in batches. */
export interface OutboxBatchDispatchSettings {
  /**
   * Maximum number of outbox rows that one transaction dispatches. A batch with several rows also has at most 16 MiB of
   * payloads.
   */
  batchSize: number;
  /** Number of failures after which an outbox row becomes a dead letter. */
  maxAttempts: number;
  /** Delay after the first failure of an outbox row, in milliseconds. The delay doubles with each further failure. */
  retryDelayMs: number;
  /**
   * Minimum time between two reads of rows of the message type in this process under load, in milliseconds, so that a
   * batch contains many rows. After a full batch the next read follows immediately. Without load, rows are dispatched
   * immediately.
   */
  paceMs: number;
}

// UPDATE that records a failure of a row. The end of its retry delay is stored in not_before, like a requested dispatch
// time.
const recordRowFailureSql = createSqlCacheBySchema(
  (schema) => `UPDATE ${schema}.outbox SET attempts = attempts + 1, error = $2,
    not_before = clock_timestamp() + make_interval(secs => $3::float8 / 1000 * power(2, least(attempts, 10))),
    set_aside_at = CASE WHEN attempts + 1 >= $4 THEN clock_timestamp() END
  WHERE id = $1 RETURNING set_aside_at IS NOT NULL AS aside`,
);

// UPDATE that makes rows dead letters. A join with the ids might read the whole table, if its statistics are outdated.
const makeRowDeadLetterSql = createSqlCacheBySchema(
  (schema) => `UPDATE ${schema}.outbox SET attempts = attempts + 1, set_aside_at = clock_timestamp(),
    error = ($2::text[])[array_position($1::bigint[], id)]
  WHERE id = ANY ($1::bigint[])`,
);

/**
 * Function that returns the SQL statement that ends a dispatch of outbox rows, in place of a deletion of the rows.
 * After the statement, the rows must no longer be ready for dispatch.
 */
export type EndDispatchSqlProvider<P> = (rows: readonly DispatchedOutboxRow<P>[]) => string;

export interface OutboxBatchDispatcherSettings<P> extends OutboxBatchDispatchSettings {
  readonly selectKeys?: SelectKeysNeedingDispatch;
  readonly endSql?: EndDispatchSqlProvider<P>;
}

/**
 * Dispatches the outbox rows of one message type in batches. Each batch is one transaction, which includes the writes
 * of the dispatcher.
 */
export class OutboxBatchDispatcher<P> {
  /** Number of outbox rows that this process has dispatched since its start. */
  dispatched = 0;
  private readonly taker: OutboxRowSelector;
  /**
   * True if more outbox rows were ready after the last batch; null if the existence of further rows was not checked.
   */
  private isMoreReady: boolean | null = null;
  /**
   * True if the dispatcher did not handle all outbox rows of the last batch. The next batch contains the remaining
   * rows.
   */
  private hasUnhandled = false;
  /**
   * Maximum number of outbox rows in the next batch. If the dispatcher did not handle all rows of a batch, the maximum
   * becomes the number of handled rows. The maximum doubles with each batch that is handled completely.
   */
  private limit: number;
  private isStopped = false;
  private readonly tracer = findTracer('@switchboard/queue');
  /**
   * Limiter of the frequency of reads of outbox rows under load. The limiter uses the real clock, because an injected
   * clock that stands still would stop all work.
   */
  private readonly pace: OutboxReadThrottle;

  constructor(
    private readonly pool: QueuePool,
    /** SQL identifier of the schema with the outbox. */
    private readonly schema: string,
    private readonly topic: OutboxMessageType<P, unknown>,
    private readonly dispatcher: OutboxRowsDispatcher<P>,
    private readonly settings: OutboxBatchDispatcherSettings<P>,
    private readonly logger: QueueLogger,
    private readonly faultPoint?: FaultPointListener,
  ) {
    this.limit = settings.batchSize;
    this.taker = new OutboxRowSelector(schema, topic, settings.batchSize);
    this.pace = new OutboxReadThrottle(settings.paceMs, processClock);
  }

  /**
   * Dispatches outbox rows until none is ready or {@link stop} was called. A row that fails is marked with its error
   * and skipped.
   *
   * @throws Error only for faults of the database
   */
  async dispatchReadyOutboxRows(): Promise<void> {
    let taken = 0;
    let isFull = false;
    do {
      if (!isFull && !this.hasUnhandled) await this.pace.waitForNextRead();
      if (this.isStopped) return;
      this.isMoreReady = null;
      this.hasUnhandled = false;
      const { limit } = this;
      taken = await this.dispatchNextBatch(limit);
      const isCut = taken > 0 && this.taker.isBatchCut;
      // The omitted rows were read in vain, so that the next batch is about as large as the rest.
      if (isCut) this.limit = Math.min(this.limit, taken);
      isFull = taken >= limit || isCut;
      this.pace.recordRowCountOfRead(taken);
    } while (this.mayHaveMoreRows(taken, isFull));
  }

  /** Ends all waits for more outbox rows, because the process is stopping. */
  endWaits(): void {
    this.pace.endWaitsForReads();
  }

  /** Stops the dispatch of outbox rows after the current batch. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Returns true if the outbox must be read again for more rows. A process skips a key that another process has locked,
   * so the process with the lock has to check for more rows afterwards.
   */
  private mayHaveMoreRows(taken: number, isFull: boolean): boolean {
    if (this.topic.order === 'none') return isFull || this.hasUnhandled;
    return taken > 0 && (this.isMoreReady ?? true);
  }

  /** Dispatches one batch of outbox rows. Returns the number of rows in the batch, including failed rows. */
  private async dispatchNextBatch(limit: number): Promise<number> {
    let stored: StoredOutboxRow[] = [];
    try {
      await this.dispatchInTransaction(async (tx) => (stored = await this.taker.lockNextRows(tx, limit)));
    } catch (error) {
      if (isTransientDatabaseError(error) || stored.length === 0) throw error;
      if (stored.length === 1 && stored[0]) await this.markRowFailed(stored[0], error);
      else await this.dispatchRowsSeparately(stored);
    }
    return stored.length;
  }

  /**
   * Dispatches each row of a failed batch separately to find the failing row. A failing row delays only rows with an
   * equal key.
   */
  private async dispatchRowsSeparately(stored: StoredOutboxRow[]): Promise<void> {
    const held = new Set<string>();
    for (const row of stored) {
      if (row.key !== null && held.has(row.key)) continue;
      try {
        await this.dispatchInTransaction((tx) => this.taker.lockReadyRow(tx, row.id));
      } catch (error) {
        if (isTransientDatabaseError(error)) throw error;
        if (row.key !== null && this.topic.order === 'key') held.add(row.key);
        await this.markRowFailed(row, error);
      }
    }
  }

  private dispatchInTransaction(take: (tx: QueueTx) => Promise<StoredOutboxRow[]>): Promise<void> {
    const { tracer, topic, dispatcher } = this;
    if (tracer === null) return this.lockAndDispatchRows(take, dispatcher);
    return dispatchOutboxRowsInSpan(tracer, topic.name, dispatcher, (traced) => this.lockAndDispatchRows(take, traced));
  }

  private async lockAndDispatchRows(
    take: (tx: QueueTx) => Promise<StoredOutboxRow[]>,
    dispatcher: OutboxRowsDispatcher<P>,
  ): Promise<void> {
    let afterCommit: (() => Promise<void>) | undefined;
    let count = 0;
    await runInPoolTransaction(
      this.pool,
      async (tx) => {
        const { needed, skipped } = await this.divideRowsNeedingDispatch(await take(tx), tx);
        const found = await this.parseRows(needed, tx);
        if (skipped.length + found.length === 0) return;
        const result = found.length === 0 ? undefined : await dispatcher(found, tx);
        const rows = this.selectRowsHandledByDispatcher(found, result?.handledRows ?? found.length);
        const ended = [...skipped, ...rows].map((row) => Number(row.id));
        afterCommit = result?.afterCommit;
        const deletion = `DELETE FROM ${this.schema}.outbox WHERE id IN (${ended.join(', ')})`;
        const dispatched = this.settings.endSql?.(rows) ?? deletion;
        tx.endWith(dispatched, this.taker.selectAnyReadyRowSql, (ready) => (this.isMoreReady = ready.length > 0));
        count = ended.length;
      },
      'dispatch',
    );
    this.dispatched += count;
    if (count > 0) this.faultPoint?.('outbox.after-dispatch');
    await afterCommit?.().catch((error: unknown) => {
      this.logger.error({ topic: this.topic.name, error: formatErrorText(error) }, 'work after a dispatch failed');
    });
  }

  /**
   * Returns the outbox rows whose work the dispatcher has done. The other rows of the batch remain ready for dispatch.
   *
   * @throws QueueUsageError if the dispatcher has done no work, because the same rows would be dispatched forever
   */
  private selectRowsHandledByDispatcher(
    rows: readonly DispatchedOutboxRow<P>[],
    count: number,
  ): readonly DispatchedOutboxRow<P>[] {
    if (rows.length > 0 && !(count >= 1)) {
      throw new QueueUsageError(`The dispatcher of ${this.topic.name} handled ${count} of ${rows.length} rows`);
    }
    const handled = rows.slice(0, count);
    this.hasUnhandled = handled.length < rows.length;
    this.limit = this.hasUnhandled ? handled.length : Math.min(this.settings.batchSize, 2 * this.limit);
    return handled;
  }

  /** Divides outbox rows into rows that need the dispatcher and rows that do not. */
  private async divideRowsNeedingDispatch(
    stored: readonly StoredOutboxRow[],
    tx: QueueTx,
  ): Promise<{ readonly needed: readonly StoredOutboxRow[]; readonly skipped: readonly StoredOutboxRow[] }> {
    const { selectKeys } = this.settings;
    const keys = new Set(stored.flatMap(({ key }) => key ?? []));
    if (selectKeys === undefined || keys.size === 0) return { needed: stored, skipped: [] };
    const selected = await selectKeys([...keys], tx);
    const isNeeded = ({ key }: StoredOutboxRow): boolean => key === null || selected.has(key);
    return { needed: stored.filter(isNeeded), skipped: stored.filter((row) => !isNeeded(row)) };
  }

  /**
   * Parses outbox rows for their dispatcher. Rows that cannot be parsed become dead letters immediately, because a
   * retry of the parse would fail too.
   */
  private async parseRows(stored: readonly StoredOutboxRow[], tx: QueueTx): Promise<DispatchedOutboxRow<P>[]> {
    const rows: DispatchedOutboxRow<P>[] = [];
    const held = new Set<string>();
    const unreadable: { id: number; error: string }[] = [];
    for (const row of stored) {
      if (row.key !== null && held.has(row.key)) continue;
      try {
        rows.push(this.parseRowForDispatcher(row));
      } catch (error) {
        unreadable.push({ id: Number(row.id), error: formatErrorText(error) });
        if (row.key !== null && this.topic.order === 'key') held.add(row.key);
      }
    }
    if (unreadable.length > 0) {
      await tx.query(makeRowDeadLetterSql(this.schema), [
        unreadable.map(({ id }) => id),
        unreadable.map(({ error }) => error),
      ]);
      this.logger.error(
        { topic: this.topic.name, unreadable: unreadable.slice(0, 10) },
        'unreadable outbox rows became dead letters',
      );
    }
    return rows;
  }

  private parseRowForDispatcher(row: StoredOutboxRow): DispatchedOutboxRow<P> {
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

  private async markRowFailed(row: StoredOutboxRow, error: unknown): Promise<void> {
    const { maxAttempts, retryDelayMs } = this.settings;
    const { rows } = await this.pool.query<{ aside: boolean }>(recordRowFailureSql(this.schema), [
      row.id,
      formatErrorText(error),
      retryDelayMs,
      maxAttempts,
    ]);
    const fields = {
      topic: this.topic.name,
      row: Number(row.id),
      attempt: row.attempts + 1,
      error: formatErrorText(error),
    };
    if (rows[0]?.aside) this.logger.error(fields, 'outbox row became a dead letter');
    else this.logger.warn(fields, 'outbox row failed, retrying');
  }
}
