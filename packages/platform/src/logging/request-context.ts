import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { RequestDisconnect } from '../http/request-disconnect.js';
import type { RequestWork } from '../http/request-work.js';

/** Context that all code of one request, or of one job, shares. */
export interface RequestContext {
  /** Id of the request in logs, slow query lines, error responses and its jobs. */
  readonly requestId: string;
  /** The caller's W3C `traceparent` header, when it is well formed (Trace Context, section 3.2). */
  readonly traceparent?: string;
  /** Logs with the request id on every line. Any {@link Logger} will do. */
  readonly log: FastifyBaseLogger;
  /** The disconnect of the request's client; jobs have none. */
  readonly disconnect?: RequestDisconnect;
  /** Class and user of the request's database work; jobs have none. */
  readonly work?: RequestWork;
}

/** The context of the running request. Workers enter it for a job: `requestContext.run({ requestId, log }, …)`. */
export const requestContext = new AsyncLocalStorage<RequestContext>();

/**
 * Returns the part of the running request's context that is stored with the work it causes; empty outside a request.
 */
export function currentTrace(): Pick<Partial<RequestContext>, 'requestId' | 'traceparent'> {
  const { requestId, traceparent } = requestContext.getStore() ?? {};
  return { ...(requestId !== undefined && { requestId }), ...(traceparent !== undefined && { traceparent }) };
}

/** The id of the running request, or `undefined` outside one. */
export function currentRequestId(): string | undefined {
  return requestContext.getStore()?.requestId;
}

/** The disconnect of the running request's client, or `undefined` outside a request. */
export function currentDisconnect(): RequestDisconnect | undefined {
  return requestContext.getStore()?.disconnect;
}
