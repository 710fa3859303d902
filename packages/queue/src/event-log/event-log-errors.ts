import { QueueUsageError } from '../queue-usage-error.js';

/**
 * Error for a poll of an event queue that is unknown, belongs to another owner, has expired, or cannot be served
 * completely. The client has to register again.
 */
export class BadEventQueueError extends Error {
  override readonly name = 'BadEventQueueError';
  constructor(readonly queueId: string) {
    super(`Bad event queue ID: ${queueId}`);
  }
}

/** Error for a poll from an event id that precedes the id that the client has acknowledged. */
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

/** Error for a registration when the process has reached its `registrationCap`. The client may retry later. */
export class TooManyRegistrationsError extends Error {
  override readonly name = 'TooManyRegistrationsError';
  constructor(underWay: number) {
    super(`${underWay} registrations are under way`);
  }
}

/** Error for an event log entry that has more characters than allowed. The writer has to divide or reject it. */
export class EntryTooLongError extends QueueUsageError {
  constructor(
    readonly length: number,
    readonly maxLength: number,
  ) {
    super(`Entry of ${length} characters, at most ${maxLength}`);
  }
}
