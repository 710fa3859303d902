import { findTracer } from '@switchboard/tracing';
import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import { BadEventQueueError, EventAheadError, EventLogUnavailableError } from './event-log-errors.js';
import { toHeartbeatId, toClientPosition } from './event-ids.js';
import { DeadlineSchedule } from './deadline-schedule.js';
import { PendingPoll, type PollEndReason, type PendingPollCallbacks } from './pending-poll.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { LogHistoryReader } from './log-history-reader.js';
import type { RedisLogStore } from './redis-log-store.js';
import { PausedStreamChecks } from './paused-streams.js';
import { pollInSpan } from './poll-span.js';
import type { PollCallbacks, PollRequest, PollTicket, StreamCallbacks, StreamRequest } from './poll-request.js';
import { EventQueueChecker } from './event-queue-checker.js';
import { EventQueueView, UnrenderableEntryError, type ClientEvent, type LogEntryRenderer } from './event-queue-view.js';
import type { RealmLogTails } from './realm-log-tails.js';
import type { RealmLogTail } from './realm-log-tail.js';
import { ReusedCollectionMap } from './reused-collection-map.js';

/** Dependencies of {@link EventPolling}. */
export interface EventPollingOptions {
  store: RedisLogStore;
  realmTails: RealmLogTails;
  clock: QueueClock;
  logger: QueueLogger;
  processId: string;
  heartbeatMs: number;
  queueCap: number;
  /** Turns of the event loop in which the entries of clients that are behind are examined. */
  turns: EntryRenderingThrottle;
  /** Function that reads the highest assigned log position (unit) of a realm from PostgreSQL. */
  position: (realm: string) => Promise<number>;
  /** Requests that the waiting outbox rows of a realm are appended to the realm's event log. */
  requestDrain: (realm: string) => void;
  /** Appends a log entry without recipients. The position of this entry provides ids for further heartbeats. */
  tick: (realm: string) => void;
}

/**
 * Interval at which a pending poll extends the life of its event queue, in milliseconds. At this interval, the poll
 * also detects that the queue was removed or taken over by another poll, even if the message about this was lost.
 */
const QUEUE_LEASE_MS = 60_000;

/** Interval in milliseconds between attempts to read a part of the event log that cannot be read at the moment. */
const LOG_READ_RETRY_MS = 1_000;

/** Number of steps into which the heartbeat time is divided. The deadlines of polls are rounded to these steps. */
const DEADLINE_STEPS_PER_HEARTBEAT = 200;

/**
 * Maximum number of events that are delivered to a stream at a time, unless one log entry has more events. Further
 * events remain in the log until the client has read the delivered events.
 */
const EVENTS_PER_DELIVERY = 100;

/** Implementation of `GET /events` and `GET /events/stream` (docs/contract/event-log.md 5). */
export class EventPolling implements PendingPollCallbacks<PollTicket> {
  /** Most recent poll of each event queue that polled this process, by queue id. */
  private readonly tickets = new ReusedCollectionMap<string, { ticket: PollTicket | null }>(
    () => ({ ticket: null }),
    ({ ticket }) => ticket === null,
  );
  /**
   * Polls that are removed from the realm's pending polls at the end of the current iteration of the event loop. These
   * are completed polls, and streams that continue.
   */
  private leaving: PollTicket[] = [];
  /** Number of open streams of events. */
  streamCount = 0;
  private count = 0;
  private stopped = false;
  private readonly tracer = findTracer('@switchboard/queue');

  private readonly checks: EventQueueChecker;
  private readonly history: LogHistoryReader;
  private readonly deadlines: DeadlineSchedule;
  private readonly pausedStreams: PausedStreamChecks;

  constructor(private readonly options: EventPollingOptions) {
    const { store, clock, heartbeatMs } = options;
    const leaseMs = Math.min(heartbeatMs, QUEUE_LEASE_MS);
    this.checks = new EventQueueChecker(store, leaseMs);
    this.history = new LogHistoryReader(options);
    this.deadlines = new DeadlineSchedule(heartbeatMs / DEADLINE_STEPS_PER_HEARTBEAT, clock);
    this.pausedStreams = new PausedStreamChecks({
      checks: this.checks,
      deadlines: this.deadlines,
      clock,
      leaseMs,
      cancel: (ticket) => this.cancelPoll(ticket),
      fail: (ticket, error) => void this.failPoll(ticket, error),
    });
  }

