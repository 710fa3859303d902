import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { RequestDisconnect } from '../http/request-disconnect.js';
import type { RequestSpan } from '../http/request-span.js';
import type { RequestDatabaseWork } from '../http/request-database-work.js';
import type { RequestOrigin } from './request-origin.js';

/** Context shared by all code that runs for one request or one job. */
export interface RequestContext {
  /** Id of the request, which appears in logs, slow query lines, error responses, and jobs that the request adds. */
  readonly requestId: string;
  /**
   * W3C `traceparent` of the request's span. Without a tracer provider, the value of the client's header if that value
   * is well-formed (Trace Context, section 3.2).
   */
  readonly traceparent?: string;
  /** Tracing span of the request; absent without a tracer provider. */
  readonly span?: RequestSpan;
  /** Logger that adds the request id to every log line. */
  readonly log: FastifyBaseLogger;
  /** Object that records whether the request's client has disconnected; absent in jobs. */
  readonly disconnect?: RequestDisconnect;
  /** Class and user of the database work that the request causes; absent in jobs. */
  readonly work?: RequestDatabaseWork;
  /** Client address and account of the request, for audit lines; absent in jobs. */
  readonly origin?: RequestOrigin;
}

/**
 * AsyncLocalStorage that contains the context of the current request. Workers set the context for a job:
 * `requestContextStorage.run({ requestId, log }, …)`.
 */
export const requestContextStorage = new AsyncLocalStorage<RequestContext>();

/**
 * Returns the trace fields of the current request, which are stored with jobs and rows that the request creates.
 * Returns an empty object outside a request.
 */
export function getCurrentTrace(): Pick<Partial<RequestContext>, 'requestId' | 'traceparent'> {
  const { requestId, traceparent } = requestContextStorage.getStore() ?? {};
  return { ...(requestId !== undefined && { requestId }), ...(traceparent !== undefined && { traceparent }) };
}

/** Returns the id of the current request, or `undefined` outside a request. */
export function getCurrentRequestId(): string | undefined {
  return requestContextStorage.getStore()?.requestId;
}

/**
 * Returns the object that records whether the current request's client has disconnected. Returns `undefined` outside a
 * request.
 */
export function getCurrentDisconnect(): RequestDisconnect | undefined {
  return requestContextStorage.getStore()?.disconnect;
}
