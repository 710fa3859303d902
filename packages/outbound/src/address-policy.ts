import { classifyAddress, type AddressRange } from './address-ranges.js';
import { AddressRefusedError } from './outbound-errors.js';
import { HostNameSet, NetworkSet, toCanonicalHost } from './host-set.js';
import { parseIpAddress } from './ip-address.js';

/**
 * Rules on the addresses to which requests may be sent. Public addresses are always allowed. All other addresses must
 * be allowed by a host name, a network or a setting of the policy. Link-local, metadata, unspecified, multicast,
 * broadcast, documentation and reserved ranges have no setting. They can be allowed only as networks.
 */
export interface AddressPolicy {
  /** True to allow requests to the loopback addresses 127.0.0.0/8 and ::1, for development. */
  readonly allowLoopback: boolean;
  /**
   * True to allow requests to private addresses: RFC 1918 networks, the shared space 100.64.0.0/10 and unique local
   * IPv6 addresses.
   */
  readonly allowPrivate: boolean;
  /**
   * Hosts whose addresses are not checked: exact names, or `*.example.com` for all subdomains. An allowed host name is
   * resolved once, and the connection uses the resulting address. The policy therefore trusts the DNS of this name
   * only.
   */
  readonly allowHosts: readonly string[];
  /** Networks to which requests are always allowed, in CIDR notation. */
  readonly allowNetworks: readonly string[];
  /** Ports to which requests may be sent. If undefined, all ports are allowed. */
  readonly allowPorts?: readonly number[];
}

/** Address policy that allows only public addresses. */
export const publicAddressesOnly: AddressPolicy = {
  allowLoopback: false,
  allowPrivate: false,
  allowHosts: [],
  allowNetworks: [],
};

/** Checks host addresses and ports against an {@link AddressPolicy}. */
export class AddressChecker {
  readonly #policy: AddressPolicy;
  readonly #networks: NetworkSet;
  readonly #hosts: HostNameSet;

  /**
   * Parses the hosts and networks of an address policy. @throws RangeError when an allowed network is not in CIDR
   *   notation.
   */
  constructor(policy: AddressPolicy) {
    this.#policy = policy;
    this.#networks = new NetworkSet(policy.allowNetworks);
    this.#hosts = new HostNameSet(policy.allowHosts);
  }

  /** Returns true if the address policy allows requests to the port. */
  allowsPort(port: number): boolean {
    return this.#policy.allowPorts?.includes(port) ?? true;
  }

  /**
   * Checks every address of a host. If the policy rejects one address, the host is rejected, because a connection might
   * use any of the host's addresses.
   *
   * @throws AddressRefusedError for the first rejected address
   */
  assertAllowed(host: string, addresses: readonly string[]): void {
    if (this.#hosts.has(toCanonicalHost(host))) return;
    for (const address of addresses) {
      const range = this.#findRefusedRange(address);
      if (range) throw new AddressRefusedError(host, address, range);
    }
  }

  #findRefusedRange(address: string): AddressRange | null {
    const bytes = parseIpAddress(address);
    if (!bytes) return 'reserved';
    if (this.#networks.contains(address)) return null;
    const range = classifyAddress(bytes);
    if (range === 'public') return null;
    if (range === 'loopback' && this.#policy.allowLoopback) return null;
    if (range === 'private' && this.#policy.allowPrivate) return null;
    return range;
  }
}
