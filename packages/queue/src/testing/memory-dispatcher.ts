import { runInPoolTransaction, isTransientDatabaseError, type QueuePool } from '../database.js';
import { formatErrorText, type QueueClock, type QueueLogger, type TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { OutboxBatchDispatchSettings, SelectKeysNeedingDispatch } from '../outbox/outbox-batch-drain.js';
import type { OutboxRowsDispatcher, DispatchedOutboxRow } from '../outbox/outbox-dispatcher.js';
import type { OutboxMessageType } from '../outbox/outbox-message-type.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { MemoryOutboxRow } from './memory-rows.js';
import { SimulatedCrashError } from './simulated-crash.js';

export interface MemoryOutboxDispatcherOptions {
  readonly pool: QueuePool;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
  readonly faultPoint: FaultPointListener;
  /** Returns the committed outbox rows of the message type, oldest first. */
  readonly rows: () => readonly MemoryOutboxRow[];
  readonly settings: OutboxBatchDispatchSettings & { readonly selectKeys?: SelectKeysNeedingDispatch };
}

/** Dispatches the outbox rows of one message type in memory. The batches are like the batches of the real outbox. */
export class MemoryOutboxDispatcher<P> {
  /** Number of outbox rows that this dispatcher has dispatched. */
  dispatched = 0;

  constructor(
    private readonly type: OutboxMessageType<P, unknown>,
    private readonly dispatcher: OutboxRowsDispatcher<P>,
    private readonly options: MemoryOutboxDispatcherOptions,
  ) {}

  /** Dispatches outbox rows in memory until no row is ready. Returns the number of dispatched and failed rows. */
  async run(): Promise<number> {
    let count = 0;
    for (let batch = this.selectNextBatch(); batch.length > 0; batch = this.selectNextBatch()) {
      count += await this.dispatchBatchOrSeparateRows(batch);
    }
    return count;
  }

  /**
   * Returns the rows of the next batch. A row of an ordered message type waits for all earlier rows with the same key.
   */
  private selectNextBatch(): MemoryOutboxRow[] {
    const now = this.options.clock.now();
    const blockedKeys = new Set<string>();
    const batch: MemoryOutboxRow[] = [];
    for (const row of this.options.rows()) {
      if (row.state !== 'waiting' && row.state !== 'dead-letter') continue;
      const { key } = row.row;
      if (row.state === 'waiting' && row.readyMs <= now && !(key !== null && blockedKeys.has(key))) batch.push(row);
      else if (key !== null && this.type.order === 'key') blockedKeys.add(key);
      if (batch.length >= this.options.settings.batchSize) break;
    }
    return batch;
  }

  /**
   * Dispatches a batch of outbox rows. If the dispatch fails, dispatches the rows separately, so that only the failing
   * rows are retried.
   */
  private async dispatchBatchOrSeparateRows(batch: readonly MemoryOutboxRow[]): Promise<number> {
    try {
      return await this.dispatchRowsOfBatch(batch);
    } catch (error) {
      rethrowUnlessRowFailure(error);
      const [row] = batch;
      if (batch.length === 1 && row !== undefined) return this.markRowFailed(row, error);
    }
    let count = 0;
    const failedKeys = new Set<string>();
    for (const row of batch) {
      const { key } = row.row;
      if (key !== null && failedKeys.has(key)) continue;
      try {
        count += await this.dispatchRowsOfBatch([row]);
      } catch (error) {
        rethrowUnlessRowFailure(error);
        count += this.markRowFailed(row, error);
        if (key !== null && this.type.order === 'key') failedKeys.add(key);
      }
    }
    return count;
  }

  private async dispatchRowsOfBatch(batch: readonly MemoryOutboxRow[]): Promise<number> {
    const { pool, faultPoint, logger } = this.options;
    let ended: readonly MemoryOutboxRow[] = [];
    let afterCommit: (() => Promise<void>) | undefined;
    await runInPoolTransaction(
      pool,
      async (tx) => {
        const { needed, skipped } = await this.divideRowsByKeys(batch, async (keys, select) => select(keys, tx));
        const parsed = needed.flatMap((row) => this.parseRowForDispatcher(row) ?? []);
        const rows = parsed.map(({ dispatchRow }) => dispatchRow);
        const result = rows.length === 0 ? undefined : await this.dispatcher(rows, tx);
        const handled = result?.handledRows ?? rows.length;
        if (rows.length > 0 && !(handled >= 1)) {
          throw new QueueUsageError(`The dispatcher of ${this.type.name} handled ${handled} of ${rows.length} rows`);
        }
        ended = [...skipped, ...parsed.slice(0, handled).map(({ row }) => row)];
        afterCommit = result?.afterCommit;
      },
      'dispatch',
    );
    for (const row of ended) row.state = 'dispatched';
    this.dispatched += ended.length;
    if (ended.length > 0) faultPoint('outbox.after-dispatch');
    await afterCommit?.().catch((error: unknown) => {
      if (error instanceof SimulatedCrashError) throw error;
      logger.error({ topic: this.type.name, error: formatErrorText(error) }, 'work after a dispatch failed');
    });
    // Rows that cannot be parsed have become dead letters.
    return Math.max(ended.length, batch.filter(({ state }) => state === 'dead-letter').length);
  }

  private async divideRowsByKeys(
    batch: readonly MemoryOutboxRow[],
    run: (keys: readonly string[], select: SelectKeysNeedingDispatch) => Promise<ReadonlySet<string>>,
  ): Promise<{ readonly needed: readonly MemoryOutboxRow[]; readonly skipped: readonly MemoryOutboxRow[] }> {
    const { selectKeys } = this.options.settings;
    const keys = new Set(batch.flatMap(({ row }) => row.key ?? []));
    if (selectKeys === undefined || keys.size === 0) return { needed: batch, skipped: [] };
    const selected = await run([...keys], selectKeys);
    const isNeeded = ({ row }: MemoryOutboxRow): boolean => row.key === null || selected.has(row.key);
    return { needed: batch.filter(isNeeded), skipped: batch.filter((row) => !isNeeded(row)) };
  }

  /**
   * Parses an outbox row and returns the row in the form that the dispatcher receives. A row that cannot be parsed
   * becomes a dead letter.
   */
  private parseRowForDispatcher(
    row: MemoryOutboxRow,
  ): { readonly row: MemoryOutboxRow; readonly dispatchRow: DispatchedOutboxRow<P> } | null {
    const { id, attempts, createdMs } = row;
    const { payload, version, key, realm, context } = row.row;
    try {
      const dispatchRow = {
        id,
        key,
        payload: this.type.read(JSON.parse(payload), version),
        attempts,
        createdAt: new Date(createdMs),
        context: context === null ? {} : (JSON.parse(context) as TraceContext),
        bulk: realm !== '',
      };
      return { row, dispatchRow };
    } catch (error) {
      this.makeRowDeadLetter(row, error);
      return null;
    }
  }

  private markRowFailed(row: MemoryOutboxRow, error: unknown): number {
    const { clock, settings } = this.options;
    if (row.attempts + 1 >= settings.maxAttempts) this.makeRowDeadLetter(row, error);
    else {
      row.readyMs = clock.now() + settings.retryDelayMs * 2 ** Math.min(row.attempts, 10);
      row.attempts += 1;
      row.error = formatErrorText(error);
    }
    return 1;
  }

  private makeRowDeadLetter(row: MemoryOutboxRow, error: unknown): void {
    row.state = 'dead-letter';
    row.attempts += 1;
    row.error = formatErrorText(error);
    row.deadLetteredMs = this.options.clock.now();
  }
}

/**
 * Rethrows errors that do not count as failures of an outbox row: a simulated death of the process, and an unavailable
 * database.
 */
function rethrowUnlessRowFailure(error: unknown): void {
  if (error instanceof SimulatedCrashError || isTransientDatabaseError(error)) throw error;
}