  poll(request: PollRequest, render: LogEntryRenderer, callbacks: PollCallbacks): void {
    if (!Number.isSafeInteger(request.lastEventId)) return callbacks.failed(new EventAheadError(request.lastEventId));
    this.start(this.createPollTicket(request, request.block, render, callbacks));
  }

  /**
   * Opens a stream of events, which is a poll that continues after each delivery. Acknowledges only the event id of the
   * request, because the client may not have read delivered events.
   */
  stream(request: StreamRequest, render: LogEntryRenderer, callbacks: StreamCallbacks): void {
    if (!Number.isSafeInteger(request.lastEventId)) return callbacks.failed(new EventAheadError(request.lastEventId));
    const ticket = this.createPollTicket(request, true, render, null);
    ticket.stream = { callbacks, resume: () => this.resumeStream(ticket), isPaused: false, nextCheck: null };
    this.streamCount += 1;
    this.start(ticket);
  }

  private start(ticket: PollTicket): void {
    const { signal, client } = ticket.request;
    // A check would end the request with which the client may continue on another connection.
    if (signal?.aborted || client?.closed) return this.completePoll(ticket, []);
    signal?.addEventListener('abort', ticket.cancel, { once: true });
    client?.on('close', ticket.cancel);
    void (this.tracer === null ? this.tryPoll(ticket) : pollInSpan(this.tracer, ticket, () => this.tryPoll(ticket)));
  }

  private createPollTicket(
    request: StreamRequest,
    waits: boolean,
    render: LogEntryRenderer,
    callbacks: PollCallbacks | null,
  ): PollTicket {
    const ticket: PollTicket = {
      request,
      waits,
      render,
      callbacks,
      token: `${this.options.processId}:${(this.count += 1)}`,
      cancel: () => this.cancelPoll(ticket),
      stream: null,
      lastEventId: request.lastEventId,
      deadline: this.computeNextHeartbeatTime(),
      known: false,
      ended: false,
      isCompleted: false,
      pending: null,
    };
    return ticket;
  }

  /** Returns the time of a heartbeat, randomized so that polls completed together do not get their heartbeats together. */
  private computeNextHeartbeatTime(): number {
    return this.options.clock.now() + this.options.heartbeatMs * (1 - Math.random() / 10);
  }

  onPollEnd(pending: PendingPoll<PollTicket>, outcome: PollEndReason): void {
    if (outcome === 'events') this.completePoll(pending.ticket, pending.view.events);
    else if (outcome === 'ended') this.completePoll(pending.ticket, []);
    else void this.handleOutcome(pending, outcome);
  }

  onPollFailure({ ticket }: PendingPoll<PollTicket>, error: unknown): void {
    void this.failPoll(ticket, error);
  }

  /** Checks the event queue of a poll. Then responds to the poll, or lets the poll wait for events. */
  private async tryPoll(ticket: PollTicket): Promise<void> {
    try {
      const seen = await this.checkQueue(ticket);
      if (!(seen instanceof PendingPoll)) this.completePoll(ticket, seen);
      else if (ticket.stream !== null && !ticket.isCompleted) ticket.stream.callbacks.waiting();
    } catch (error) {
      await this.failPoll(ticket, error);
    }
  }

  /** Handles the end of a pending poll's wait. Responds to the client, or lets the poll wait again. */
  private async handleOutcome(pending: PendingPoll<PollTicket>, outcome: PollEndReason): Promise<void> {
    const { ticket } = pending;
    try {
      const beat = outcome === 'time' ? await this.sendHeartbeat(pending) : null;
      if (beat) return this.completePoll(ticket, beat);
    } catch (error) {
      return this.failPoll(ticket, error);
    }
    this.releaseQueue(ticket);
    return this.tryPoll(ticket);
  }

  /**
   * Completes a poll with events. Logs errors of the poll's callback, because such errors must not affect other polls
   * that wait for the same log entry.
   */
  private completePoll(ticket: PollTicket, events: ClientEvent[]): void {
    const { stream } = ticket;
    const isDelivery = stream !== null && events.length > 0 && !ticket.ended;
    if (!(isDelivery ? this.pauseStream(ticket, events) : this.markCompleted(ticket))) return;
    try {
      if (isDelivery) stream.callbacks.events(events, stream.resume);
      else if (stream !== null) stream.callbacks.ended();
      else ticket.callbacks?.events(events);
    } catch (error) {
      this.logCallbackError(ticket, error);
    }
    this.pausedStreams.add(ticket);
  }

