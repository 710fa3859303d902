import type { StoredResponse } from '../engine/responses/stored-response.js';
import type { KeptResponse } from '../response-memory/index.js';

/** A response: JSON text, JSON in memory or in a temporary file, or nothing. */
export interface ResourceAnswer {
  readonly status: number;
  readonly body: string | StoredResponse | KeptResponse | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Entity tag of the bytes of a list. */
  readonly tag?: string | undefined;
}

/** Returns headers of a body. A HEAD of a response that does not fit into memory gets none for its length (RFC 9110, 9.3.2). */
export function headersOf(body: string | StoredResponse | null): Record<string, string> {
  return body === null ? { 'content-type': 'application/json; charset=utf-8' } : {};
}
