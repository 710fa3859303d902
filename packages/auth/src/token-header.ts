/**
 * Reason why a `Token` or `Bearer` header cannot be parsed. The service responds with a different error text for each
 * reason (docs/contract/inventory.md 1.2).
 */
export type TokenHeaderParsingFault =
  /** The `Authorization` header does not consist of a keyword and one value. */
  | 'form'
  /** The token starts with the prefix of version 2 tokens, but has no dot after the public key. */
  | 'key'
  /** The token contains characters outside visible ASCII. */
  | 'characters';

/** Parsed content of an `Authorization` header in the schemes of the inventory service. */
export type TokenAuthorizationHeader =
  /** A version 1 token, which the service finds by the digest of the token's secret. */
  | { readonly scheme: 'v1'; readonly secret: string }
  /**
   * A version 2 token: the public key by which the service finds the token, and the secret that must match the stored
   * digest.
   */
  | { readonly scheme: 'v2'; readonly key: string; readonly secret: string }
  | { readonly scheme: 'malformed'; readonly fault: TokenHeaderParsingFault }
  /**
   * The request has no `Authorization` header, or a header with an unsupported scheme. The service treats the request
   * as a request without credentials.
   */
  | { readonly scheme: 'none' };

/** Prefix of a version 2 token, unless a service configures another prefix. */
export const defaultTokenTextPrefix = 'nbt_';

const visibleCharactersPattern = /^[\x21-\x7e]+$/;

/**
 * Parses a token from an `Authorization: Token …` or `Bearer …` header (docs/contract/inventory.md 1.2). The version
 * does not depend on the keyword. A value with the prefix and a dot is a version 2 token, and any other value a version
 * 1 token. Never throws an error: the caller chooses the response for each result.
 *
 * @param prefix prefix of the service's tokens, without a dot or a space. Default: `nbt_`
 */
export function parseTokenHeader(
  header: string | undefined,
  prefix = defaultTokenTextPrefix,
): TokenAuthorizationHeader {
  const [keyword = '', value, ...rest] = (header ?? '').trim().split(/\s+/);
  const scheme = keyword.toLowerCase();
  if (scheme !== 'token' && scheme !== 'bearer') return { scheme: 'none' };
  if (value === undefined || rest.length > 0) return { scheme: 'malformed', fault: 'form' };
  if (!visibleCharactersPattern.test(value)) return { scheme: 'malformed', fault: 'characters' };
  if (!value.startsWith(prefix)) return { scheme: 'v1', secret: value };
  const dot = value.indexOf('.');
  if (dot >= 0) return { scheme: 'v2', key: value.slice(prefix.length, dot), secret: value.slice(dot + 1) };
  return scheme === 'bearer' ? { scheme: 'malformed', fault: 'key' } : { scheme: 'v1', secret: value };
}

/**
 * Returns the text of a version 2 token as issued to its user: `<prefix><key>.<secret>`.
 *
 * @param prefix prefix of the service's tokens, with the same default as in {@link parseTokenHeader}
 */
export function formatTokenText(key: string, secret: string, prefix = defaultTokenTextPrefix): string {
  return `${prefix}${key}.${secret}`;
}
