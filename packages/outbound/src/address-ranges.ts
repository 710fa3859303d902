import { parseIpAddress, haveEqualAddressPrefix, type AddressBytes } from './ip-address.js';

/** Kind of IP address range. An address policy treats all addresses of one kind in the same way. */
export type AddressRange =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'reserved';

/** An IP network in CIDR notation, parsed to bytes. */
export interface IpNetwork {
  readonly bytes: AddressBytes;
  readonly prefixLength: number;
}

/**
 * Parses a network in CIDR notation. An address without a prefix length is a network that contains only this address.
 *
 * @throws RangeError when the text is neither a network nor an address
 */
export function parseIpNetworkRange(cidr: string): IpNetwork {
  const [address = '', length, ...rest] = cidr.split('/');
  const bytes = parseIpAddress(address);
  if (!bytes || rest.length > 0) throw new RangeError(`"${cidr}" is not a network in CIDR notation`);
  const prefixLength = length === undefined ? bytes.length * 8 : Number(length);
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || prefixLength > bytes.length * 8)) {
    throw new RangeError(`"${cidr}" has no valid prefix length`);
  }
  return { bytes, prefixLength };
}

// Kinds of networks; the first match applies. Sources: the IANA special-purpose address registries (RFC 6890), and the
// documentation of cloud providers for metadata services outside the link-local range.
const knownNetworkRanges: readonly { network: IpNetwork; range: AddressRange }[] = (
  [
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['0.0.0.0/8', 'unspecified'],
    ['10.0.0.0/8', 'private'],
    ['100.64.0.0/10', 'private'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['172.16.0.0/12', 'private'],
    ['192.0.0.0/24', 'reserved'],
    ['192.0.2.0/24', 'documentation'],
    ['192.88.99.0/24', 'reserved'],
    ['192.168.0.0/16', 'private'],
    ['198.18.0.0/15', 'reserved'],
    ['198.51.100.0/24', 'documentation'],
    ['203.0.113.0/24', 'documentation'],
    ['224.0.0.0/4', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.0/4', 'reserved'],
    ['0.0.0.0/0', 'public'],

    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fc00::/7', 'private'],
    ['fe80::/10', 'link-local'],
    ['ff00::/8', 'multicast'],
    ['2001:db8::/32', 'documentation'],
    ['3fff::/20', 'documentation'],
    ['2001::/23', 'reserved'],
    ['2620:4f:8000::/48', 'reserved'],
    ['2000::/3', 'public'],
    // Only global unicast is in public use. All other IPv6 ranges are closed until listed here.
    ['::/0', 'reserved'],
  ] satisfies [string, AddressRange][]
).map(([cidr, range]) => ({ network: parseIpNetworkRange(cidr), range }));

// IPv6 prefixes that embed an IPv4 address, with its offset in the 16 bytes.
const ipv4EmbeddingNetworks = (
  [
    ['::ffff:0:0/96', 12], // IPv4-mapped, RFC 4291
    ['::ffff:0:0:0/96', 12], // IPv4-translated, RFC 2765
    ['::/96', 12], // IPv4-compatible, RFC 4291 (deprecated)
    ['64:ff9b::/96', 12], // NAT64, RFC 6052
    ['2002::/16', 2], // 6to4, RFC 3056
  ] satisfies [string, number][]
).map(([cidr, offset]) => ({ network: parseIpNetworkRange(cidr), offset }));

/** Returns true if the IP network contains the address. */
export function isAddressInNetwork(network: IpNetwork, address: AddressBytes): boolean {
  return haveEqualAddressPrefix(address, network.bytes, network.prefixLength);
}

/**
 * Returns the IPv4 address embedded in an IPv6 address, to which packets may be forwarded; returns null if there is no
 * embedded address.
 */
export function extractEmbeddedIPv4(address: AddressBytes): AddressBytes | null {
  // The unspecified and the loopback address are within the IPv4-compatible prefix but embed no IPv4 address.
  if (address.length !== 16 || address.subarray(0, 15).every((byte) => byte === 0)) return null;
  const wrapper = ipv4EmbeddingNetworks.find(({ network }) => isAddressInNetwork(network, address));
  return wrapper ? address.subarray(wrapper.offset, wrapper.offset + 4) : null;
}

/**
 * Returns the kind of range of an IP address. For an IPv6 address with an embedded IPv4 address, returns the kind of
 * the IPv4 address.
 */
export function classifyAddress(address: AddressBytes): AddressRange {
  const decisive = extractEmbeddedIPv4(address) ?? address;
  return knownNetworkRanges.find(({ network }) => isAddressInNetwork(network, decisive))?.range ?? 'reserved';
}
