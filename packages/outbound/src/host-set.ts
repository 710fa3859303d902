import { isIP } from 'node:net';
import { isAddressInNetwork, extractEmbeddedIPv4, parseIpNetworkRange, type IpNetwork } from './address-ranges.js';
import { parseIpAddress } from './ip-address.js';

/** A set of host names: exact names, or `*.example.com` for all subdomains. */
export class HostNameSet {
  readonly #exact: ReadonlySet<string>;
  readonly #parents: readonly string[];

  constructor(names: readonly string[]) {
    const canonical = names.map(toCanonicalHost);
    this.#exact = new Set(canonical.filter((name) => !name.startsWith('*.')));
    this.#parents = canonical.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  }

  /** @param host in canonical form */
  has(host: string): boolean {
    return this.#exact.has(host) || this.#parents.some((parent) => host.endsWith(parent));
  }
}

/** A set of IP networks in CIDR notation and of single IP addresses. */
export class NetworkSet {
  readonly #networks: readonly IpNetwork[];

  /** Parses the entries of the set. @throws RangeError if an entry is neither a network nor an address */
  constructor(cidrs: readonly string[]) {
    this.#networks = cidrs.map(parseIpNetworkRange);
  }

  /** Returns true if one of the networks contains an IP address, or the IPv4 address that the IP address embeds. */
  contains(address: string): boolean {
    const bytes = parseIpAddress(address);
    if (!bytes) return false;
    const embedded = extractEmbeddedIPv4(bytes);
    return this.#networks.some(
      (network) => isAddressInNetwork(network, bytes) || (embedded && isAddressInNetwork(network, embedded)),
    );
  }
}

/**
 * Returns the canonical form of a host for comparisons: lower case, without brackets around an IPv6 address and without
 * a final dot.
 */
export function toCanonicalHost(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) ? bare.toLowerCase() : bare.toLowerCase().replace(/\.$/, '');
}
