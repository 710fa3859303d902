/** Properties of an {@link AppError}. Usually `ErrorCatalog.create` sets them. */
export interface AppErrorProperties {
  /** Stable name of the error, the same in code, in responses and in the documentation. */
  readonly code: string;
  /** HTTP status of the response, 400 to 599. */
  readonly status: number;
  /** Error message that the client may read. */
  readonly message: string;
  /** Additional keys of the response body, with their API names. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Response headers of this error, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text about the error for the log only. */
  readonly internal?: string | undefined;
  /** The underlying error, which is logged and never sent to clients. */
  readonly cause?: unknown;
}

/**
 * An error that the client receives. Domain code throws it, and one filter per app renders it.
 *
 * `message`, `fields` and `headers` are public; `internal` and `cause` are only logged.
 */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly internal: string | undefined;

  constructor(parts: AppErrorProperties) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'AppError';
    this.code = parts.code;
    this.status = parts.status;
    this.fields = parts.fields ?? {};
    this.headers = parts.headers ?? {};
    this.internal = parts.internal;
  }
}