  /** Pauses a stream for the delivery of events. Returns false if the stream has ended. */
  private pauseStream(ticket: PollTicket, events: readonly ClientEvent[]): boolean {
    const { stream } = ticket;
    if (ticket.isCompleted || stream === null) return false;
    ticket.pending?.close();
    ticket.lastEventId = events.at(-1)?.id ?? ticket.lastEventId;
    stream.isPaused = true;
    return true;
  }

  /** Continues a stream after the delivery of events. Has no effect if the stream is not paused. */
  private resumeStream(ticket: PollTicket): void {
    if (ticket.isCompleted || ticket.stream?.isPaused !== true) return;
    ticket.stream.isPaused = false;
    this.pausedStreams.remove(ticket);
    ticket.deadline = this.computeNextHeartbeatTime();
    this.markQueueLeft(ticket);
  }

  /** Ends a poll or a stream without further events. */
  private cancelPoll(ticket: PollTicket): void {
    ticket.ended = true;
    // Nothing else would complete a stream between a delivery and its continuation.
    if (ticket.stream?.isPaused === true) this.completePoll(ticket, []);
    else ticket.pending?.end();
  }

  private async failPoll(ticket: PollTicket, error: unknown): Promise<void> {
    if (!this.markCompleted(ticket)) return;
    const failed = (outcome: unknown): void => {
      try {
        (ticket.stream ?? ticket).callbacks?.failed(outcome);
      } catch (thrown) {
        this.logCallbackError(ticket, thrown);
      }
    };
    if (!(error instanceof UnrenderableEntryError)) return failed(error);
    // A retry would fail on the same entry again. After a new registration the snapshot contains the change.
    this.options.logger.error(
      { ...toIds(ticket.request), error: formatErrorText(error) },
      'event queue removed because an entry cannot be rendered',
    );
    await this.removeQueue(ticket.request).then(failed, failed);
  }

  private logCallbackError({ request }: PollTicket, error: unknown): void {
    this.options.logger.error({ ...toIds(request), error: formatErrorText(error) }, 'responding to a poll failed');
  }

  /** Marks a poll as completed. Returns true for the first call, whose caller must respond to the client. */
  private markCompleted(ticket: PollTicket): boolean {
    if (ticket.isCompleted) return false;
    ticket.isCompleted = true;
    ticket.pending?.close();
    if (ticket.stream !== null) this.streamCount -= 1;
    this.pausedStreams.remove(ticket);
    this.markQueueLeft(ticket);
    return true;
  }

  private markQueueLeft(ticket: PollTicket): void {
    // Cleanup is deferred: thousands of polls complete in one turn, and the last would wait for the cleanup of all
    // others.
    if (this.leaving.length === 0) setImmediate(() => this.releaseLeftQueues());
    this.leaving.push(ticket);
  }

  private releaseLeftQueues(): void {
    const left = this.leaving;
    this.leaving = [];
    for (const ticket of left) {
      const { signal, client, queueId } = ticket.request;
      this.releaseQueue(ticket);
      if (!ticket.isCompleted) {
        void this.tryPoll(ticket);
        continue;
      }
      signal?.removeEventListener('abort', ticket.cancel);
      client?.off('close', ticket.cancel);
      const last = this.tickets.find(queueId);
      if (last?.ticket === ticket) last.ticket = null;
    }
  }

  /** Ends the pending poll that has this token. With `isRemoved`, a stream ends with an error. */
  endPollOfQueue(queueId: string, token: string, isRemoved: boolean): void {
    const ticket = this.tickets.find(queueId)?.ticket;
    if (ticket?.token !== token) return;
    if (ticket.stream !== null && isRemoved) void this.failPoll(ticket, new BadEventQueueError(queueId));
    else this.cancelPoll(ticket);
  }

  /** Ends every poll with the result `[]`. The clients can poll again at any process. */
  stop(): void {
    this.stopped = true;
    for (const { ticket } of this.tickets.values()) if (ticket) this.cancelPoll(ticket);
  }

