import type { Call } from './send-hostile-request.js';

/** A small request, or several concurrent small requests, that should cause disproportionate work in the service. */
export interface HostileRequest {
  /** End of the test's title, which is "responds <statuses> to …". */
  readonly title: string;
  /** Accepted statuses of the responses to the hostile request, in addition to 503 with `Retry-After`. */
  readonly statuses: readonly number[];
  /** Function that returns the HTTP requests to send concurrently. The function runs before the measurement begins. */
  readonly calls: (session: Session) => readonly Call[] | Promise<readonly Call[]>;
}

/** A group of hostile requests about one subject, such as the patterns of filters. */
export interface HostileSubject {
  readonly subject: string;
  readonly requests: readonly HostileRequest[];
}

/** Authenticated client of the attacked service, used to prepare hostile requests. */
export interface Session {
  /**
   * Returns a complete call: adds the API's prefix to the path of the call. Also adds the credentials of the suite's
   * user, unless the call has an `authorization` header.
   */
  prepared(call: Call): Call;
  /**
   * Sends a call with the credentials of the suite's user. Returns the parsed JSON response. Throws an error for a
   * status other than 2xx.
   */
  ask(call: Call): Promise<unknown>;
}
