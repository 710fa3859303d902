import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { NameResolutionError } from './outbound-errors.js';

/**
 * Function that resolves a host name to addresses in order of preference. If the host has no address, the promise is
 * rejected, or the list is empty.
 */
export type Resolver = (host: string) => Promise<readonly string[]>;

/**
 * Resolver that resolves host names with the operating system (getaddrinfo): by `/etc/hosts`, DNS and other
 * configuration of the machine.
 */
export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Returns the IP addresses of a host. If the host is already an IP address, returns this address.
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