  /**
   * Checks the event queue of a poll once, and returns the events of the queue. If there are no events and the poll may
   * wait, returns a pending poll.
   */
  private async checkQueue(ticket: PollTicket): Promise<ClientEvent[] | PendingPoll<PollTicket>> {
    const { realmTails, queueCap } = this.options;
    const { request, lastEventId } = ticket;
    const { realm, queueId } = request;
    const checked = await this.checks.checkPollQueue(ticket);
    // A stream fails when its queue is removed, which may happen during this check.
    if (checked === null || ticket.isCompleted) return [];
    ticket.known = true;
    this.takeOverQueue(queueId, ticket);
    const { record, skip, epoch } = checked.queue;
    const { unit } = toClientPosition(record.start, lastEventId);
    const realmTail = realmTails.find(realm) ?? (await realmTails.getOrFollow(realm, unit));
    if (realmTail.tail.epoch !== 0 && realmTail.tail.epoch !== epoch) await realmTail.readMissingEntries();
    if (unit > checked.last) await this.waitForRedisPosition(realmTail, unit, lastEventId);

    const view = new EventQueueView(record, skip, unit, ticket.render, ticket.stream ? EVENTS_PER_DELIVERY : queueCap);
    let covered = true;
    // After the last part no entry can arrive before the poll is registered in the same turn of the event loop.
    while (covered && !this.history.examineEntriesInMemory(view, realmTail)) {
      covered = await this.history.examineOldEntries(view, realmTail);
      if (ticket.ended || ticket.isCompleted || this.stopped) return [];
    }
    if (view.hasReachedEventLimit && ticket.stream === null) throw await this.removeQueue(request);
    if (ticket.ended || ticket.isCompleted || this.stopped) return [];
    if (view.events.length > 0 || !ticket.waits) return view.events;
    const until = Math.min(ticket.deadline, this.options.clock.now() + (covered ? QUEUE_LEASE_MS : LOG_READ_RETRY_MS));
    return (ticket.pending = new PendingPoll(this, ticket, view, realmTail, covered, this.deadlines, until));
  }

  /**
   * Removes an event queue whose events cannot all be delivered. Otherwise the queue would prevent the removal of old
   * log entries. Returns the error for the client.
   */
  private async removeQueue({ realm, queueId, owner }: StreamRequest): Promise<BadEventQueueError> {
    await this.options.store.removeQueue(realm, queueId, owner);
    return new BadEventQueueError(queueId);
  }

  private releaseQueue(ticket: PollTicket): void {
    ticket.pending?.release();
    ticket.pending = null;
  }

  private takeOverQueue(queueId: string, ticket: PollTicket): void {
    const last = this.tickets.getOrCreate(queueId);
    if (last.ticket && last.ticket !== ticket) this.cancelPoll(last.ticket);
    last.ticket = ticket;
  }

  /**
   * Waits if Redis does not have position `unit` of the log, because Redis may have lost entries that will be restored.
   *
   * @throws EventAheadError if `unit` was never assigned, so that the client must have invented it
   */
  private async waitForRedisPosition(realmTail: RealmLogTail, unit: number, lastEventId: number): Promise<void> {
    const { position, requestDrain } = this.options;
    if (unit > realmTail.tail.end && unit > (await position(realmTail.realm))) throw new EventAheadError(lastEventId);
    requestDrain(realmTail.realm);
  }

  /**
   * Handles the end of a poll's waiting time. Reads the log once more, because a notification may have been lost.
   * Returns a heartbeat that acknowledges the examined entries, or new events. Returns null if the poll must continue.
   */
  private async sendHeartbeat(pending: PendingPoll<PollTicket>): Promise<ClientEvent[] | null> {
    const { ticket, view, realmTail, covered } = pending;
    const { realm } = ticket.request;
    if (this.options.clock.now() < ticket.deadline) return null;
    try {
      await realmTail.readMissingEntries();
    } catch (error) {
      if (error instanceof EventLogUnavailableError && ticket.stream === null) return [];
      throw error;
    }
    // The heartbeat acknowledges the whole tail, so all its entries must have been offered to the view.
    while (realmTail.waiters.delivering) await realmTail.waiters.delivering;
    if (pending.stale) return null;
    if (pending.failure !== null) throw pending.failure;
    if (view.events.length > 0) return view.events;
    if (ticket.ended) return [];
    const id = toHeartbeatId(view.queue.start, ticket.lastEventId, covered ? realmTail.tail.end : view.examined);
    if (id === 'hold') {
      await new Promise<void>((resolve) => this.options.clock.setTimeout(resolve, LOG_READ_RETRY_MS));
      return ticket.ended ? [] : null;
    }
    if (id === 'tick') {
      this.options.tick(realm);
      if (ticket.stream === null) return [];
      ticket.deadline = this.options.clock.now() + LOG_READ_RETRY_MS;
      return null;
    }
    return [{ type: 'heartbeat', id }];
  }
}

const toIds = ({ realm, queueId, owner }: StreamRequest): object => ({ realm, queueId, owner });
