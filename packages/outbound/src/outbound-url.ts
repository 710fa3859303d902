import { isIP } from 'node:net';
import type { AddressChecker } from './address-policy.js';
import { UrlRefusedError } from './outbound-errors.js';
import { toCanonicalHost } from './host-set.js';

/** Parsed URL of an outgoing request. The URL is http or https, without credentials, with an allowed port. */
export interface RequestTarget {
  readonly url: URL;
  /** Host of the URL without the brackets around an IPv6 address, in the form that resolvers and certificates use. */
  readonly host: string;
  readonly port: number;
  /** True if the host of the URL is an IP address and not a name. */
  readonly isIpAddress: boolean;
}

/**
 * Parses a URL by the WHATWG rules. These rules convert every unusual notation of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width digits) to dotted form. One check therefore covers all notations. IPv6 zones are not
 * valid in URLs.
 *
 * @param base base URL against which a relative `Location` is resolved
 * @throws UrlRefusedError when the URL cannot be parsed, is not http or https, or contains credentials or an excluded
 *   port
 */
export function parseRequestTarget(text: string, checker: AddressChecker, base?: URL): RequestTarget {
  if (!URL.canParse(text, base?.href)) throw new UrlRefusedError('The URL cannot be parsed');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UrlRefusedError(`Only http and https are supported, not ${url.protocol.slice(0, -1)}`);
  }
  // Proxies, logs and people may interpret "trusted@evil" differently. Callers pass credentials in a header.
  if (url.username !== '' || url.password !== '') throw new UrlRefusedError('A URL must not carry credentials');
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (!checker.allowsPort(port)) throw new UrlRefusedError(`Port ${port} is not allowed`);
  const host = toCanonicalHost(url.hostname);
  return { url, host, port, isIpAddress: isIP(host) !== 0 };
}
