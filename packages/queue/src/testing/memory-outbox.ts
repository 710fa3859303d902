import type { QueuePool, QueueTx } from '../database.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import { DatabaseConnectionTransaction, type ClientTransaction } from '../outbox/client-transaction.js';
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSelection,
  OutboxTablesLocation,
} from '../outbox/dead-letters.js';
import type { OutboxRowsDispatcher } from '../outbox/outbox-dispatcher.js';
import type { OutboxDispatchSettings } from '../outbox/inline-dispatch.js';
import type { OutboxMessageType } from '../outbox/outbox-message-type.js';
import { createOutboxRowOfMessage } from '../outbox/new-message-row.js';
import { defaultOutboxSettings, type OutboxAddOptions } from '../outbox/outbox-options.js';
import type { Outbox } from '../outbox/outbox.js';
import { OutboxRowBuffer, type NewOutboxRow } from '../outbox/outbox-row-buffer.js';
import type { WaitingOutboxRowStatistics } from '../outbox/waiting-outbox-rows.js';
import { omitUndefinedValues } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { transactionHandle, type TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { DEFAULT_MAX_READ_BYTES } from '../size-limits.js';
import { MemoryOutboxDispatcher } from './memory-dispatcher.js';
import { toMemoryOutboxRow, type MemoryOutboxRow } from './memory-rows.js';
import type { PublicMembersOfClass } from './public-members.js';

export interface MemoryOutboxOptions {
  readonly pool: QueuePool;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
  readonly context: () => TraceContext;
  readonly faultPoint: FaultPointListener;
}

/**
 * Replacement of {@link Outbox} in tests, with rows in memory. Committed rows wait for {@link MemoryOutbox.dispatchReadyRows}.
 */
export class MemoryOutbox implements PublicMembersOfClass<Outbox> {
  readonly schemaAndKeyPrefix = { schema: defaultOutboxSettings.schema, prefix: defaultOutboxSettings.prefix };
  /** Committed outbox rows by message type, oldest first, including rows that were already dispatched. */
  private readonly rowsByType = new Map<string, MemoryOutboxRow[]>();
  /** Committed outbox rows that were not yet passed to the parts of the package that receive such rows. */
  private readonly untaken: MemoryOutboxRow[] = [];
  private lastId = 0;
  private readonly buffer = new OutboxRowBuffer();
  private readonly flushed = new WeakMap<TransactionHandle, NewOutboxRow[]>();
  private readonly latest = new WeakMap<QueueTx, ClientTransaction>();
  private readonly commitTasks = new WeakMap<TransactionHandle, (() => void)[]>();
  private readonly dispatchers = new Map<string, Pick<MemoryOutboxDispatcher<never>, 'run' | 'dispatched'>>();
  /** Functions of parts of the package that receive outbox rows immediately after the commit, by message type. */
  private readonly takers = new Map<string, (row: MemoryOutboxRow) => void>();

  constructor(private readonly options: MemoryOutboxOptions) {}

  async begin(connection: QueueTx): Promise<ClientTransaction> {
    if ('totalCount' in connection) throw new QueueUsageError('A transaction requires a single connection, not a pool');
    if (this.latest.get(connection)?.isOpen) {
      throw new QueueUsageError('The previous transaction of this connection was not ended through its handle');
    }
    const tx = new DatabaseConnectionTransaction(connection, (ended) => this.dispatchAfterCommit(ended));
    await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    this.latest.set(connection, tx);
    return tx;
  }

  add<P, I>(tx: TransactionHandle, type: OutboxMessageType<P, I>, payload: I, options: OutboxAddOptions = {}): void {
    this.addRow(tx, createOutboxRowOfMessage(type, payload, options));
  }

  addRow(tx: TransactionHandle, row: Omit<NewOutboxRow, 'context'>): void {
    const context = this.options.context();
    const isKnown = context.requestId !== undefined || context.traceparent !== undefined;
    this.buffer.bufferRow(transactionHandle(tx), { ...row, context: isKnown ? JSON.stringify(context) : null });
  }

  insertSql(): never {
    throw new QueueUsageError('The test double of the outbox has no table for statements of Outbox.insertSql');
  }

  expectInsertedRows(): never {
    return this.insertSql();
  }

  async flush(tx: TransactionHandle): Promise<void> {
    transactionHandle(tx);
    const rows = this.buffer.removeUnsentRows(tx);
    if (tx.beginFlush) await tx.beginFlush();
    this.flushed.set(tx, [...(this.flushed.get(tx) ?? []), ...rows]);
  }

  async checkDeployment(): Promise<void> {}

  dispatchAfterCommit(tx: TransactionHandle): void {
    this.buffer.removeTransactionRecord(tx);
    const rows = this.flushed.get(tx) ?? [];
    this.flushed.delete(tx);
    for (const row of rows)
      this.storeCommittedRow(toMemoryOutboxRow((this.lastId += 1), row, this.options.clock.now()));
    for (const task of this.commitTasks.get(tx) ?? []) task();
    if (rows.length > 0) this.options.faultPoint('outbox.after-commit');
    this.passRowsToReceivers();
  }

  /** Runs a task after a transaction has committed. */
  runAfterCommit(tx: TransactionHandle, task: () => void): void {
    this.commitTasks.set(transactionHandle(tx), [...(this.commitTasks.get(tx) ?? []), task]);
  }

  /** Registers a part of the package that receives the outbox rows of a message type immediately after their commit. */
  registerRowReceiver(type: string, take: (row: MemoryOutboxRow) => void): void {
    this.takers.set(type, take);
  }

  wake(): void {}

  dispatch<P, I>(
    type: OutboxMessageType<P, I>,
    dispatcher: OutboxRowsDispatcher<P>,
    settings: OutboxDispatchSettings<P> = {},
  ): void {
    if (this.dispatchers.has(type.name)) throw new QueueUsageError(`Topic ${type.name} already has a dispatcher`);
    const { inline: _, ...given } = settings;
    const rows = (): readonly MemoryOutboxRow[] => this.listRowsOfTopic(type.name);
    const merged = { ...defaultOutboxSettings, ...omitUndefinedValues(given) };
    const created = new MemoryOutboxDispatcher(type, dispatcher, { ...this.options, rows, settings: merged });
    this.dispatchers.set(type.name, created);
  }

  dispatchRetained(): never {
    throw new QueueUsageError('The test double of the outbox takes no parts of the real package');
  }

  setDispatchFunctions(): never {
    return this.dispatchRetained();
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async sweep(): Promise<void> {
    await this.dispatchReadyRows();
  }

  /**
   * Dispatches all rows of this in-memory outbox whose next attempt is due. Returns the number of dispatched and failed
   * rows.
   */
  async dispatchReadyRows(): Promise<number> {
    this.passRowsToReceivers();
    let count = 0;
    for (const dispatcher of this.dispatchers.values()) count += await dispatcher.run();
    return count;
  }

  /** Returns the committed outbox rows of a message type, oldest first. */
  listRowsOfTopic(type: string): readonly MemoryOutboxRow[] {
    return this.rowsByType.get(type) ?? [];
  }

  async listDeadLetters(
    type: string,
    ...[filter = {}, limit = 100, offset = 0, maxBytes = DEFAULT_MAX_READ_BYTES]: DeadLetterSelection
  ): Promise<DeadLetter[]> {
    let bytes = 0;
    return this.listMatchingDeadLetterRows(type, filter)
      .slice(offset, offset + limit)
      .map((row): DeadLetter => {
        bytes += Buffer.byteLength(row.row.payload);
        return bytes > maxBytes ? { ...toDeadLetter(row), payload: null, isShortened: true } : toDeadLetter(row);
      });
  }

  async requeue(type: string, filter: DeadLetterFilter = {}): Promise<number> {
    const rows = this.listMatchingDeadLetterRows(type, filter);
    const readyMs = this.options.clock.now();
    for (const row of rows) Object.assign(row, { state: 'waiting', attempts: 0, readyMs, deadLetteredMs: null });
    return rows.length;
  }

  async discard(type: string, filter: DeadLetterFilter): Promise<number> {
    const rows = this.listMatchingDeadLetterRows(type, filter);
    for (const row of rows) row.state = 'discarded';
    return rows.length;
  }

  async depth(): Promise<WaitingOutboxRowStatistics[]> {
    const now = this.options.clock.now();
    return [...this.rowsByType.keys()].toSorted().flatMap((topic) => {
      const rows = this.listRowsOfTopic(topic);
      const waiting = rows.filter(({ state }) => state === 'waiting');
      const deadLetters = rows.filter(({ state }) => state === 'dead-letter').length;
      if (waiting.length + deadLetters === 0) return [];
      const oldestAgeSeconds = waiting[0] === undefined ? 0 : (now - waiting[0].createdMs) / 1_000;
      return [{ topic, waiting: waiting.length, deadLetters, oldestAgeSeconds }];
    });
  }

  async oldestAgeSeconds(): Promise<number> {
    return Math.max(0, ...(await this.depth()).map((type) => type.oldestAgeSeconds));
  }

  dispatched(): { topic: string; count: number }[] {
    return [...this.dispatchers].map(([topic, { dispatched }]) => ({ topic, count: dispatched }));
  }

  get tables(): OutboxTablesLocation {
    return { pool: this.options.pool, schema: defaultOutboxSettings.schema };
  }

  private passRowsToReceivers(): void {
    for (const row of this.untaken.splice(0)) {
      row.state = 'dispatched';
      this.takers.get(row.row.topic)?.(row);
    }
  }

  private storeCommittedRow(row: MemoryOutboxRow): void {
    const { topic } = row.row;
    const rows = this.rowsByType.get(topic) ?? [];
    rows.push(row);
    this.rowsByType.set(topic, rows);
    if (this.takers.has(topic)) this.untaken.push(row);
  }

  private listMatchingDeadLetterRows(
    type: string,
    { ids, key, errorIncludes, deadLetteredBefore }: DeadLetterFilter,
  ): readonly MemoryOutboxRow[] {
    return this.listRowsOfTopic(type).filter(
      (row) =>
        row.state === 'dead-letter' &&
        (ids === undefined || ids.includes(row.id)) &&
        (key === undefined || row.row.key === key) &&
        (errorIncludes === undefined || (row.error ?? '').includes(errorIncludes)) &&
        (deadLetteredBefore === undefined || (row.deadLetteredMs ?? 0) < deadLetteredBefore.getTime()),
    );
  }
}

const toDeadLetter = ({ id, row, attempts, error, createdMs, deadLetteredMs }: MemoryOutboxRow): DeadLetter => ({
  id,
  key: row.key,
  version: row.version,
  payload: decodeDatesInJsonValue(JSON.parse(row.payload)),
  attempts,
  error,
  createdAt: new Date(createdMs),
  deadLetteredAt: new Date(deadLetteredMs ?? createdMs),
});
