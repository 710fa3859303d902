import type { RegisteredDeadline } from './deadline-schedule.js';
import type { PendingEventPoll } from './pending-poll.js';
import type { ClientEvent, LogEntryRenderer } from './event-queue-view.js';

/** A stream that reports when it is closed, such as an HTTP response. */
export interface ClosableStream {
  readonly closed: boolean;
  on(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** A client's request for the events of its event queue. */
export interface EventPollRequest {
  realm: string;
  queueId: string;
  owner: string;
  /**
   * Id of the last event that the client has received; -1 before the first event. The request acknowledges all events
   * up to this id.
   */
  lastEventId: number;
  /** True if the request waits for an event or a heartbeat; false if the request returns immediately. */
  block: boolean;
  /** Signal that ends the poll when the signal is aborted; absent if `client` is given. */
  signal?: AbortSignal | undefined;
  /**
   * Response or socket of the client. The poll ends when the response or socket closes. A listener on the response
   * takes a tenth of the memory of an abort signal.
   */
  client?: ClosableStream | undefined;
}

/**
 * Callbacks for the end of a poll. Exactly one callback is called, once and synchronously. Callbacks must not throw;
 * errors are logged.
 */
export interface EventPollEndCallbacks {
  /**
   * Called with the result of the poll: the client's next events, a heartbeat, or an empty list. The results are those
   * of {@link EventLog.poll}.
   */
  onEvents(events: ClientEvent[]): void;
  onFailed(error: unknown): void;
}

/** A client's request for a stream of events. */
export type EventStreamRequest = Omit<EventPollRequest, 'block'>;

/**
 * Callbacks of a stream of events. The callbacks are called synchronously and must not throw. The first call of
 * {@link EventStreamCallbacks.onWaiting} or {@link EventStreamCallbacks.onEvents} shows that the event queue was accepted.
 */
export interface EventStreamCallbacks {
  /** Called whenever the client has all events and the stream waits for the next one. */
  onWaiting(): void;
  /**
   * Called with the client's next events, or with a heartbeat. No further events are read before `resume` is called.
   * Events for a slow client thus remain in the log.
   */
  onEvents(events: ClientEvent[], resume: () => void): void;
  /** Called once if the stream ends without an error. The client can then continue in any process. */
  onEnded(): void;
  /** Called once if the event stream ends with an error. */
  onFailed(error: unknown): void;
}

/** Additional state of a poll that serves a stream of events. */
interface EventStreamPollState {
  readonly callbacks: EventStreamCallbacks;
  /** Continues the paused event stream with the next events. */
  readonly resume: () => void;
  /** True while the stream is paused: from a delivery of events until {@link EventStreamPollState.resume} is called. */
  isPaused: boolean;
  /** Time of the next check of the event queue while the stream is paused; null before the first check is due. */
  nextCheck: RegisteredDeadline | null;
}

/** A client's poll from request to response, or a client's event stream from request to end. */
export interface ClientPollState {
  readonly request: EventStreamRequest;
  /** True if the poll waits for an event or a heartbeat; false if the poll returns immediately. */
  readonly waits: boolean;
  readonly render: LogEntryRenderer;
  readonly token: string;
  readonly cancel: () => void;
  /** Callbacks of a poll. Null for a stream, whose callbacks are {@link EventStreamPollState.callbacks}. */
  readonly callbacks: EventPollEndCallbacks | null;
  /** State of an event stream; null for an ordinary poll. */
  stream: EventStreamPollState | null;
  /** Id of the last delivered event. For a poll, which delivers only once, the value is the event id in the request. */
  lastEventId: number;
  /** Time at which the poll or stream must send a heartbeat, in milliseconds of the clock. */
  deadline: number;
  /** True if the store has recorded this poll as the current poll of its event queue and no other poll has replaced it. */
  known: boolean;
  ended: boolean;
  isCompleted: boolean;
  pending: PendingEventPoll<ClientPollState> | null;
}
