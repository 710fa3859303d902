import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { NameResolutionError } from './outbound-errors.js';

/**
 * Function that resolves a host name to addresses in order of preference. If there are none, rejects or returns an
 * empty list.
 */
export type Resolver = (host: string) => Promise<readonly string[]>;

/**
 * Resolves host names as the system does (getaddrinfo): by `/etc/hosts`, DNS and the rest of the machine's
 * configuration.
 */
export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Returns the addresses of a host; an address is returned as it is.
 *
 * @throws NameResolutionError when the host has no address or the resolver fails
 */
export async function resolveHost(host: string, resolver: Resolver): Promise<readonly string[]> {
  if (isIP(host)) return [host];
  let addresses: readonly string[];
  try {
    addresses = await resolver(host);
  } catch (cause) {
    throw new NameResolutionError(host, { cause });
  }
  if (addresses.length === 0) throw new NameResolutionError(host);
  return addresses;
}
