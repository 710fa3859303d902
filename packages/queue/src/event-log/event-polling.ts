import { findTracer } from '@switchboard/tracing';
import { formatErrorText } from '../environment.js';
import { BadEventQueueError, EventAheadError, EventLogUnavailableError } from './event-log-errors.js';
import { toHeartbeatId, toClientPosition } from './event-ids.js';
import { DeadlineSchedule } from './deadline-schedule.js';
import { PendingEventPoll, type PendingPollEndReason, type PendingEventPollCallbacks } from './pending-poll.js';
import type { EventPollingOptions } from './event-polling-options.js';
import { EventLogHistoryReader } from './log-history-reader.js';
import { PausedEventStreamChecks } from './paused-streams.js';
import { checkPollQueueInSpan } from './poll-span.js';
import type {
  EventPollEndCallbacks,
  EventPollRequest,
  ClientPollState,
  EventStreamCallbacks,
  EventStreamRequest,
} from './poll-request.js';
import { EventQueueChecker } from './event-queue-checker.js';
import {
  EventQueueEntryExaminer,
  UnrenderableEntryError,
  type ClientEvent,
  type LogEntryRenderer,
} from './event-queue-view.js';
import type { RecentRealmLog } from './realm-log-tail.js';
import { MapWithReusableCollections } from './reused-collection-map.js';

