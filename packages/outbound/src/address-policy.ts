import { rangeOf, type AddressRange } from './address-ranges.js';
import { AddressRefusedError } from './errors.js';
import { HostNames, Networks, canonicalHost } from './host-set.js';
import { parseAddress } from './ip-address.js';

/**
 * Destinations that requests may be sent to. Public addresses always; everything else only by name, network or setting.
 *
 * Link-local, metadata, unspecified, multicast, broadcast, documentation and reserved ranges have no setting: naming
 * the network is the only way in.
 */
export interface AddressPolicy {
  /** 127.0.0.0/8 and ::1. For development. */
  readonly allowLoopback: boolean;
  /** RFC 1918, the shared space 100.64.0.0/10 and unique local IPv6 addresses. */
  readonly allowPrivate: boolean;
  /**
   * Hosts whose addresses are not checked: exact names, or `*.example.com` for every name below. They are still resolved
   * once and the connection pinned, so trust in the name's DNS is all that is given.
   */
  readonly allowHosts: readonly string[];
  /** Networks that are always allowed, in CIDR notation. */
  readonly allowNetworks: readonly string[];
  /** Ports that may be used; any, unless set. */
  readonly allowPorts?: readonly number[];
}

/** The policy that allows public addresses alone. */
export const publicOnly: AddressPolicy = {
  allowLoopback: false,
  allowPrivate: false,
  allowHosts: [],
  allowNetworks: [],
};

/** A compiled {@link AddressPolicy}. */
export class AddressChecker {
  readonly #policy: AddressPolicy;
  readonly #networks: Networks;
  readonly #hosts: HostNames;

  /** @throws RangeError when an allowed network is not in CIDR notation. */
  constructor(policy: AddressPolicy) {
    this.#policy = policy;
    this.#networks = new Networks(policy.allowNetworks);
    this.#hosts = new HostNames(policy.allowHosts);
  }

  /** Whether the port may be used. */
  allowsPort(port: number): boolean {
    return this.#policy.allowPorts?.includes(port) ?? true;
  }

  /**
   * Checks every address of a host. One refused address refuses the host: which one the system would pick is not ours
   * to guess.
   *
   * @throws AddressRefusedError for the first refused address.
   */
  check(host: string, addresses: readonly string[]): void {
    if (this.#hosts.has(canonicalHost(host))) return;
    for (const address of addresses) {
      const range = this.#refusedRange(address);
      if (range) throw new AddressRefusedError(host, address, range);
    }
  }

  #refusedRange(address: string): AddressRange | null {
    const bytes = parseAddress(address);
    if (!bytes) return 'reserved';
    if (this.#networks.hold(address)) return null;
    const range = rangeOf(bytes);
    if (range === 'public') return null;
    if (range === 'loopback' && this.#policy.allowLoopback) return null;
    if (range === 'private' && this.#policy.allowPrivate) return null;
    return range;
  }
}
