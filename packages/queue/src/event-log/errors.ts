import { QueueUsageError } from '../usage-error.js';

/** The queue is unknown, not the caller's, collected, or cannot be served whole: the client registers again. */
export class BadEventQueueError extends Error {
  override readonly name = 'BadEventQueueError';
  constructor(readonly queueId: string) {
    super(`Bad event queue ID: ${queueId}`);
  }
}

/** The client polls from an id before its acknowledged one. */
export class EventPrunedError extends Error {
  override readonly name = 'EventPrunedError';
  constructor(readonly lastEventId: number) {
    super(`An event newer than ${lastEventId} has already been pruned!`);
  }
}

/** The client acknowledges an event that was never there. */
export class EventAheadError extends Error {
  override readonly name = 'EventAheadError';
  constructor(readonly lastEventId: number) {
    super(`Event ${lastEventId} was not in this queue`);
  }
}

/** Redis cannot be reached: ask again later. Nothing is lost. */
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

/** An entry exceeds the maximum number of characters: the writer divides or rejects it. */
export class EntryTooLongError extends QueueUsageError {
  constructor(
    readonly length: number,
    readonly maxLength: number,
  ) {
    super(`Entry of ${length} characters, at most ${maxLength}`);
  }
}
