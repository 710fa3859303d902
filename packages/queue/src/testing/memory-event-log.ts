import { runInPoolTransaction, type QueuePool } from '../database.js';
import type { QueueClock } from '../environment.js';
import { encodeAudience } from '../event-log/audience.js';
import { BadEventQueueError, EventAheadError, EventPrunedError } from '../event-log/event-log-errors.js';
import { toEventId, toHeartbeatId, toClientPosition } from '../event-log/event-ids.js';
import { defaultEventLogSettings, type EventLogMetrics } from '../event-log/event-log-options.js';
import type { EventLog } from '../event-log/event-log.js';
import { LogEntry } from '../event-log/log-entry.js';
import { createLogEntryOutboxRow, type NewLogEntry } from '../event-log/new-log-entry.js';
import type {
  EventPollEndCallbacks,
  EventPollRequest,
  EventStreamCallbacks,
  EventStreamRequest,
} from '../event-log/poll-request.js';
import {
  EventQueueEntryExaminer,
  UnrenderableEntryError,
  type ClientEvent,
  type LogEntryRenderer,
} from '../event-log/event-queue-view.js';
import type {
  RegisteredEventQueue,
  EventQueueRegistrationOptions,
  RegistrationSnapshotReader,
} from '../event-log/register-queue.js';
import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';
import type { NewOutboxRow } from '../outbox/outbox-row-buffer.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { MemoryEventQueue } from './memory-event-queue.js';
import type { MemoryOutbox } from './memory-outbox.js';
import type { RealmLogState, RealmLogFilter } from '../event-log/realm-logs.js';
import type { PublicMembersOfClass } from './public-members.js';

/** Maximum number of events that an event stream delivers at a time. */
const MAX_EVENTS_PER_STREAM_DELIVERY = 100;

export interface MemoryEventLogOptions {
  readonly outbox: MemoryOutbox;
  readonly pool: QueuePool;
  readonly clock: QueueClock;
}

/**
 * Replacement of {@link EventLog} in tests, with the event logs of all realms in memory. Committed entries are appended
 * immediately.
 */
export class MemoryEventLog implements PublicMembersOfClass<EventLog> {
  private readonly logs = new Map<string, LogEntry[]>();
  private readonly queues = new Map<string, MemoryEventQueue>();
  private isEnding = false;
  private appended = 0;

  constructor(private readonly options: MemoryEventLogOptions) {
    options.outbox.registerRowReceiver(EVENT_LOG_TOPIC, ({ id, row }) => this.appendLogEntry(String(id), row));
  }

  write(tx: TransactionHandle, entry: NewLogEntry): void {
    this.options.outbox.addRow(tx, createLogEntryOutboxRow(entry, defaultEventLogSettings.maxEntryLength));
  }

  /** Returns the entries in the event log of a realm, oldest first. */
  listEntriesOfRealm(realm: string): readonly LogEntry[] {
    return this.logs.get(realm) ?? [];
  }

  /**
   * Registers an event queue with a snapshot, never with a delta. The snapshot may already contain changes that the
   * first events also describe.
   */
  async register<T>(
    options: EventQueueRegistrationOptions,
    snapshot: RegistrationSnapshotReader<T>,
  ): Promise<RegisteredEventQueue<T>> {
    const queue = new MemoryEventQueue(options, this.getLastPositionOfRealm(options.realm), this.options.clock);
    const data = await runInPoolTransaction(this.options.pool, (tx) => snapshot(tx, false), 'snapshot');
    this.queues.set(queue.record.id, queue);
    return { queueId: queue.record.id, lastEventId: -1, snapshot: data, delta: null };
  }

