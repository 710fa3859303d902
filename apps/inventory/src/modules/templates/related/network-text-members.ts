import { TemplateObject } from '@switchboard/templates';
import {
  convertIpAddressToInteger,
  parseIpNetwork,
  type ParsedIpNetwork,
} from '../../../engine/field-types/ip-network.js';

/**
 * Returns an IP address or network in the form for templates: a text with the members `ip`, `prefixlen`, `netmask`,
 * `network`, `broadcast` and others. Conditions in a template can compare the text with networks.
 */
export function toNetworkText(text: string): unknown {
  const parsed = parseIpNetwork(text);
  if (parsed === null) return text;
  let own: string | null = null;
  return new TemplateObject(text, () => createNetworkTemplateMembers(parsed), {
    isText: true,
    sortKey: (other) =>
      other === text ? (own ??= createNetworkSortKey(parsed)) : createNetworkSortKey(parseIpNetwork(other)),
    compare: (lookup, other) => networkTemplateLookups.get(lookup)?.(parsed, other) === true,
  });
}

function createNetworkTemplateMembers({ family, address, length }: ParsedIpNetwork): Record<string, unknown> {
  const bits = getAddressBitCount(family);
  const hosts = (1n << BigInt(bits - length)) - 1n;
  const all = (1n << BigInt(bits)) - 1n;
  const first = convertIpAddressToInteger(address, family) & (all ^ hosts);
  const shown = (value: bigint): string => (family === 4 ? formatIpv4(value) : formatIpv6(value));
  return {
    ip: address,
    prefixlen: length,
    netmask: shown(all ^ hosts),
    hostmask: shown(hosts),
    network: shown(first),
    // The last address, also of IPv6 networks, which have no broadcast address: templates of the reference server rely on it.
    broadcast: length >= bits - 1 ? null : shown(first | hosts),
    cidr: `${shown(first)}/${length}`,
    version: family,
    family,
    size: Number(hosts + 1n),
  };
}

/**
 * Returns the sort key of an IP address or network: its IP version, bits and mask length. Returns null for any other
 * text.
 */
function createNetworkSortKey(parsed: ParsedIpNetwork | null): string | null {
  if (parsed === null) return null;
  const { family, address, length } = parsed;
  return `${family} ${convertIpAddressToInteger(address, family).toString(16).padStart(32, '0')} ${String(length).padStart(3, '0')}`;
}

/**
 * Comparison functions for filters of IP addresses and networks in templates, by the name of the lookup, such as
 * `net_contained`.
 */
const networkTemplateLookups: ReadonlyMap<string, (found: ParsedIpNetwork, other: string) => boolean> = new Map([
  ['net_contained', (found, other) => isNetworkWithin(found, parseIpNetwork(other), { isProper: true })],
  ['net_contained_or_equal', (found, other) => isNetworkWithin(found, parseIpNetwork(other))],
  ['net_contains', (found, other) => isNetworkWithin(parseIpNetwork(other), found, { isProper: true })],
  ['net_contains_or_equals', (found, other) => isNetworkWithin(parseIpNetwork(other), found)],
  ['net_host', ({ address }, other) => isNetworkWithin(parseIpNetwork(address), parseIpNetwork(other))],
  ['net_host_contained', ({ address }, other) => isNetworkWithin(parseIpNetwork(address), parseIpNetwork(other))],
  ['net_mask_length', ({ length }, other) => String(length) === other],
]);

function isNetworkWithin(
  inner: ParsedIpNetwork | null,
  outer: ParsedIpNetwork | null,
  { isProper = false } = {},
): boolean {
  if (inner === null || outer === null || inner.family !== outer.family) return false;
  if (inner.length < outer.length || (isProper && inner.length === outer.length)) return false;
  const hostBits = BigInt(getAddressBitCount(outer.family) - outer.length);
  const [one, other] = [inner, outer].map(
    ({ address, family }) => convertIpAddressToInteger(address, family) >> hostBits,
  );
  return one === other;
}

function getAddressBitCount(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

/** Returns the text of an IPv6 address, in which the longest run of zero groups is shortened to `::` (RFC 5952). */
function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 65535n);
  let [start, length] = [0, 0];
  for (const at of groups.keys()) {
    const end = groups.findIndex((group, index) => index >= at && group !== 0n);
    const zeros = (end === -1 ? groups.length : end) - at;
    if (zeros > length) [start, length] = [at, zeros];
  }
  const written = groups.map((group) => group.toString(16));
  if (length < 2) return written.join(':');
  return `${written.slice(0, start).join(':')}::${written.slice(start + length).join(':')}`;
}
