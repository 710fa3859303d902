/** Properties of an {@link ApplicationError}. Usually `ErrorCatalog.create` sets these properties. */
export interface ApplicationErrorProperties {
  /** Stable code that names the error, with the same value in program code, in responses and in the documentation. */
  readonly code: string;
  /** HTTP status of the error response, 400 to 599. */
  readonly status: number;
  /** Error message that the client receives. */
  readonly message: string;
  /** Additional keys of the error response's body, with their API names. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** HTTP headers of the error response, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text about the error that is only logged, never sent to the client. */
  readonly internal?: string | undefined;
  /** The underlying error that caused this error. It is logged and never sent to clients. */
  readonly cause?: unknown;
}

/**
 * An error that is reported to the client. Domain code throws the error, and one filter per app renders it as a
 * response.
 *
 * `message`, `fields` and `headers` are public; `internal` and `cause` are only logged.
 */
export class ApplicationError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly internal: string | undefined;

  constructor(parts: ApplicationErrorProperties) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'ApplicationError';
    this.code = parts.code;
    this.status = parts.status;
    this.fields = parts.fields ?? {};
    this.headers = parts.headers ?? {};
    this.internal = parts.internal;
  }
}
