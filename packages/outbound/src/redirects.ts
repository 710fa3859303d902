import type { OutboundHeaders } from './outbound-headers.js';
import { removeBodyHeaders, removeSensitiveHeaders } from './outbound-headers.js';

/** Method, headers and body of one request, which a redirect may change. */
export interface RequestMessage {
  readonly method: string;
  readonly headers: OutboundHeaders;
  readonly body: Buffer | null;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Returns true if a response with this status and `Location` header is a redirect. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return redirectStatuses.has(status) && location !== undefined;
}

/**
 * Returns the method, headers and body of the request that follows a redirect. The rules are from RFC 9110 section
 * 15.4, and from the Fetch standard if the RFC allows a choice. 303 changes every method except HEAD to GET. 301 and
 * 302 change POST to GET. 307 and 308 repeat the request unchanged. A redirect to another origin (scheme, host or port)
 * removes credentials and sensitive headers from all further requests.
 */
export function createMessageAfterRedirect(
  message: RequestMessage,
  hop: { status: number; from: URL; to: URL; sensitiveHeaders: readonly string[] },
): RequestMessage {
  const remainingHeaders =
    hop.from.origin === hop.to.origin ? message.headers : removeSensitiveHeaders(message.headers, hop.sensitiveHeaders);
  if (!redirectChangesMethodToGet(message.method, hop.status)) return { ...message, headers: remainingHeaders };
  return { method: 'GET', headers: removeBodyHeaders(remainingHeaders), body: null };
}

function redirectChangesMethodToGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}
