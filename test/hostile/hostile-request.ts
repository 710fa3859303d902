import type { Call } from './send.js';

/** A modest request that aims at more work than its size shows, or several calls that do so together. */
export interface HostileRequest {
  /** Completes the test title "answers <statuses> to …". */
  readonly title: string;
  /** Accepted statuses, in addition to 503 with `Retry-After`. */
  readonly statuses: readonly number[];
  /** Creates the calls, which are sent concurrently. Runs before the measurement. */
  readonly calls: (session: Session) => readonly Call[] | Promise<readonly Call[]>;
}

/** Hostile requests with one subject, such as the patterns of filters. */
export interface HostileSubject {
  readonly subject: string;
  readonly requests: readonly HostileRequest[];
}

/** Connection to the service under attack, for what a hostile request needs before it is sent. */
export interface Session {
  /** Adds the credentials of the suite's user, unless the call has an `authorization` of its own, and the API's prefix. */
  prepared(call: Call): Call;
  /** Sends a prepared call; returns the parsed JSON response. Throws unless the status is 2xx. */
  ask(call: Call): Promise<unknown>;
}
