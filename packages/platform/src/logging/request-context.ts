import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { RequestDisconnect } from '../http/request-disconnect.js';
import type { RequestSpan } from '../http/request-span.js';
import type { RequestDatabaseWork } from '../http/request-database-work.js';
import type { RequestOrigin } from './request-origin.js';

/** Context shared by all code that runs for one request or one job. */
export interface RequestContext {
  /** Id of the request in logs, slow query lines, error responses and its jobs. */
  readonly requestId: string;
  /**
   * W3C `traceparent` of the request's span. Without a tracer provider it is the caller's header, if it is well-formed
   * (Trace Context, section 3.2).
   */
  readonly traceparent?: string;
  /** Span of the request; absent without a tracer provider. */
  readonly span?: RequestSpan;
  /** Logger that adds the request id to every log line. */
  readonly log: FastifyBaseLogger;
  /** Record of whether the request's client has disconnected; absent in jobs. */
  readonly disconnect?: RequestDisconnect;
  /** Class and user of the request's database work; absent in jobs. */
  readonly work?: RequestDatabaseWork;
  /** Client address and account of the request, for audit lines; absent in jobs. */
  readonly origin?: RequestOrigin;
}

/** Store of the current request's context. Workers set it for a job: `requestContextStorage.run({ requestId, log }, …)`. */
export const requestContextStorage = new AsyncLocalStorage<RequestContext>();

/**
 * Returns the trace fields of the current request, which are stored with the jobs and rows that it creates; empty
 * outside a request.
 */
export function getCurrentTrace(): Pick<Partial<RequestContext>, 'requestId' | 'traceparent'> {
  const { requestId, traceparent } = requestContextStorage.getStore() ?? {};
  return { ...(requestId !== undefined && { requestId }), ...(traceparent !== undefined && { traceparent }) };
}

/** Returns the id of the current request, or `undefined` outside a request. */
export function getCurrentRequestId(): string | undefined {
  return requestContextStorage.getStore()?.requestId;
}

/** Returns the record of whether the current request's client has disconnected, or `undefined` outside a request. */
export function getCurrentDisconnect(): RequestDisconnect | undefined {
  return requestContextStorage.getStore()?.disconnect;
}
