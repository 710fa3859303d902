import { HeaderRefusedError } from './outbound-errors.js';

const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Pattern of allowed values. Characters beyond one byte are rejected, because as Latin-1 their lower byte may be a line
// feed.
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

// Headers that frame the message or belong to the connection. Conflicting values would allow request smuggling.
const connectionHeaderNames = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const credentialHeaderNames = ['authorization', 'cookie'];
const requestBodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type'];

/** Headers of an outgoing request, by lower-case name. */
export type OutboundHeaders = Readonly<Record<string, string>>;

/**
 * Checks the headers of an outgoing request (RFC 9110 section 5). Returns the headers with names in lower case. Spaces
 * and tabs at both ends of header values are removed.
 *
 * @throws HeaderRefusedError for a name or value with CR, LF, NUL or another forbidden character. Also for a header
 *   that is set twice, or that belongs to the connection (`Host`, `Content-Length`, …)
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): OutboundHeaders {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const shown = JSON.stringify(name);
    if (!headerNamePattern.test(name)) throw new HeaderRefusedError(shown, 'the name is not a token');
    if (connectionHeaderNames.has(lower)) throw new HeaderRefusedError(shown, 'it belongs to the connection');
    if (!headerValuePattern.test(value))
      throw new HeaderRefusedError(shown, 'the value contains control or wide characters');
    if (Object.hasOwn(checked, lower)) throw new HeaderRefusedError(shown, 'it is set twice');
    checked[lower] = value.replace(/^[ \t]+|[ \t]+$/g, '');
  }
  return checked;
}

/**
 * Returns the headers that may be sent after a redirect to another origin. The result contains no credentials, and no
 * headers that the caller has declared as sensitive.
 */
export function removeSensitiveHeaders(headers: OutboundHeaders, sensitive: readonly string[]): OutboundHeaders {
  return removeHeaders(headers, [...credentialHeaderNames, ...sensitive.map((name) => name.toLowerCase())]);
}

/**
 * Returns the headers of a request without the headers that describe a request body. Used after a redirect that removes
 * the body.
 */
export function removeBodyHeaders(headers: OutboundHeaders): OutboundHeaders {
  return removeHeaders(headers, requestBodyHeaders);
}

function removeHeaders(headers: OutboundHeaders, names: readonly string[]): OutboundHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
