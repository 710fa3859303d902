import { randomUUID } from 'node:crypto';
import type { QueuePool } from '../database.js';
import {
  omitUndefinedValues,
  formatErrorText,
  processClock,
  silentLogger,
  type QueueClock,
  type QueueLogger,
} from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import { SerialRunnerByKey } from '../outbox/keyed-serializer.js';
import type { Outbox } from '../outbox/outbox.js';
import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';
import { withOutbox } from '../outbox/with-outbox.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { toSchemaIdentifier } from '../queue-schema.js';
import { assertSameDeployment } from '../deployment-check.js';
import { BadEventQueueError, TooManyRegistrationsError } from './event-log-errors.js';
import { MissedEventReader } from './missed-event-reader.js';
import { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import {
  defaultEventLogSettings,
  type EventLogMetrics,
  type EventLogOptions,
  type EventLogSettings,
} from './event-log-options.js';
import { EventLogDispatcher, type RowsAppendedToEventLog } from './log-dispatcher.js';
import type { EventLogStoreConnection } from './event-log-store.js';
import { connectEventLogStore } from './connect-log-store.js';
import { listRealmLogs, type RealmLogState, type RealmLogFilter } from './realm-logs.js';
import { removeQueuesOfOwnersInBatches } from './remove-queues-of-owners.js';
import { createLogEntryOutboxRow, type NewLogEntry } from './new-log-entry.js';
import { type EventLogTables, LogPositionReader } from './number-log-rows.js';
import type {
  EventPollEndCallbacks,
  EventPollRequest,
  EventStreamCallbacks,
  EventStreamRequest,
} from './poll-request.js';
import { EventPolling } from './event-polling.js';
import type { ClientEvent, LogEntryRenderer } from './event-queue-view.js';
import { FollowedRealmLogs } from './realm-log-tails.js';
import { SharedRegistrationSnapshotReader } from './shared-snapshot-reader.js';
import {
  registerEventQueue,
  type RegisteredEventQueue,
  type EventQueueRegistrationOptions,
  type RegistrationSnapshotReader,
} from './register-queue.js';
import { EventLogMaintenanceLoop } from './maintenance-loop.js';

/** Time after the start of a process in which processes of an earlier version may still be running, in milliseconds. */
const MIXED_VERSIONS_PERIOD_MS = 600_000;

/**
 * Writes and reads the event logs of all realms. A client's event queue is a position in the log of the client's realm,
 * and any process can serve the queue.
 */
export class EventLog {
  private readonly settings: EventLogSettings;
  private readonly pool: QueuePool;
  private readonly snapshots: SharedRegistrationSnapshotReader;
  private readonly clock: QueueClock;
  private readonly startedMs: number;
  private readonly outbox: Outbox;
  private readonly connection: EventLogStoreConnection;
  private readonly realmTails: FollowedRealmLogs;
  private readonly dispatcher: EventLogDispatcher;
  private readonly polling: EventPolling;
  private readonly deltas: MissedEventReader;
  private readonly maintenance: EventLogMaintenanceLoop;
  private readonly ticking = new Set<string>();
  /** Settles when the first attempt to connect to the store has ended. Requests at the start wait for it. */
  private readonly connecting: Promise<void>;
  private isConnecting = true;
  private readonly recoveries = new SerialRunnerByKey();
  private appendedCount = 0;
  /** Number of event queue registrations in progress. */
  private registering = 0;
  private readonly logger: QueueLogger;
  private readonly faultPoint: FaultPointListener | undefined;

  constructor(options: EventLogOptions) {
    const {
      outbox,
      pool,
      snapshotPoolOf = () => pool,
      redis,
      store: storeName,
      logger = silentLogger,
      clock = processClock,
      faultPoint,
      ...settings
    } = options;
    this.settings = { ...defaultEventLogSettings, ...outbox.schemaAndKeyPrefix, ...omitUndefinedValues(settings) };
    assertSameDeployment(this.settings, outbox.schemaAndKeyPrefix);
    const tables = { pool, schema: toSchemaIdentifier(this.settings.schema) };
    this.pool = pool;
    this.snapshots = new SharedRegistrationSnapshotReader(snapshotPoolOf, tables.schema);
    this.clock = clock;
    this.startedMs = clock.now();
    this.outbox = outbox;
    this.logger = logger;
    this.faultPoint = faultPoint;
    this.connection = connectEventLogStore({ redis, store: storeName, tables, prefix: this.settings.prefix, logger });
    const { store, appendStore, subscriber } = this.connection;
    this.connecting = this.connection.firstAttempt.then(() => {
      this.isConnecting = false;
    });
    const [processId, positions, turns] = [randomUUID(), new LogPositionReader(tables), new EntryRenderingThrottle()];
    const { tailBytes, rowRetentionMs, entryAttempts, heartbeatMs, queueCap } = this.settings;
    this.realmTails = new FollowedRealmLogs({
      store,
      subscriber,
      processId,
      tailBytes,
      clock,
      logger,
      turns,
      endPoll: (queueId, token, isRemoved) => this.polling.endPollOfQueue(queueId, token, isRemoved),
    });
    const appended = (realm: string, batch: RowsAppendedToEventLog): void => {
      this.appendedCount += batch.rows.length;
      this.realmTails.addAppendedLogEntries(realm, batch);
    };
    const dispatcher = new EventLogDispatcher({
      tables,
      store: appendStore,
      clock,
      logger,
      rowRetentionMs,
      entryAttempts,
      sending: (realm, batch) => this.realmTails.addPendingLogEntries(realm, batch),
      appended,
      faultPoint,
    });
    this.dispatcher = dispatcher;
    this.polling = new EventPolling({
      store,
      realmTails: this.realmTails,
      clock,
      logger,
      processId,
      heartbeatMs,
      queueCap,
      turns,
      position: (realm) => positions.readLastPositionOfRealm(realm),
      requestDrain: (realm) => this.recoverAfterReconnect(realm),
      tick: (realm) => this.appendHeartbeatEntry(realm),
    });
    this.deltas = new MissedEventReader({ ...this.settings, store, realmTails: this.realmTails, dispatcher, turns });
    this.maintenance = this.createMaintenance(tables);
    this.registerDispatch();
    // After a reconnection, restores the entries that Redis lost before clients request them.
    this.connection.onAvailable(() => this.maintenance.startMaintenanceRoundNow());
  }

  private createMaintenance(tables: EventLogTables): EventLogMaintenanceLoop {
    const { settings, connection, dispatcher, clock, logger, outbox } = this;
    const { store } = connection;
    const dropIdle = (): void => this.realmTails.stopFollowingIdleRealms();
    const confirm = async (): Promise<void> => {
      await outbox.checkDeployment();
      await connection.confirm();
    };
    return new EventLogMaintenanceLoop({ ...settings, tables, store, dispatcher, clock, logger, dropIdle, confirm });
  }

  private registerDispatch(): void {
    const { dispatcher } = this;
    this.outbox.setDispatchFunctions(EVENT_LOG_TOPIC, {
      dispatchRealm: (realm) => dispatcher.numberAndAppendRows(realm),
      beforeCommit: {
        add: (row, tx) => dispatcher.insertNumberedRowBeforeCommit(row, tx),
        begin: (realm, tx) => dispatcher.numberRowsBeforeCommit(realm, tx),
      },
    });
  }

  /**
   * Writes a log entry in the caller's transaction. The entry is inserted together with the rows of the outbox,
   * immediately before COMMIT.
   *
   * @throws EntryTooLongError when the entry has more characters than `maxEntryLength`
   * @throws QueueUsageError if `tx` is not a handle of an open transaction, the event has a field `id`, or audience or
   *   weight are invalid
   */
  write(tx: TransactionHandle, entry: NewLogEntry): void {
    this.outbox.addRow(tx, createLogEntryOutboxRow(entry, this.settings.maxEntryLength));
  }

  /**
   * Creates an event queue whose events continue a snapshot of the data. The function `snapshot` reads the data in a
   * REPEATABLE READ READ ONLY transaction on the primary. It must read only in that transaction, or prove that cached
   * data is equal to the state in the transaction. Waiting registrations of one realm use one transaction, one after
   * another.
   *
   * With `lastKnown`, the client gets all events that followed the last known event, if the earlier queue can be
   * continued. `snapshot` is then called with `isDelta`.
   *
   * @throws QueueUsageError when the schema belongs to another deployment
   * @throws TooManyRegistrationsError when `registrationCap` registrations are in progress
   * @throws EventLogUnavailableError while the store is unavailable
   * @throws Error any error of `snapshot`
   */
  async register<T>(
    options: EventQueueRegistrationOptions,
    snapshot: RegistrationSnapshotReader<T>,
  ): Promise<RegisteredEventQueue<T>> {
    if (this.registering >= this.settings.registrationCap) throw new TooManyRegistrationsError(this.registering);
    this.registering += 1;
    try {
      await Promise.all([this.connecting, this.outbox.checkDeployment()]);
      const { snapshots, dispatcher, deltas, faultPoint } = this;
      const { store } = this.connection;
      return await registerEventQueue({ snapshots, store, dispatcher, deltas, faultPoint }, options, snapshot);
    } finally {
      this.registering -= 1;
    }
  }

  /**
   * Returns the events of a queue after `lastEventId`, and acknowledges earlier events. If `block` is true, waits for
   * the first event. After the heartbeat time without an event, returns `{type: 'heartbeat', id}`. Returns `[]` when
   * another poll has taken over the queue, the queue was removed, the client disconnected or this process stops.
   *
   * @throws BadEventQueueError if the queue does not exist or belongs to another owner: the client must register again
   * @throws EventPrunedError `lastEventId` precedes the acknowledged id
   * @throws EventAheadError `lastEventId` was never assigned
   * @throws EventLogUnavailableError while the store is unavailable: retry
   */
  poll(request: EventPollRequest, render: LogEntryRenderer): Promise<ClientEvent[]> {
    return new Promise((resolve, reject) =>
      this.pollWithCallbacks(request, render, { onEvents: resolve, onFailed: reject }),
    );
  }

  /**
   * Polls an event queue like {@link poll}, but reports the result by callbacks, because promises would delay the
   * events of thousands of polls. Of the polls that wait for one event, two are completed in the same iteration of the
   * event loop. The other polls are completed in the next iteration.
   */
  pollWithCallbacks(request: EventPollRequest, render: LogEntryRenderer, callbacks: EventPollEndCallbacks): void {
    this.runWhenConnected(() => this.polling.poll(request, render, callbacks), callbacks);
  }

  /**
   * Returns the events of a queue after `lastEventId` one after another until the stream ends. Acknowledges only the
   * events up to `lastEventId`. The next request for the queue acknowledges the events that the client has received.
   * The errors of {@link poll} end the stream, and so does the removal of the queue. Otherwise the stream ends for the
   * same reasons as a pending poll.
   */
  stream(request: EventStreamRequest, render: LogEntryRenderer, callbacks: EventStreamCallbacks): void {
    this.runWhenConnected(() => this.polling.stream(request, render, callbacks), callbacks);
  }

  private runWhenConnected(run: () => void, callbacks: Pick<EventPollEndCallbacks, 'onFailed'>): void {
    if (this.isConnecting) this.connecting.then(run).catch((error: unknown) => callbacks.onFailed(error));
    else run();
  }

  /**
   * Deletes an event queue and ends its pending poll in any process.
   *
   * @throws BadEventQueueError if the owner has no queue with this id
   */
  async remove(queue: { realm: string; queueId: string; owner: string }): Promise<void> {
    await this.connecting;
    const removed = await this.connection.store.removeEventQueue(queue.realm, queue.queueId, queue.owner);
    if (!removed) throw new BadEventQueueError(queue.queueId);
  }

  /**
   * Deletes all event queues and tombstones of owners who lost access or a role. A tombstone is the record of an
   * expired queue that a client could still continue. Returns the number of deleted queues.
   */
  async removeOwned(realm: string, owners: readonly string[]): Promise<number> {
    await this.connecting;
    const mixed = this.clock.now() - this.startedMs < MIXED_VERSIONS_PERIOD_MS;
    return removeQueuesOfOwnersInBatches(this.connection.store, realm, owners, mixed);
  }

  /**
   * Returns those of the given owners who have an event queue. An expired queue counts until it is removed. A removed
   * queue counts as long as its client can still continue the queue.
   */
  async listOwnersOfQueues(realm: string, owners: readonly string[]): Promise<ReadonlySet<string>> {
    await this.connecting;
    const indexes = this.clock.now() - this.startedMs < MIXED_VERSIONS_PERIOD_MS;
    return this.connection.store.listOwnersWithQueues(realm, owners, indexes);
  }

  /** Starts the maintenance of the logs. Every process with an event log calls it; the store need not be available. */
  start(): void {
    this.maintenance.startMaintenance();
  }

  /**
   * Resolves when Redis has responded to the event log's connection, or when this process has locked the tables of the
   * log (`store: 'tables'`). Used by checks at startup.
   *
   * @throws EventLogInUseError if another process uses the tables
   */
  waitUntilStoreResponds(timeoutMs = 5_000): Promise<void> {
    return this.connection.waitUntilStoreResponds(timeoutMs);
  }

  /**
   * Ends all pending polls with the result `[]`. Later polls do not wait for events. This is the first step of a
   * shutdown.
   */
  endPolls(): void {
    this.polling.stop();
  }

  /**
   * Ends all polls, then stops the maintenance of the logs and closes the connection to the store. Event queues remain,
   * and other processes serve these queues. If PostgreSQL does not respond, the stop ends after a few seconds all the
   * same. The statements of the maintenance then remain on their connections of the pool.
   */
  async stop(): Promise<void> {
    this.endPolls();
    this.realmTails.stopRetryingReads();
    await this.maintenance.stopMaintenance();
    await this.connection.close();
  }

  /**
   * Starts a comparison of every realm's stored event log with the numbers in PostgreSQL. Called when PostgreSQL may have lost
   * commits.
   */
  scheduleLogComparison(): void {
    this.maintenance.startMaintenanceRoundNow();
  }

  /**
   * Compares every realm's stored event log with the numbers in PostgreSQL now, and repairs differences. The maintenance repeats
   * this comparison every `sweepMs` milliseconds.
   */
  sweep(): Promise<void> {
    return this.maintenance.runMaintenanceRound();
  }

  /**
   * Returns metrics of this process: bytes of cached entries, pending polls, open streams, realms whose logs are read,
   * appended entries, and voided rows. Also returns two numbers for the whole deployment: event queues, and numbered
   * entries that are not in the store yet. The last maintenance round of this process has determined these two numbers.
   */
  metrics(): EventLogMetrics {
    const { queues, behind } = this.maintenance;
    return {
      ...this.realmTails.getFollowedLogStatistics(),
      streams: this.polling.streamCount,
      queues,
      behind,
      appended: this.appendedCount,
      voided: this.dispatcher.voidLogEntryCount,
    };
  }

  /**
   * Lists the event logs of realms in the order of their names, with the assigned and the stored position.
   *
   * @throws EventLogUnavailableError while the store is unavailable
   */
  async listRealms(filter: RealmLogFilter = {}): Promise<RealmLogState[]> {
    await this.connecting;
    return listRealmLogs(
      { pool: this.pool, schema: toSchemaIdentifier(this.settings.schema) },
      this.connection.store,
      filter,
    );
  }

  private recoverAfterReconnect(realm: string): void {
    this.recoveries
      .requestRun(realm, () => this.dispatcher.repairEventLogOfRealm(realm))
      .catch((error: unknown) => {
        this.logger.debug({ realm, error: formatErrorText(error) }, 'event log recovery failed');
      });
  }

  /**
   * Appends a log entry without recipients, whose position provides event ids for further heartbeats. A realm without
   * events needs such an entry about every 80 minutes.
   */
  private appendHeartbeatEntry(realm: string): void {
    if (this.ticking.has(realm)) return;
    this.ticking.add(realm);
    withOutbox(this.pool, this.outbox, async (tx) =>
      this.write(tx, { realm, audience: { users: [] }, event: { type: 'tick' } }),
    )
      .catch((error: unknown) =>
        this.logger.warn({ realm, error: formatErrorText(error) }, 'writing a tick entry to the event log failed'),
      )
      .finally(() => this.ticking.delete(realm));
  }
}
