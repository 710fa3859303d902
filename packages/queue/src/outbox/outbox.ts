import type { QueueTx } from '../database.js';
import { DeploymentCheck } from '../deployment-check.js';
import { omitUndefinedValues, formatErrorText, processClock, silentLogger } from '../environment.js';
import { toSchemaIdentifier } from '../queue-schema.js';
import { transactionHandle, type TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { createAddedRowSpanCreator, type AddedRowSpanCreator } from './added-row-spans.js';
import { OutboxBatchDispatchers } from './batch-dispatchers.js';
import type { EndDispatchSqlProvider } from './outbox-batch-drain.js';
import type { OutboxRowsDispatcher } from './outbox-dispatcher.js';
import {
  insertOutboxRows,
  getCommonRealmOfRows,
  OutboxRowBuffer,
  type OutboxDispatchTarget,
  type NewOutboxRow,
} from './outbox-row-buffer.js';
import { type ClientTransaction, DatabaseConnectionTransaction } from './client-transaction.js';
import { OutboxDispatchCoordinator } from './outbox-dispatches.js';
import type { OutboxDispatchFunctions, DispatchTaskAfterCommit } from './dispatch-functions.js';
import { WorkerWakeupQueue } from './worker-wakeup-queue.js';
import type { OutboxDispatchSettings } from './inline-dispatch.js';
import { lockOutboxKeys, mustLockOutboxKeys } from './key-locks.js';
import { createOutboxInsertSql, type OutboxInsertSqlParts } from './outbox-insert-sql.js';
import { DueOutboxRowSearch } from './outbox-sweep.js';
import { readWaitingOutboxRowStatistics, type WaitingOutboxRowStatistics } from './waiting-outbox-rows.js';
import {
  discardDeadLetterRows,
  listDeadLetters,
  requeueDeadLetterRows,
  type DeadLetterFilter,
  type DeadLetterSelection,
  type DeadLetter,
  type OutboxTablesLocation,
} from './dead-letters.js';
import { defaultOutboxSettings, type OutboxAddOptions, type OutboxOptions, type QueueRole } from './outbox-options.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import { createOutboxRowOfMessage } from './new-message-row.js';

/** Time for which a stopping process continues to dispatch outbox rows that are ready, in milliseconds. */
const STOP_DISPATCH_TIME_LIMIT_MS = 2_000;

/**
 * Transactional outbox: {@link add} adds a row to the caller's transaction. After the commit the row is passed to a
 * dispatcher at least once, even if processes die meanwhile.
 */
export class Outbox {
  private readonly buffer = new OutboxRowBuffer();
  /** Most recent transaction of each database connection that was passed to {@link begin}. */
  private readonly latest = new WeakMap<QueueTx, ClientTransaction>();
  private readonly dispatches: OutboxDispatchCoordinator;
  private readonly deployment: DeploymentCheck;
  /** Open transactions in which the outbox has checked that the schema belongs to this deployment. */
  private readonly checkedIn = new WeakSet<TransactionHandle>();
  /** SQL identifier of the schema with the outbox table. */
  private readonly sqlSchema: string;
  private readonly batches: OutboxBatchDispatchers;
  private readonly wakeupQueue: WorkerWakeupQueue | null;
  private readonly settings: Required<Omit<OutboxOptions, 'redis' | 'faultPoint'>> & Pick<OutboxOptions, 'faultPoint'>;
  private readonly sweeping: DueOutboxRowSearch;
  /** Creator of tracing spans for added outbox rows; null if the process has no tracer provider. */
  private readonly addSpans: AddedRowSpanCreator | null;

  constructor(options: OutboxOptions) {
    this.settings = {
      ...defaultOutboxSettings,
      logger: silentLogger,
      clock: processClock,
      context: () => ({}),
      ...omitUndefinedValues(options),
    };
    const { pool, schema, prefix, logger, drainAfterCommit } = this.settings;
    this.sqlSchema = toSchemaIdentifier(schema);
    this.addSpans = createAddedRowSpanCreator(() => this.settings.context());
    this.deployment = new DeploymentCheck(pool, this.sqlSchema, prefix);
    this.wakeupQueue =
      options.redis === undefined ? null : new WorkerWakeupQueue({ redis: options.redis, prefix, logger });
    const { wakeupQueue } = this;
    this.dispatches = new OutboxDispatchCoordinator({
      logger,
      wakeupQueue,
      drainAfterCommit,
      confirm: () => this.deployment.checkDeployment(),
    });
    const { batchSize, maxAttempts, retryDelayMs, paceMs, faultPoint } = this.settings;
    const defaults = { batchSize, maxAttempts, retryDelayMs, paceMs };
    this.batches = new OutboxBatchDispatchers({ tables: this.tables, defaults, logger, faultPoint });
    const isBatched = (topic: string): boolean => this.batches.hasDispatcherOfTopic(topic);
    this.sweeping = new DueOutboxRowSearch({
      ...this.settings,
      tables: this.tables,
      dispatches: this.dispatches,
      isBatched,
    });
  }

  /** Schema of the outbox, and the prefix of the Redis keys of the deployment. */
  get schemaAndKeyPrefix(): { readonly schema: string; readonly prefix: string } {
    const { schema, prefix } = this.settings;
    return { schema, prefix };
  }

  /**
   * Begins a READ COMMITTED transaction on the caller's connection, for services and libraries whose transactions have
   * no {@link TransactionHandle}. The methods `commit` and `rollback` of the returned handle end the transaction. The
   * caller still owns the connection.
   *
   * @throws QueueUsageError for a pool, or when the previous transaction on this connection was not ended by the handle
   *   of that transaction
   */
  async begin(connection: QueueTx): Promise<ClientTransaction> {
    if ('totalCount' in connection) throw new QueueUsageError('A transaction requires a single connection, not a pool');
    if (this.latest.get(connection)?.isOpen) {
      throw new QueueUsageError('The previous transaction of this connection was not ended through its handle');
    }
    const tx = new DatabaseConnectionTransaction(connection, (ended) => this.dispatchAfterCommit(ended));
    this.latest.set(connection, tx);
    try {
      await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    } catch (error) {
      this.latest.delete(connection);
      throw error;
    }
    return tx;
  }

  /**
   * Adds an outbox row to the caller's transaction. The row is validated now and inserted by {@link flush}. The stored
   * value is `payload`; the transformations of the message schema are applied when the row is dispatched.
   *
   * @throws ZodError when the payload does not match the schema
   * @throws QueueUsageError when `tx` is no handle of an open transaction, an ordered message type gets no key, or the
   *   payload is no JSON
   */
  add<P, I>(tx: TransactionHandle, topic: OutboxMessageType<P, I>, payload: I, options: OutboxAddOptions = {}): void {
    this.addRow(tx, createOutboxRowOfMessage(topic, payload, options));
  }

  /** Adds a row of any message type, for parts of this package without an {@link OutboxMessageType}. @internal */
  addRow(tx: TransactionHandle, row: Omit<NewOutboxRow, 'context'>): void {
    this.deployment.assertDeploymentAccepted();
    this.buffer.bufferRow(transactionHandle(tx), { ...row, context: this.contextText(tx, row.topic) });
  }

  /**
   * Returns an INSERT of one outbox row for each row of `parts.from`, as a part of the caller's statement. The payload
   * is SQL of type json, which is validated when it is dispatched. Also call {@link expectInsertedRows}, so that the rows are
   * dispatched after the commit of `tx`.
   *
   * @throws QueueUsageError when an ordered message type gets no key, or the writers do not lock the keys
   */
  insertSql<P, I>(topic: OutboxMessageType<P, I>, parts: OutboxInsertSqlParts): string {
    return createOutboxInsertSql(this.sqlSchema, topic, parts);
  }

  /**
   * Registers that statements with {@link insertSql} insert up to `count` rows in total in the transaction `tx`.
   *
   * @returns the values of `context` and `source` for the statements; `source` identifies a transaction with many rows
   */
  expectInsertedRows<P, I>(
    tx: TransactionHandle,
    topic: OutboxMessageType<P, I>,
    count: number,
  ): { readonly context: string | null; readonly source: string } {
    this.buffer.registerRowsInsertedByCaller(transactionHandle(tx), { topic: topic.name, realm: '' });
    return {
      context: this.contextText(tx, topic.name),
      source: topic.order === 'key' ? getCommonRealmOfRows(count) : '',
    };
  }

  /**
   * Inserts all outbox rows added to `tx`. The call must be the last step before COMMIT. Rejects when a statement
   * fails; the transaction then fails too.
   *
   * @param options `commitFollows`: COMMIT is sent in the same write as these statements, which are sent immediately.
   *   Event log rows are then numbered by the commit that creates them, unless another database session is assigning
   *   numbers (docs/adr/0011).
   * @throws QueueUsageError when `tx` is no handle of an open transaction
   */
  async flush(
    tx: TransactionHandle,
    { commitFollows = false }: { readonly commitFollows?: boolean } = {},
  ): Promise<void> {
    transactionHandle(tx);
    // If a statement of the caller has also inserted rows, a drain has to find those.
    const isAlone = this.buffer.listTargetsOfSentRows(tx).length === 0;
    const rows = this.buffer.removeUnsentRows(tx);
    if (tx.beginFlush) await tx.beginFlush();
    // All statements are sent without waiting for responses. The server runs them in order, and the transaction layer may
    // send COMMIT as soon as the first is sent.
    const confirmed = rows.length > 0 && this.deployment.isCheckPending ? this.checkDeploymentIn(tx) : undefined;
    const locked = mustLockOutboxKeys(rows) ? lockOutboxKeys(tx, this.sqlSchema, rows) : undefined;
    const isInline = commitFollows && this.settings.drainAfterCommit;
    const inserted = isInline ? this.insertAndDispatch(tx, rows, isAlone) : insertOutboxRows(tx, this.sqlSchema, rows);
    await Promise.all([confirmed, locked, inserted]);
  }

  private checkDeploymentIn(tx: TransactionHandle): Promise<void> {
    this.checkedIn.add(tx);
    return this.deployment.checkDeploymentInTransaction(tx);
  }

  /** Checks that the schema belongs to this deployment (see {@link start}), until a check succeeds. @internal */
  checkDeployment(): Promise<void> {
    return this.deployment.checkDeployment();
  }

  /**
   * Inserts the outbox rows of a transaction and, if possible, begins to dispatch the rows in that transaction. Sends
   * all statements synchronously.
   */
  private async insertAndDispatch(
    tx: TransactionHandle,
    rows: readonly NewOutboxRow[],
    isAlone: boolean,
  ): Promise<void> {
    const [row] = rows;
    const added =
      isAlone && rows.length === 1 && row ? this.dispatches.findInlineDispatchFunction(row)?.add(row, tx) : undefined;
    if (row && added) return this.beginDispatch(tx, row, added);
    const inline = this.buffer
      .listTargetsOfSentRows(tx)
      .map((target) => ({ target, begin: this.dispatches.findInlineDispatchFunction(target)?.begin }));
    const inserted = insertOutboxRows(tx, this.sqlSchema, rows);
    const begun = inline.map(({ target, begin }) => begin && this.beginDispatch(tx, target, begin(target.realm, tx)));
    await Promise.all([inserted, ...begun]);
  }

  /**
   * Starts the dispatch of a transaction's outbox rows in this process without delaying the caller, or wakes worker
   * processes. Must be called after a confirmed COMMIT. Never throws and never waits.
   */
  dispatchAfterCommit(tx: TransactionHandle): void {
    const { hadRows, targets } = this.buffer.removeTransactionRecord(tx);
    if (this.checkedIn.delete(tx)) this.deployment.recordSuccessfulCheck();
    if (hadRows) this.settings.faultPoint?.('outbox.after-commit');
    for (const { target, afterCommitTask } of targets) {
      if (afterCommitTask === undefined) this.wake(target);
      else this.dispatches.completeInlineDispatch(target, afterCommitTask);
    }
  }

  /**
   * Requests a dispatch of outbox rows. The rows are dispatched in this process if the process has a dispatcher for the
   * message type. Otherwise the request wakes a worker process. @internal
   */
  wake(target: OutboxDispatchTarget): void {
    this.dispatches.dispatchOrWakeWorkers(target);
  }

  /**
   * Registers the dispatcher of a message type in this process. Must be called before {@link start}.
   *
   * @throws QueueUsageError when the message type already has a dispatcher
   */
  dispatch<P, I>(
    topic: OutboxMessageType<P, I>,
    dispatcher: OutboxRowsDispatcher<P>,
    settings: OutboxDispatchSettings<P> = {},
  ): void {
    this.setDispatchFunctions(topic.name, this.batches.createDispatchFunctions(topic, dispatcher, settings));
  }

  /**
   * Registers a dispatcher for a message type whose outbox rows are not deleted by a dispatch. `endSql` returns the SQL
   * statement that ends a dispatch. Other processes are never woken for the rows.
   *
   * @internal
   */
  dispatchRetained<P>(
    topic: OutboxMessageType<P>,
    dispatcher: OutboxRowsDispatcher<P>,
    endSql: EndDispatchSqlProvider<P>,
  ): void {
    this.setDispatchFunctions(topic.name, this.batches.createDispatchFunctions(topic, dispatcher, {}, endSql));
  }

  /** Sets the functions that dispatch the outbox rows of a message type. The event log calls it. @internal */
  setDispatchFunctions(topic: string, dispatching: OutboxDispatchFunctions): void {
    this.dispatches.registerDispatchFunctions(topic, dispatching);
  }

  /**
   * Starts to listen for requests of other processes and to sweep (roles `worker` and `all`). Resolves when the schema
   * was checked. It belongs to the deployment whose prefix the first process has recorded. Redis need not be available.
   * While the database is unavailable the check is repeated before the first use, and the result is not rejected.
   *
   * @throws QueueUsageError when the schema belongs to a deployment with another prefix, or the prefix to another schema
   */
  async start(role: QueueRole): Promise<void> {
    if (role !== 'api') {
      for (const topic of this.dispatches.topicsDispatchedOnRequest) {
        this.wakeupQueue?.listenForWakeups(topic, (target) => this.dispatches.dispatchRowsOfTarget(target));
      }
      this.sweeping.startPeriodicSearch();
    }
    try {
      await this.deployment.checkDeployment();
    } catch (error) {
      const fields = { error: formatErrorText(error) };
      if (!(error instanceof QueueUsageError)) {
        return this.settings.logger.warn(fields, 'the deployment of the outbox could not be checked yet');
      }
      this.settings.logger.error(fields, 'the outbox was refused');
      await this.stop();
      throw error;
    }
  }

  /**
   * Stops searching for outbox rows, dispatches ready rows for at most two seconds, finishes running batches and closes
   * Redis. Other processes dispatch the remaining rows.
   */
  async stop(): Promise<void> {
    this.sweeping.stopPeriodicSearch();
    this.batches.endWaitsForMoreRows();
    const limit = processClock.setTimeout(() => this.batches.stopAllDispatches(), STOP_DISPATCH_TIME_LIMIT_MS);
    await this.wakeupQueue?.closeWakeupQueues();
    await this.dispatches.waitForRunningDispatches();
    processClock.clearTimeout(limit);
  }

  /**
   * Finds and dispatches outbox rows of message types that have a dispatcher in this process: rows left by a crash,
   * retries and delayed rows.
   */
  async sweep(): Promise<void> {
    await this.sweeping.dispatchDueRows();
  }

  /** Lists dead letters of a message type that match a filter, oldest first. */
  listDeadLetters(topic: string, ...selection: DeadLetterSelection): Promise<DeadLetter[]> {
    return listDeadLetters(this.tables, topic, ...selection);
  }

  /**
   * Requeues dead letters with a reset failure count: all dead letters of the message type, or only the dead letters
   * that match the filter. Returns the number of requeued dead letters.
   */
  async requeue(topic: string, filter: DeadLetterFilter = {}): Promise<number> {
    const count = await requeueDeadLetterRows(this.tables, topic, filter);
    if (count > 0) this.wake({ topic, realm: '' });
    return count;
  }

  /**
   * Deletes dead letters that match the filter, so that later rows with the same key can be dispatched. Returns the
   * number of deleted dead letters.
   */
  async discard(topic: string, filter: DeadLetterFilter): Promise<number> {
    const count = await discardDeadLetterRows(this.tables, topic, filter);
    if (count > 0) this.wake({ topic, realm: '' });
    return count;
  }

  /**
   * Returns the number of waiting outbox rows, and the age of the oldest waiting row in seconds, for each message type.
   * Reads the values with one SQL statement. Used for metrics.
   */
  depth(): Promise<WaitingOutboxRowStatistics[]> {
    return readWaitingOutboxRowStatistics(this.settings.pool, this.sqlSchema);
  }

  /** Returns the age in seconds of the oldest waiting outbox row of all message types; 0 if no row is waiting. */
  async oldestAgeSeconds(): Promise<number> {
    return Math.max(0, ...(await this.depth()).map((topic) => topic.oldestAgeSeconds));
  }

  /**
   * Returns the number of outbox rows dispatched by this process since it started, by message type. The growth of the
   * number is the dispatch rate. Rows of the event log are not included. Used for metrics.
   */
  dispatched(): { topic: string; count: number }[] {
    return this.batches.countDispatchedRowsByTopic();
  }

  private async beginDispatch(
    tx: TransactionHandle,
    { topic, realm }: OutboxDispatchTarget,
    afterCommitTask: Promise<DispatchTaskAfterCommit | null>,
  ): Promise<void> {
    this.buffer.recordBegunDispatch(tx, { topic, realm }, afterCommitTask);
    await afterCommitTask;
  }

  /** @internal */
  get tables(): OutboxTablesLocation {
    return { pool: this.settings.pool, schema: this.sqlSchema };
  }

  private contextText(tx: TransactionHandle, topic: string): string | null {
    if (this.addSpans !== null) return this.addSpans.createContextText(tx, topic);
    const context = this.settings.context();
    const known = context.requestId !== undefined || context.traceparent !== undefined;
    return known ? JSON.stringify(context) : null;
  }
}
