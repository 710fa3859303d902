import { isIP } from 'node:net';

/** A parsed IP address or network. `hasMask` is true if the parsed text contained a mask length, such as `/24`. */
export interface ParsedIpNetwork {
  readonly family: 4 | 6;
  readonly address: string;
  readonly length: number;
  readonly hasMask: boolean;
  /** True if an IP network's address has bits set after the mask length, as in `10.0.0.1/24`. */
  readonly hostBits: boolean;
}

/**
 * Parses an IP address or network such as `10.0.0.1`, `10.0.0.1/24` or `2001:db8::/32`. Returns null for any other
 * text, including IPv6 addresses with a zone such as `%eth0`.
 */
export function parseIpNetwork(text: string): ParsedIpNetwork | null {
  const [address = '', mask, ...rest] = text.trim().split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return null;
  const bits = family === 4 ? 32 : 128;
  if (mask !== undefined && !/^\d{1,3}$/.test(mask)) return null;
  const length = mask === undefined ? bits : Number(mask);
  if (length > bits) return null;
  const host = convertIpAddressToInteger(address, family === 4 ? 4 : 6) & ((1n << BigInt(bits - length)) - 1n);
  return { family: family === 4 ? 4 : 6, address, length, hasMask: mask !== undefined, hostBits: host !== 0n };
}

export function convertIpAddressToInteger(address: string, family: 4 | 6): bigint {
  if (family === 4) return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(Number(part)), 0n);
  const [head = '', tail] = replaceDottedIpv4WithHexadecimal(address).split('::');
  const left = splitIntoHexadecimalGroups(head);
  const right = tail === undefined ? [] : splitIntoHexadecimalGroups(tail);
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array.from({ length: gap }, () => '0'), ...right];
  return all.reduce((bits, part) => (bits << 16n) | BigInt(`0x${part}`), 0n);
}

function splitIntoHexadecimalGroups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

/**
 * Returns an IPv6 address whose dotted IPv4 form at the end (RFC 4291 section 2.2) is replaced with two hexadecimal
 * groups.
 */
function replaceDottedIpv4WithHexadecimal(address: string): string {
  const end = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (end === null) return address;
  const [first = 0, second = 0, third = 0, fourth = 0] = end.slice(1).map(Number);
  const high = ((first << 8) | second).toString(16);
  const low = ((third << 8) | fourth).toString(16);
  return `${address.slice(0, end.index)}${high}:${low}`;
}
