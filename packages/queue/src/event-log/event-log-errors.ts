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

/** Error for an operation on the event log while Redis is unavailable. The client may retry; no event is lost. */
export class EventLogUnavailableError extends Error {
  override readonly name = 'EventLogUnavailableError';
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
