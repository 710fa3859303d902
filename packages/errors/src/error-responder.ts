import { type ArgumentsHost, type ExceptionFilter, HttpException } from '@nestjs/common';
import { AppError } from './app-error.js';
import type { DatabaseFaultKind } from './database-fault.js';
import { translateDatabaseError } from './translate-database-error.js';

/** A rendered error response: status, body and headers. */
export interface RenderedError {
  /** HTTP status of the response. */
  readonly status: number;
  /** Response body, which the framework serializes as JSON. */
  readonly body: unknown;
  /** Response headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request during which an error occurred. */
export interface ErrorContext {
  readonly requestId: string;
  /** HTTP method of the request in upper case. */
  readonly method: string;
  /** Path and query string as the client sent them. */
  readonly url: string;
  /** For a routing error: the HTTP methods that the path allows, sorted. Empty if the path does not exist. */
  readonly allowedMethods?: readonly string[];
}

/** Converts the errors of one app to responses. */
export interface ErrorRenderer {
  /** Returns the response for an error, in the app's format. */
  render(error: AppError, context: ErrorContext): RenderedError;
  /**
   * Converts an error of the web framework to one of the app: unknown route, method not allowed, unreadable or
   * oversized body, unsupported media type, and (503) an unavailable or overloaded database. Clients may see `message`.
   */
  fromHttp(status: number, message: string, context: ErrorContext): AppError;
  /** Returns the app's error for an unexpected exception. */
  unknown(requestId: string): AppError;
}

/** Logger of {@link ErrorFilter}. A logger of pino can be used. */
export interface ErrorLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Properties of a request that the error filter reads. A request of Fastify can be used. */
export interface FilteredRequest {
  readonly method: string;
  readonly url: string;
  /** Values of the path parameters by name. */
  readonly params?: unknown;
}

/** The request during which an error occurred, with its path for log lines. */
interface LoggedContext extends ErrorContext {
  readonly path: string;
}

/** Methods of a reply that the error filter calls. A reply of Fastify can be used. */
interface FilteredReply {
  readonly sent: boolean;
  readonly raw: { readonly headersSent: boolean; readonly destroyed: boolean };
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(body: unknown): unknown;
}

/**
 * Error messages for framework errors with status 500 and above. They replace the framework's own messages, which may
 * reveal internals.
 */
const serverTexts: Readonly<Record<number, string>> = {
  501: 'Not implemented',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
};

/** Log messages for database errors that may disappear when the client repeats the request. */
const temporaryFaults: Partial<Record<DatabaseFaultKind, string>> = {
  unavailable: 'Database is out of reach',
  timeout: 'A statement was cancelled or reached its time limit',
  serialization: 'A transaction failed after its last attempt',
  deadlock: 'A transaction failed after its last attempt',
};

/** Value of the header `Retry-After`, in seconds, for responses with status 503 that do not set it. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Exception filter of an app, for Nest on Fastify.
 *
 * - `AppError` is rendered; with status 500 and above it is logged too.
 * - Errors of Nest and Fastify are converted by `renderer.fromHttp`.
 * - An unavailable database, a statement beyond its time limit and a transaction whose last attempt failed become 503;
 * a value that no column can store becomes 400. All are logged.
 * - Every 503 has `Retry-After`.
 * - Any other error is logged completely, once, and rendered by `renderer.unknown`.
 *
 * No response is sent if one was sent already or the client has disconnected.
 */
export class ErrorFilter<R extends FilteredRequest = FilteredRequest> implements ExceptionFilter {
  constructor(
    private readonly renderer: ErrorRenderer,
    private readonly options: { readonly logger: ErrorLogger; readonly requestId: (req: R) => string },
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const req = http.getRequest<R>();
    const reply = http.getResponse<FilteredReply>();
    const { method, url } = req;
    const context = { requestId: this.options.requestId(req), method, url, path: loggedPathOf(req) };
    // The statements of a request are cancelled when its client disconnects; that error is not logged.
    if (reply.raw.destroyed && translateDatabaseError(exception)?.kind === 'timeout') return;
    const error = this.toAppError(exception, context);
    if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
    const { status, body, headers = {} } = this.render(error, context);
    reply.code(status);
    reply.headers({
      ...(status === 503 && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
      ...error.headers,
      ...headers,
    });
    reply.send(body);
  }

  /** Maps an exception to the error for the client, and logs what the client must not see. */
  private toAppError(exception: unknown, context: LoggedContext): AppError {
    if (exception instanceof AppError) {
      if (exception.status >= 500) this.log('error', exception, context, 'Request failed');
      else if (exception.internal !== undefined) this.log('warn', exception, context, exception.internal);
      return exception;
    }
    const frame = frameworkFaultOf(exception);
    if (frame && frame.status < 500) return this.renderer.fromHttp(frame.status, frame.message, context);
    if (frame && frame.status in serverTexts) {
      this.log('error', exception, context, 'Request failed inside the framework');
      return this.renderer.fromHttp(frame.status, serverTexts[frame.status] ?? '', context);
    }
    const kind = translateDatabaseError(exception)?.kind;
    const temporary = kind && temporaryFaults[kind];
    if (temporary !== undefined) {
      this.log('error', exception, context, temporary);
      return this.renderer.fromHttp(503, 'Service unavailable', context);
    }
    if (kind === 'value') {
      this.log('warn', exception, context, 'The database rejected a value that passed validation');
      return this.renderer.fromHttp(400, 'A value is malformed or out of range', context);
    }
    this.log('error', exception, context, 'Unhandled error');
    return this.renderer.unknown(context.requestId);
  }

  /**
   * Renders an error as response. If the renderer fails, its error must not reach the framework, because the framework
   * would send the error's message to the client.
   */
  private render(error: AppError, context: LoggedContext): RenderedError {
    try {
      return this.renderer.render(error, context);
    } catch (defect) {
      this.log('error', defect, context, 'Error renderer failed');
      return { status: 500, body: {} };
    }
  }

  private log(level: 'warn' | 'error', err: unknown, context: LoggedContext, message: string): void {
    const { requestId, method, path } = context;
    this.options.logger[level]({ err, requestId, method, path }, message);
  }
}

/**
 * Returns the path of a request for log lines. It has no query string, which may contain credentials, and no value of
 * the path parameter `token`, which is a credential.
 */
function loggedPathOf({ url, params }: FilteredRequest): string {
  const [path = ''] = url.split('?', 1);
  const token: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'token') : undefined;
  if (typeof token !== 'string') return path;
  return path
    .split('/')
    .map((segment) => (decodedSegmentOf(segment) === token ? ':token' : segment))
    .join('/');
}

function decodedSegmentOf(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns status and message of an error of Nest or Fastify; undefined for other errors. */
function frameworkFaultOf(exception: unknown): { status: number; message: string } | undefined {
  if (exception instanceof HttpException) return { status: exception.getStatus(), message: exception.message };
  if (!(exception instanceof Error)) return undefined;
  const status: unknown = Reflect.get(exception, 'statusCode');
  const code: unknown = Reflect.get(exception, 'code');
  // A status alone is not sufficient: errors of HTTP clients have the status of the remote server.
  const isFastify = typeof code === 'string' && code.startsWith('FST_');
  return isFastify && typeof status === 'number' ? { status, message: exception.message } : undefined;
}