  async poll(request: EventPollRequest, render: LogEntryRenderer): Promise<ClientEvent[]> {
    const queue = this.requireQueueOfOwner(request);
    const poll = {};
    queue.beginPoll(poll);
    const heartbeatAt = this.options.clock.now() + defaultEventLogSettings.heartbeatMs;
    this.acknowledgeEvents(queue, request.lastEventId);
    for (;;) {
      const { events } = this.collectEventsOfQueue(queue, request.lastEventId, render);
      if (events.length > 0 || !request.block || this.isEnding) return events;
      const outcome = await queue.waitForEvents(request, heartbeatAt);
      if (outcome === 'heartbeat') return [this.createHeartbeatEvent(queue, request.lastEventId)];
      if (outcome === 'ended' || !queue.isCurrentPoll(poll)) return [];
    }
  }

  pollWithCallbacks(request: EventPollRequest, render: LogEntryRenderer, callbacks: EventPollEndCallbacks): void {
    void this.poll(request, render).then(
      (events) => callbacks.onEvents(events),
      (error: unknown) => callbacks.onFailed(error),
    );
  }

  stream(request: EventStreamRequest, render: LogEntryRenderer, callbacks: EventStreamCallbacks): void {
    void this.deliverEventStream(request, render, callbacks).then(
      () => callbacks.onEnded(),
      (error: unknown) => callbacks.onFailed(error),
    );
  }

  async remove({ realm, queueId, owner }: { realm: string; queueId: string; owner: string }): Promise<void> {
    this.removeEventQueue(this.requireQueueOfOwner({ realm, queueId, owner }));
  }

  async removeOwned(realm: string, owners: readonly string[]): Promise<number> {
    const removed = this.listQueuesOfRealm(realm).filter(({ record }) => owners.includes(record.owner));
    for (const queue of removed) this.removeEventQueue(queue);
    return removed.length;
  }

  async listOwnersOfQueues(realm: string, owners: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set(this.listQueuesOfRealm(realm).map(({ record }) => record.owner));
    return new Set(owners.filter((owner) => known.has(owner)));
  }

  start(): void {}

  async waitUntilStoreResponds(): Promise<void> {}

  endPolls(): void {
    this.isEnding = true;
    for (const queue of this.queues.values()) queue.endWaitOfPoll('ended');
  }

  async stop(): Promise<void> {
    this.endPolls();
  }

  scheduleLogComparison(): void {}

  async sweep(): Promise<void> {}

  metrics(): EventLogMetrics {
    const queues = [...this.queues.values()];
    return {
      tailBytes: [...this.logs.values()].flat().reduce((sum, { bytes }) => sum + bytes, 0),
      waiters: queues.filter(({ hasWaitingPoll: isWaiting }) => isWaiting).length,
      streams: 0,
      realms: this.logs.size,
      appended: this.appended,
      voided: 0,
      queues: queues.length,
      behind: 0,
    };
  }

  async listRealms({ after, limit = 100 }: RealmLogFilter = {}): Promise<RealmLogState[]> {
    const realms = [...this.logs.keys()].toSorted().filter((realm) => after === undefined || realm > after);
    return realms.slice(0, limit).map((realm) => {
      const position = this.getLastPositionOfRealm(realm);
      return { realm, position, storedPosition: position, lag: 0, queues: this.listQueuesOfRealm(realm).length };
    });
  }

  private async deliverEventStream(
    request: EventStreamRequest,
    render: LogEntryRenderer,
    callbacks: EventStreamCallbacks,
  ): Promise<void> {
    const queue = this.requireQueueOfOwner(request);
    const poll = {};
    queue.beginPoll(poll);
    this.acknowledgeEvents(queue, request.lastEventId);
    let { lastEventId } = request;
    const deliver = async (events: ClientEvent[]): Promise<void> => {
      lastEventId = events.at(-1)?.id ?? lastEventId;
      await new Promise<void>((resume) => callbacks.onEvents(events, resume));
    };
    while (queue.isCurrentPoll(poll) && !this.isEnding) {
      const { events } = this.collectEventsOfQueue(queue, lastEventId, render, MAX_EVENTS_PER_STREAM_DELIVERY);
      if (events.length > 0) {
        await deliver(events);
        continue;
      }
      callbacks.onWaiting();
      const outcome = await queue.waitForEvents(
        request,
        this.options.clock.now() + defaultEventLogSettings.heartbeatMs,
      );
      if (outcome === 'heartbeat') await deliver([this.createHeartbeatEvent(queue, lastEventId)]);
      if (outcome === 'ended') break;
    }
    if (queue.isRemoved) throw new BadEventQueueError(request.queueId);
  }

