import type { StoredResponse } from '../engine/responses/stored-response.js';
import type { CachedResponse } from '../response-memory/index.js';

/**
 * Response to a request for a list or an object. Its body is JSON text, a cached response, a temporary file, or null
 * for an empty body.
 */
export interface ResourceResponse {
  readonly status: number;
  readonly body: string | StoredResponse | CachedResponse | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Entity tag of a list response, made from its bytes. */
  readonly tag?: string | undefined;
}

/**
 * Returns the HTTP headers for a response body. A null body is a HEAD response that does not fit into memory: it gets
 * no length (RFC 9110, 9.3.2).
 */
export function responseBodyHeaders(body: string | StoredResponse | null): Record<string, string> {
  return body === null ? { 'content-type': 'application/json; charset=utf-8' } : {};
}
