import { QueueUsageError } from '../queue-usage-error.js';

/**
 * Error for a poll of an event queue that is unknown, belongs to another owner, has expired, or cannot be served
 * completely. The client must register a new event queue.
 */
export class BadEventQueueError extends Error {
  override readonly name = 'BadEventQueueError';
  constructor(readonly queueId: string) {
    super(`Bad event queue ID: ${queueId}`);
  }
}

/** Error for a poll whose event id is lower than an id that the client has already acknowledged. */
export class EventPrunedError extends Error {
  override readonly name = 'EventPrunedError';
  constructor(readonly lastEventId: number) {
    super(`An event newer than ${lastEventId} has already been pruned!`);
  }
}

/** Error for a poll that acknowledges an event id that was never assigned. */
export class EventAheadError extends Error {
  override readonly name = 'EventAheadError';
  constructor(readonly lastEventId: number) {
    super(`Event ${lastEventId} was not in this queue`);
  }
}

/**
 * Error for an operation on the event log while its store is unavailable: Redis, or the tables of the log. The client may
 * retry; no event is lost.
 */
export class EventLogUnavailableError extends Error {
  override readonly name: string = 'EventLogUnavailableError';
}

/**
 * Error for an operation on an event log in tables (`store: 'tables'`) while another process uses the tables. Such a log
 * is for one process.
 */
export class EventLogInUseError extends EventLogUnavailableError {
  override readonly name = 'EventLogInUseError';
  /** @param pid process ID of the database session that has locked the tables, or null if it is unknown */
  constructor(
    readonly schema: string,
    readonly pid: number | null,
  ) {
    super(
      `Another process uses the event log in the tables of schema ${schema}` +
        (pid === null ? '. ' : `, by the database session with the process ID ${pid}. `) +
        `An event log in tables is for one process: pass "redis" in place of "store" to use several.`,
    );
  }
}

/**
 * Error for a registration of an event queue when the process already has `registrationCap` registrations in progress.
 * The client may retry later.
 */
export class TooManyRegistrationsError extends Error {
  override readonly name = 'TooManyRegistrationsError';
  constructor(underWay: number) {
    super(`${underWay} registrations are under way`);
  }
}

/**
 * Error for an event log entry that has more characters than allowed. The writing code must divide or reject the entry.
 */
export class EntryTooLongError extends QueueUsageError {
  constructor(
    readonly length: number,
    readonly maxLength: number,
  ) {
    super(`Entry of ${length} characters, at most ${maxLength}`);
  }
}