  private appendLogEntry(rowId: string, { realm, payload, audience, weight }: Omit<NewOutboxRow, 'topic'>): void {
    const entries = this.logs.get(realm) ?? [];
    this.logs.set(realm, entries);
    const row = {
      id: rowId,
      seq: this.getLastPositionOfRealm(realm) + weight,
      weight,
      void: false,
      audience: audience ?? '|',
      payload,
    };
    entries.push(LogEntry.fromNumberedRow(row));
    this.appended += 1;
    for (const queue of this.listQueuesOfRealm(realm)) queue.endWaitOfPoll('entry');
  }

  /** Last position of the event log of a realm. */
  private getLastPositionOfRealm(realm: string): number {
    return this.listEntriesOfRealm(realm).at(-1)?.unit ?? 0;
  }

  private listQueuesOfRealm(realm: string): MemoryEventQueue[] {
    return [...this.queues.values()].filter(({ record }) => record.realm === realm);
  }

  /** @throws BadEventQueueError if the owner has no event queue with the requested id */
  private requireQueueOfOwner({
    realm,
    queueId,
    owner,
  }: {
    realm: string;
    queueId: string;
    owner: string;
  }): MemoryEventQueue {
    const queue = this.queues.get(queueId);
    if (queue?.isExpired === true) this.removeEventQueue(queue);
    const isOwn = queue?.record.realm === realm && queue.record.owner === owner && !queue.isRemoved;
    if (queue === undefined || !isOwn) throw new BadEventQueueError(queueId);
    return queue;
  }

  private removeEventQueue(queue: MemoryEventQueue): void {
    queue.isRemoved = true;
    this.queues.delete(queue.record.id);
    queue.endWaitOfPoll('ended');
  }

  /**
   * Acknowledges the events of an event queue up to an event id.
   *
   * @throws EventPrunedError if the id precedes the last acknowledged id
   * @throws EventAheadError if the id was never assigned
   */
  private acknowledgeEvents(queue: MemoryEventQueue, lastEventId: number): void {
    const { unit } = toClientPosition(queue.record.start, lastEventId);
    if (unit > this.getLastPositionOfRealm(queue.record.realm)) throw new EventAheadError(lastEventId);
    if (unit < queue.acknowledged) throw new EventPrunedError(lastEventId);
    queue.acknowledged = unit;
  }

  private collectEventsOfQueue(
    queue: MemoryEventQueue,
    lastEventId: number,
    render: LogEntryRenderer,
    maxEvents?: number,
  ): EventQueueEntryExaminer {
    const { record } = queue;
    const { unit } = toClientPosition(record.start, lastEventId);
    const view = new EventQueueEntryExaminer(record, new Set(), unit, render, maxEvents);
    try {
      for (const entry of this.listEntriesOfRealm(record.realm)) view.examineEntry(entry);
    } catch (error) {
      if (error instanceof UnrenderableEntryError) this.removeEventQueue(queue);
      throw error;
    }
    return view;
  }

  /**
   * Returns a heartbeat event. If all ids after the last log entry are used, first appends an entry without recipients
   * to the log.
   */
  private createHeartbeatEvent({ record }: MemoryEventQueue, lastEventId: number): ClientEvent {
    const id = toHeartbeatId(record.start, lastEventId, this.getLastPositionOfRealm(record.realm));
    if (typeof id === 'number') return { type: 'heartbeat', id };
    const audience = encodeAudience({ users: [] });
    const tick = createLogEntryOutboxRow(
      { realm: record.realm, audience: {}, event: { type: 'tick' } },
      defaultEventLogSettings.maxEntryLength,
    );
    this.appendLogEntry('0', { ...tick, audience, context: null });
    return { type: 'heartbeat', id: toEventId(record.start, this.getLastPositionOfRealm(record.realm), 1) };
  }
}
