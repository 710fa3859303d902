import { isIP } from 'node:net';
import { contains, embeddedIPv4, parseNetwork, type Network } from './address-ranges.js';
import { parseAddress } from './ip-address.js';

/** Hosts by their names: exact ones, or `*.example.com` for every name below. */
export class HostNames {
  readonly #exact: ReadonlySet<string>;
  readonly #parents: readonly string[];

  constructor(names: readonly string[]) {
    const canonical = names.map(canonicalHost);
    this.#exact = new Set(canonical.filter((name) => !name.startsWith('*.')));
    this.#parents = canonical.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  }

  /** @param host In its canonical form. */
  has(host: string): boolean {
    return this.#exact.has(host) || this.#parents.some((parent) => host.endsWith(parent));
  }
}

/** Networks in CIDR notation, or single addresses. */
export class Networks {
  readonly #networks: readonly Network[];

  /** @throws RangeError when one is no network. */
  constructor(cidrs: readonly string[]) {
    this.#networks = cidrs.map(parseNetwork);
  }

  /** Returns true if one of the networks contains the address, or the IPv4 address embedded in it. */
  hold(address: string): boolean {
    const bytes = parseAddress(address);
    if (!bytes) return false;
    const embedded = embeddedIPv4(bytes);
    return this.#networks.some((network) => contains(network, bytes) || (embedded && contains(network, embedded)));
  }
}

/** A host as names are compared: lower case, no brackets around IPv6, no dot at the end. */
export function canonicalHost(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) ? bare.toLowerCase() : bare.toLowerCase().replace(/\.$/, '');
}
