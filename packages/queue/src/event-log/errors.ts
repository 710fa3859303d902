import { QueueUsageError } from '../usage-error.js';

/**
 * The event queue is unknown, belongs to another owner, has expired, or cannot be served completely. The client has to
 * register again.
 */
export class BadEventQueueError extends Error {
  override readonly name = 'BadEventQueueError';
  constructor(readonly queueId: string) {
    super(`Bad event queue ID: ${queueId}`);
  }
}

/** The client polls from an event id that precedes the id it has acknowledged. */
export class EventPrunedError extends Error {
  override readonly name = 'EventPrunedError';
  constructor(readonly lastEventId: number) {
    super(`An event newer than ${lastEventId} has already been pruned!`);
  }
}

/** The client acknowledges an event id that was never assigned. */
export class EventAheadError extends Error {
  override readonly name = 'EventAheadError';
  constructor(readonly lastEventId: number) {
    super(`Event ${lastEventId} was not in this queue`);
  }
}

/** Redis is unavailable. The client may retry; no event is lost. */
export class EventLogUnavailableError extends Error {
  override readonly name = 'EventLogUnavailableError';
}

/** The process has reached its `registrationCap`. The client may retry later. */
export class TooManyRegistrationsError extends Error {
  override readonly name = 'TooManyRegistrationsError';
  constructor(underWay: number) {
    super(`${underWay} registrations are under way`);
  }
}

/** An entry has more characters than allowed. The writer has to divide or reject it. */
export class EntryTooLongError extends QueueUsageError {
  constructor(
    readonly length: number,
    readonly maxLength: number,
  ) {
    super(`Entry of ${length} characters, at most ${maxLength}`);
  }
}
