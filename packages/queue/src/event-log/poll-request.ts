import type { RegisteredDeadline } from './deadline-schedule.js';
import type { PendingPoll } from './pending-poll.js';
import type { ClientEvent, LogEntryRenderer } from './event-queue-view.js';

/** A stream that reports when it is closed, such as an HTTP response. */
export interface ClosableStream {
  readonly closed: boolean;
  on(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** A client's request for events. */
export interface PollRequest {
  realm: string;
  queueId: string;
  owner: string;
  /**
   * Id of the last event that the client has received; -1 before the first event. It acknowledges all events up to this
   * id.
   */
  lastEventId: number;
  /** True to wait for an event or a heartbeat; false to return immediately. */
  block: boolean;
  /** Signal that ends the poll when it is aborted; absent if `client` is given. */
  signal?: AbortSignal | undefined;
  /** Response or socket of the client. The poll ends when it closes. It takes a tenth of the memory of a signal. */
  client?: ClosableStream | undefined;
}

/**
 * Callbacks for the end of a poll. One of them is called once, synchronously. They must not throw; errors are logged.
 */
export interface PollCallbacks {
  /** Called with the client's next events, a heartbeat, or an empty list, as {@link EventLog.poll} returns them. */
  events(events: ClientEvent[]): void;
  failed(error: unknown): void;
}

/** A client's request for a stream of events. */
export type StreamRequest = Omit<PollRequest, 'block'>;

/**
 * Callbacks of a stream of events. They are called synchronously and must not throw. The first call of
 * {@link StreamCallbacks.waiting} or {@link StreamCallbacks.events} shows that the event queue was accepted.
 */
export interface StreamCallbacks {
  /** Called whenever the client has all events and the stream waits for the next one. */
  waiting(): void;
  /**
   * Called with the client's next events, or a heartbeat. No further events are read before `resume` is called, so that
   * events for a client that does not read wait in the log.
   */
  events(events: ClientEvent[], resume: () => void): void;
  /** Called once if the stream ends without an error: the client can continue in any process. */
  ended(): void;
  /** Called once if the stream ends with an error. */
  failed(error: unknown): void;
}

/** Additional state of a poll that is a stream of events. */
interface PollStreamState {
  readonly callbacks: StreamCallbacks;
  /** Continues the paused stream with the next events. */
  readonly resume: () => void;
  /** True while the stream is paused: from a delivery of events until {@link PollStreamState.resume}. */
  isPaused: boolean;
  /** Time of the next check of the queue while the stream is paused; null before the first check is due. */
  nextCheck: RegisteredDeadline | null;
}

/** A poll of a client, from request to response, or a stream, from request to end. */
export interface PollTicket {
  readonly request: StreamRequest;
  /** True to wait for an event or a heartbeat; false to return immediately. */
  readonly waits: boolean;
  readonly render: LogEntryRenderer;
  readonly token: string;
  readonly cancel: () => void;
  /** Callbacks of a poll; null for a stream, which has {@link PollStreamState.callbacks}. */
  readonly callbacks: PollCallbacks | null;
  /** State of a stream; null for a poll. */
  stream: PollStreamState | null;
  /** Id of the last delivered event. For a poll, which delivers only once, it is the id in the request. */
  lastEventId: number;
  /** Time at which a heartbeat is due, in milliseconds of the clock. */
  deadline: number;
  /** True if Redis has recorded this poll as the current one of its event queue, until another one starts. */
  known: boolean;
  ended: boolean;
  isCompleted: boolean;
  pending: PendingPoll<PollTicket> | null;
}
