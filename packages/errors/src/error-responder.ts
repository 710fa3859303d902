import { ApplicationError } from './app-error.js';
import type { DatabaseFaultKind } from './database-fault.js';
import type { FailedRequestContext, ErrorRenderer, RenderedErrorResponse } from './error-renderer.js';
import { convertErrorToDatabaseFault } from './translate-database-error.js';

/** Logger of {@link ErrorResponder}. Loggers of pino implement this interface. */
export interface ErrorLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Properties of a request that {@link ErrorResponder} reads. Requests of Fastify have these properties. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** Values of the request's path parameters, by name. */
  readonly params?: unknown;
}

/** The request during which an error occurred, with the request path for log lines. */
interface LoggedRequestContext extends FailedRequestContext {
  readonly path: string;
}

/**
 * Properties and methods of a reply that {@link ErrorResponder} uses. Replies of Fastify have these properties and
 * methods.
 */
export interface ErrorResponseReply {
  readonly sent: boolean;
  readonly raw: { readonly headersSent: boolean; readonly destroyed: boolean };
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(body: unknown): unknown;
}

/**
 * Error messages that clients receive for framework errors with status 500 and above, by status. They replace the
 * framework's own messages, which may reveal internals.
 */
const clientMessageByServerErrorStatus: Readonly<Record<number, string>> = {
  501: 'Not implemented',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
};

/** Log messages for database errors that may disappear when the client repeats the request. */
const logMessageByTemporaryDatabaseFault: Partial<Record<DatabaseFaultKind, string>> = {
  unavailable: 'Database is out of reach',
  timeout: 'A statement was cancelled or reached its time limit',
  serialization: 'A transaction failed after its last attempt',
  deadlock: 'A transaction failed after its last attempt',
};

/** Value of the header `Retry-After`, in seconds, for responses with status 503 that do not set this header. */
const RETRY_AFTER_SECONDS = 5;

/** Options of {@link ErrorResponder}. `R` is the request type of the web framework. */
export interface ErrorResponderOptions<R> {
  readonly logger: ErrorLogger;
  /** Returns the id of a request, which is used in log lines and responses. */
  readonly requestId: (request: R) => string;
}

/**
 * Sends the response to each error of an app, on Fastify and on frameworks that use Fastify.
 *
 * - `ApplicationError` is rendered; an `ApplicationError` with status 500 and above is also logged.
 * - Errors of Fastify and Nest are converted by `renderer.fromHttp`.
 * - An unavailable database, a statement beyond its time limit and a transaction whose last attempt failed get status
 * 503. A value that no column can store gets status 400. All these errors are logged.
 * - Every 503 has `Retry-After`.
 * - Any other error is logged completely, once, and rendered by `renderer.unknown`.
 */
export class ErrorResponder<R extends FailedRequest = FailedRequest> {
  constructor(
    private readonly renderer: ErrorRenderer,
    private readonly options: ErrorResponderOptions<R>,
  ) {}

  /**
   * Sends the error response for an exception. Sends nothing if a response was already sent or if the client has
   * disconnected.
   */
  respond(exception: unknown, request: R, reply: ErrorResponseReply): void {
    const { method, url } = request;
    const context = { requestId: this.options.requestId(request), method, url, path: getLoggedPath(request) };
    // The statements of a request are cancelled when its client disconnects; that error is not logged.
    if (reply.raw.destroyed && convertErrorToDatabaseFault(exception)?.kind === 'timeout') return;
    const error = this.toAppError(exception, context);
    if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
    const { status, body, headers = {} } = this.renderError(error, context);
    reply.code(status);
    reply.headers({
      ...(status === 503 && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
      ...error.headers,
      ...headers,
    });
    reply.send(body);
  }

  /**
   * Converts an exception to the error that is sent to the client. Logs the details that the client must not receive.
   */
  private toAppError(exception: unknown, context: LoggedRequestContext): ApplicationError {
    if (exception instanceof ApplicationError) {
      if (exception.status >= 500) this.logError('error', exception, context, 'Request failed');
      else if (exception.internal !== undefined) this.logError('warn', exception, context, exception.internal);
      return exception;
    }
    const frame = findFrameworkFault(exception);
    if (frame && frame.status < 500) return this.renderer.fromHttp(frame.status, frame.message, context);
    if (frame && frame.status in clientMessageByServerErrorStatus) {
      this.logError('error', exception, context, 'Request failed inside the framework');
      return this.renderer.fromHttp(frame.status, clientMessageByServerErrorStatus[frame.status] ?? '', context);
    }
    const kind = convertErrorToDatabaseFault(exception)?.kind;
    const temporary = kind && logMessageByTemporaryDatabaseFault[kind];
    if (temporary !== undefined) {
      this.logError('error', exception, context, temporary);
      return this.renderer.fromHttp(503, 'Service unavailable', context);
    }
    if (kind === 'value') {
      this.logError('warn', exception, context, 'The database rejected a value that passed validation');
      return this.renderer.fromHttp(400, 'A value is malformed or out of range', context);
    }
    this.logError('error', exception, context, 'Unhandled error');
    return this.renderer.unknown(context.requestId);
  }

  /**
   * Renders an error as a response. If the renderer fails, its exception must not reach the framework, which would send
   * the exception's message to the client.
   */
  private renderError(error: ApplicationError, context: LoggedRequestContext): RenderedErrorResponse {
    try {
      return this.renderer.render(error, context);
    } catch (defect) {
      this.logError('error', defect, context, 'Error renderer failed');
      return { status: 500, body: {} };
    }
  }

  private logError(level: 'warn' | 'error', err: unknown, context: LoggedRequestContext, message: string): void {
    const { requestId, method, path } = context;
    this.options.logger[level]({ err, requestId, method, path }, message);
  }
}

/**
 * Returns the path of a request for log lines. The returned path omits the query string, which may contain credentials.
 * It also omits the value of the path parameter `token`, which is a credential.
 */
function getLoggedPath({ url, params }: FailedRequest): string {
  const [path = ''] = url.split('?', 1);
  const token: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'token') : undefined;
  if (typeof token !== 'string') return path;
  return path
    .split('/')
    .map((segment) => (decodePathSegment(segment) === token ? ':token' : segment))
    .join('/');
}

function decodePathSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the status and the message of an error of Nest or Fastify. Returns undefined for other errors. */
function findFrameworkFault(exception: unknown): { status: number; message: string } | undefined {
  if (!(exception instanceof Error)) return undefined;
  if (isNestException(exception)) return { status: exception.getStatus(), message: exception.message };
  const status: unknown = Reflect.get(exception, 'statusCode');
  const code: unknown = Reflect.get(exception, 'code');
  // A status alone is not sufficient: errors of HTTP clients have the status of the remote server.
  const isFastify = typeof code === 'string' && code.startsWith('FST_');
  return isFastify && typeof status === 'number' ? { status, message: exception.message } : undefined;
}

/**
 * Returns true if an error is an `HttpException` of Nest. The check looks for the methods of that class, because this
 * package does not import Nest.
 */
function isNestException(error: Error): error is Error & { getStatus(): number } {
  return (
    'getStatus' in error &&
    typeof error.getStatus === 'function' &&
    'getResponse' in error &&
    typeof error.getResponse === 'function'
  );
}
