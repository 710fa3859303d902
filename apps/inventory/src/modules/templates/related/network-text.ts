import { TemplateObject } from '@switchboard/templates';
import { addressBits, parseIp } from '../../../engine/field-types/ip-network.js';

/**
 * Returns an address or network as a text with the members that templates use: `ip`, `prefixlen`, `netmask`, `network`,
 * `broadcast` and others.
 */
export function networkText(text: string): unknown {
  const parsed = parseIp(text);
  if (parsed === null) return text;
  return new TemplateObject(text, () => membersOf(parsed), { isText: true });
}

function membersOf({ family, address, length }: NonNullable<ReturnType<typeof parseIp>>): Record<string, unknown> {
  const bits = family === 4 ? 32 : 128;
  const hosts = (1n << BigInt(bits - length)) - 1n;
  const all = (1n << BigInt(bits)) - 1n;
  const first = addressBits(address, family) & (all ^ hosts);
  const shown = (value: bigint): string => (family === 4 ? ipv4(value) : ipv6(value));
  return {
    ip: address,
    prefixlen: length,
    netmask: shown(all ^ hosts),
    hostmask: shown(hosts),
    network: shown(first),
    broadcast: length >= bits - 1 ? null : shown(first | hosts),
    cidr: `${shown(first)}/${length}`,
    version: family,
    family,
    size: Number(hosts + 1n),
  };
}

function ipv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

/** Returns the text of an IPv6 address, whose longest run of zero groups is shortened (RFC 5952). */
function ipv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65535n).toString(16));
  const runs = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)].map(([run]) => run);
  const longest = runs.toSorted((one, other) => other.length - one.length)[0];
  if (longest === undefined) return groups.join(':');
  const at = groups.join(':').indexOf(longest);
  const [before, after] = [groups.join(':').slice(0, at), groups.join(':').slice(at + longest.length)];
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`;
}
