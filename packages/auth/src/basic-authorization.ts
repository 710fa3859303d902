/** Parsed content of an `Authorization` header in the Basic scheme. */
export type BasicAuthorizationHeader =
  /** An email address and an API key from a Basic `Authorization` header. Both values are trimmed and not empty. */
  | { readonly scheme: 'basic'; readonly email: string; readonly key: string }
  /** An `Authorization` header in the Basic scheme with content other than an email address and an API key. */
  | { readonly scheme: 'malformed' }
  /** An `Authorization` header in another scheme, whose keyword is in lower case. */
  | { readonly scheme: 'other'; readonly keyword: string }
  /** Result for a request without an `Authorization` header. */
  | { readonly scheme: 'none' };

const basicAuthorizationPattern = /^(\S+)(?:\s+(\S+))?$/;
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;
// Control characters, which RFC 7617 section 2 forbids in both halves. PostgreSQL also rejects NUL in text.
// oxlint-disable-next-line no-control-regex -- naming the control characters is the purpose
const controlCharacterPattern = /[\u0000-\u001f\u007f]/;

/**
 * Parses an email address and an API key from an `Authorization: Basic` header (RFC 7617, docs/contract/chat.md 1.2).
 * The decoded text is UTF-8 and is split at the first colon; both parts are trimmed. Never throws an error: the caller
 * chooses the response for each result.
 */
export function parseBasicAuthorization(header: string | undefined): BasicAuthorizationHeader {
  const trimmed = header?.trim();
  if (!trimmed) return { scheme: 'none' };
  const keyword = trimmed.split(/\s/, 1)[0]?.toLowerCase() ?? '';
  if (keyword !== 'basic') return { scheme: 'other', keyword };
  const pair = decodeBasicCredentials(basicAuthorizationPattern.exec(trimmed)?.[2] ?? '');
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === null || colon < 0) return { scheme: 'malformed' };
  const email = pair.slice(0, colon).trim();
  const key = pair.slice(colon + 1).trim();
  if (email === '' || key === '') return { scheme: 'malformed' };
  if (controlCharacterPattern.test(email) || controlCharacterPattern.test(key)) return { scheme: 'malformed' };
  return { scheme: 'basic', email, key };
}

function decodeBasicCredentials(encoded: string): string | null {
  if (!base64Pattern.test(encoded)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}
