import type { Call } from './send-hostile-request.js';

/** One small request, or several concurrent ones, meant to cause disproportionate work. */
export interface HostileRequest {
  /** End of the test title "responds <statuses> to …". */
  readonly title: string;
  /** Accepted response statuses, in addition to 503 with `Retry-After`. */
  readonly statuses: readonly number[];
  /** Returns the calls to send concurrently. It runs before the measurement. */
  readonly calls: (session: Session) => readonly Call[] | Promise<readonly Call[]>;
}

/** A group of hostile requests on one subject, such as the patterns of filters. */
export interface HostileSubject {
  readonly subject: string;
  readonly requests: readonly HostileRequest[];
}

/** Authenticated client of the attacked service, used to prepare hostile requests. */
export interface Session {
  /**
   * Completes a call: adds the API's prefix to its path, and the credentials of the suite's user unless it has an
   * `authorization` header.
   */
  prepared(call: Call): Call;
  /**
   * Sends a call with the credentials of the suite's user. Returns the parsed JSON response. Throws unless the status
   * is 2xx.
   */
  ask(call: Call): Promise<unknown>;
}