/**
 * Interval at which a pending poll extends the life of its event queue, in milliseconds. At this interval, the poll
 * detects that its queue was removed or taken over, even if the message about this was lost.
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
export class EventPolling implements PendingEventPollCallbacks<ClientPollState> {
  /** Most recent poll of each event queue that polled this process, by queue id. */
  private readonly tickets = new MapWithReusableCollections<string, { ticket: ClientPollState | null }>(
    () => ({ ticket: null }),
    ({ ticket }) => ticket === null,
  );
  /**
   * Polls that are removed from the realm's pending polls at the end of the current iteration of the event loop. These
   * are completed polls, and streams that continue.
   */
  private leaving: ClientPollState[] = [];
  /** Number of open streams of events. */
  streamCount = 0;
  private count = 0;
  private stopped = false;
  private readonly tracer = findTracer('@switchboard/queue');

  private readonly checks: EventQueueChecker;
  private readonly history: EventLogHistoryReader;
  private readonly deadlines: DeadlineSchedule;
  private readonly pausedStreams: PausedEventStreamChecks;

  constructor(private readonly options: EventPollingOptions) {
    const { store, clock, heartbeatMs } = options;
    const leaseMs = Math.min(heartbeatMs, QUEUE_LEASE_MS);
    this.checks = new EventQueueChecker(store, leaseMs);
    this.history = new EventLogHistoryReader(options);
    this.deadlines = new DeadlineSchedule(heartbeatMs / DEADLINE_STEPS_PER_HEARTBEAT, clock);
    this.pausedStreams = new PausedEventStreamChecks({
      checks: this.checks,
      deadlines: this.deadlines,
      clock,
      leaseMs,
      cancel: (ticket) => this.cancelPoll(ticket),
      fail: (ticket, error) => void this.failPoll(ticket, error),
    });
  }

  poll(request: EventPollRequest, render: LogEntryRenderer, callbacks: EventPollEndCallbacks): void {
    if (!Number.isSafeInteger(request.lastEventId)) return callbacks.onFailed(new EventAheadError(request.lastEventId));
    this.start(this.createPollTicket(request, request.block, render, callbacks));
  }

  /**
   * Opens a stream of events, which is a poll that continues after each delivery. Acknowledges only the event id of the
   * request, because the client may not have read delivered events.
   */
  stream(request: EventStreamRequest, render: LogEntryRenderer, callbacks: EventStreamCallbacks): void {
    if (!Number.isSafeInteger(request.lastEventId)) return callbacks.onFailed(new EventAheadError(request.lastEventId));
    const ticket = this.createPollTicket(request, true, render, null);
    ticket.stream = { callbacks, resume: () => this.resumeStream(ticket), isPaused: false, nextCheck: null };
    this.streamCount += 1;
    this.start(ticket);
  }

  private start(ticket: ClientPollState): void {
    const { signal, client } = ticket.request;
    // A check would end the request with which the client may continue on another connection.
    if (signal?.aborted || client?.closed) return this.completePoll(ticket, []);
    signal?.addEventListener('abort', ticket.cancel, { once: true });
    client?.on('close', ticket.cancel);
    void (this.tracer === null
      ? this.tryPoll(ticket)
      : checkPollQueueInSpan(this.tracer, ticket, () => this.tryPoll(ticket)));
  }

  private createPollTicket(
    request: EventStreamRequest,
    waits: boolean,
    render: LogEntryRenderer,
    callbacks: EventPollEndCallbacks | null,
  ): ClientPollState {
    const ticket: ClientPollState = {
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

  onPollEnd(pending: PendingEventPoll<ClientPollState>, outcome: PendingPollEndReason): void {
    if (outcome === 'events') this.completePoll(pending.ticket, pending.view.events);
    else if (outcome === 'ended') this.completePoll(pending.ticket, []);
    else void this.handleOutcome(pending, outcome);
  }

  onPollFailure({ ticket }: PendingEventPoll<ClientPollState>, error: unknown): void {
    void this.failPoll(ticket, error);
  }

  /** Checks the event queue of a poll. Then responds to the poll, or lets the poll wait for events. */
  private async tryPoll(ticket: ClientPollState): Promise<void> {
    try {
      const seen = await this.checkQueue(ticket);
      if (!(seen instanceof PendingEventPoll)) this.completePoll(ticket, seen);
      else if (ticket.stream !== null && !ticket.isCompleted) ticket.stream.callbacks.onWaiting();
    } catch (error) {
      await this.failPoll(ticket, error);
    }
  }

  /** Handles the end of a pending poll's wait. Responds to the client, or lets the poll wait again. */
  private async handleOutcome(
    pending: PendingEventPoll<ClientPollState>,
    outcome: PendingPollEndReason,
  ): Promise<void> {
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
  private completePoll(ticket: ClientPollState, events: ClientEvent[]): void {
    const { stream } = ticket;
    const isDelivery = stream !== null && events.length > 0 && !ticket.ended;
    if (!(isDelivery ? this.pauseStream(ticket, events) : this.markCompleted(ticket))) return;
    try {
      if (isDelivery) stream.callbacks.onEvents(events, stream.resume);
      else if (stream !== null) stream.callbacks.onEnded();
      else ticket.callbacks?.onEvents(events);
    } catch (error) {
      this.logCallbackError(ticket, error);
    }
    this.pausedStreams.startChecksOfStream(ticket);
  }

  /** Pauses a stream for the delivery of events. Returns false if the stream has ended. */
  private pauseStream(ticket: ClientPollState, events: readonly ClientEvent[]): boolean {
    const { stream } = ticket;
    if (ticket.isCompleted || stream === null) return false;
    ticket.pending?.stopAcceptingEntries();
    ticket.lastEventId = events.at(-1)?.id ?? ticket.lastEventId;
    stream.isPaused = true;
    return true;
  }

  /** Continues a stream after the delivery of events. Has no effect if the stream is not paused. */
  private resumeStream(ticket: ClientPollState): void {
    if (ticket.isCompleted || ticket.stream?.isPaused !== true) return;
    ticket.stream.isPaused = false;
    this.pausedStreams.endChecksOfStream(ticket);
    ticket.deadline = this.computeNextHeartbeatTime();
    this.markQueueLeft(ticket);
  }

  /** Ends a poll or a stream without further events. */
  private cancelPoll(ticket: ClientPollState): void {
    ticket.ended = true;
    // Nothing else would complete a stream between a delivery and its continuation.
    if (ticket.stream?.isPaused === true) this.completePoll(ticket, []);
    else ticket.pending?.endWaitWithoutEvents();
  }

  private async failPoll(ticket: ClientPollState, error: unknown): Promise<void> {
    if (!this.markCompleted(ticket)) return;
    const failed = (outcome: unknown): void => {
      try {
        (ticket.stream ?? ticket).callbacks?.onFailed(outcome);
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

  private logCallbackError({ request }: ClientPollState, error: unknown): void {
    this.options.logger.error({ ...toIds(request), error: formatErrorText(error) }, 'responding to a poll failed');
  }

  /** Marks a poll as completed. Returns true for the first call, whose caller must respond to the client. */
  private markCompleted(ticket: ClientPollState): boolean {
    if (ticket.isCompleted) return false;
    ticket.isCompleted = true;
    ticket.pending?.stopAcceptingEntries();
    if (ticket.stream !== null) this.streamCount -= 1;
    this.pausedStreams.endChecksOfStream(ticket);
    this.markQueueLeft(ticket);
    return true;
  }

  private markQueueLeft(ticket: ClientPollState): void {
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
      const last = this.tickets.findCollection(queueId);
      if (last?.ticket === ticket) last.ticket = null;
    }
  }

  /** Ends the pending poll that has this token. With `isRemoved`, a stream ends with an error. */
  endPollOfQueue(queueId: string, token: string, isRemoved: boolean): void {
    const ticket = this.tickets.findCollection(queueId)?.ticket;
    if (ticket?.token !== token) return;
    if (ticket.stream !== null && isRemoved) void this.failPoll(ticket, new BadEventQueueError(queueId));
    else this.cancelPoll(ticket);
  }

  /** Ends every poll with the result `[]`. The clients can poll again at any process. */
  stop(): void {
    this.stopped = true;
    for (const { ticket } of this.tickets.listCollections()) if (ticket) this.cancelPoll(ticket);
  }

  /**
   * Checks the event queue of a poll once, and returns the events of the queue. If there are no events and the poll may
   * wait, returns a pending poll.
   */
  private async checkQueue(ticket: ClientPollState): Promise<ClientEvent[] | PendingEventPoll<ClientPollState>> {
    const { realmTails, queueCap } = this.options;
    const { request, lastEventId } = ticket;
    const { realm, queueId } = request;
    const checked = await this.checks.checkEventQueueOfPoll(ticket);
    // A stream fails when its queue is removed, which may happen during this check.
    if (checked === null || ticket.isCompleted) return [];
    ticket.known = true;
    this.takeOverQueue(queueId, ticket);
    const { record, skip, epoch } = checked.queue;
    const { unit } = toClientPosition(record.start, lastEventId);
    const realmTail = realmTails.findFollowedLog(realm) ?? (await realmTails.getOrFollowLog(realm, unit));
    if (realmTail.tail.epoch !== 0 && realmTail.tail.epoch !== epoch) await realmTail.readMissingLogEntries();
    if (unit > checked.last) await this.waitForStoredPosition(realmTail, unit, lastEventId);

    const view = new EventQueueEntryExaminer(
      record,
      skip,
      unit,
      ticket.render,
      ticket.stream ? EVENTS_PER_DELIVERY : queueCap,
    );
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
    return (ticket.pending = new PendingEventPoll(this, ticket, view, realmTail, covered, this.deadlines, until));
  }

  /**
   * Removes an event queue whose events cannot all be delivered. Otherwise the queue would prevent the removal of old
   * log entries. Returns the error for the client.
   */
  private async removeQueue({ realm, queueId, owner }: EventStreamRequest): Promise<BadEventQueueError> {
    await this.options.store.removeEventQueue(realm, queueId, owner);
    return new BadEventQueueError(queueId);
  }

  private releaseQueue(ticket: ClientPollState): void {
    ticket.pending?.removeFromRealm();
    ticket.pending = null;
  }

  private takeOverQueue(queueId: string, ticket: ClientPollState): void {
    const last = this.tickets.getOrCreateCollection(queueId);
    if (last.ticket && last.ticket !== ticket) this.cancelPoll(last.ticket);
    last.ticket = ticket;
  }

  /**
   * Waits if the store does not have position `unit` of the log, because it may have lost entries that will be restored.
   *
   * @throws EventAheadError if `unit` was never assigned, so that the client must have invented it
   */
  private async waitForStoredPosition(realmTail: RecentRealmLog, unit: number, lastEventId: number): Promise<void> {
    const { position, requestDrain } = this.options;
    if (unit > realmTail.tail.end && unit > (await position(realmTail.realm))) throw new EventAheadError(lastEventId);
    requestDrain(realmTail.realm);
  }

  /**
   * Handles the end of a poll's waiting time. Reads the log once more, because a notification may have been lost.
   * Returns a heartbeat that acknowledges the examined entries, or new events. Returns null if the poll must continue.
   */
  private async sendHeartbeat(pending: PendingEventPoll<ClientPollState>): Promise<ClientEvent[] | null> {
    const { ticket, view, realmTail, covered } = pending;
    const { realm } = ticket.request;
    if (this.options.clock.now() < ticket.deadline) return null;
    try {
      await realmTail.readMissingLogEntries();
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

const toIds = ({ realm, queueId, owner }: EventStreamRequest): object => ({ realm, queueId, owner });
