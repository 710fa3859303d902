import type { StoredResponse } from '../engine/responses/stored-response.js';
import type { CachedResponse } from '../response-memory/index.js';

/**
 * Response to a request for a list or an object. The body of the response is JSON text, a cached response or a
 * temporary file. A null body is empty.
 */
export interface ModelResourceResponse {
  readonly status: number;
  readonly body: string | StoredResponse | CachedResponse | null;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Entity tag of the response to a list request, computed from the bytes of the response. Absent for other responses.
   */
  readonly tag?: string | undefined;
}

/**
 * Returns the HTTP headers for a response body. A null body belongs to a HEAD response that does not fit into memory.
 * The header of the body's length is then omitted (RFC 9110, 9.3.2).
 */
export function createResponseBodyHeaders(body: string | StoredResponse | null): Record<string, string> {
  return body === null ? { 'content-type': 'application/json; charset=utf-8' } : {};
}
