import { isIP } from 'node:net';

/** Bytes of an IP address: 4 for IPv4, 16 for IPv6. */
export type AddressBytes = Uint8Array;

/**
 * Parses an IP address. Returns null if the text is not an IP address. Removes a zone (`fe80::1%eth0`), which names a
 * network interface of this machine and does not affect the kind of the address.
 */
export function parseIpAddress(text: string): AddressBytes | null {
  const [address = ''] = text.split('%', 1);
  const family = isIP(address);
  if (family === 4) return Uint8Array.from(address.split('.'), Number);
  return family === 6 ? parseIPv6(address) : null;
}

/**
 * Returns true if the first `prefixLength` bits of two IP addresses are equal, and false for addresses of different
 * families.
 */
export function haveEqualAddressPrefix(address: AddressBytes, network: AddressBytes, prefixLength: number): boolean {
  if (address.length !== network.length) return false;
  const wholeBytes = prefixLength >> 3;
  for (let index = 0; index < wholeBytes; index += 1) {
    if (address[index] !== network[index]) return false;
  }
  const bits = prefixLength & 7;
  if (bits === 0) return true;
  const mask = 0xff << (8 - bits);
  return ((address[wholeBytes] ?? 0) & mask) === ((network[wholeBytes] ?? 0) & mask);
}

// The caller has established that the text is an IPv6 address.
function parseIPv6(address: string): AddressBytes {
  const [left = '', right] = address.split('::');
  const head = parseIPv6Groups(left);
  const tail = parseIPv6Groups(right ?? '');
  const bytes = new Uint8Array(16);
  bytes.set(head, 0);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

function parseIPv6Groups(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
