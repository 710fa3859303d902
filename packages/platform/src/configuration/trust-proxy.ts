import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';

/**
 * Names of predefined networks that TRUST_PROXY may contain. The names are defined by `@fastify/proxy-addr`, the
 * library that determines client addresses.
 */
const namedProxyNetworks = new Set(['loopback', 'linklocal', 'uniquelocal']);

const maxTrustedProxies = 10;

/**
 * Schema of the variable TRUST_PROXY: `false`, `true` (trust every proxy), the number of proxies in front of the
 * service (at most 10), or addresses and networks separated by commas. A number above 10 is rejected, because it would
 * in practice trust every proxy.
 */
export const trustProxySchema = z.string().transform((value, context): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value) && Number(value) <= maxTrustedProxies) return Number(value);
  if (value.split(',').every((part) => isAddressOrNetwork(part.trim()))) return value;
  context.addIssue({
    code: 'custom',
    message: 'must be false, a number of proxies up to 10, or addresses and networks separated by commas',
  });
  return z.NEVER;
});

/**
 * Returns the reason why a value of TRUST_PROXY must not be used in production, or undefined if the value may be used.
 * The value `true` makes the leftmost address of `X-Forwarded-For` the client's address. Proxies append addresses to
 * that header, so that a client can forge the leftmost address.
 */
export function findTrustEverythingReason(value: string): string | undefined {
  return value === 'true'
    ? 'must not be true in production, because clients could forge their addresses: set it to the number of proxies in front, such as 1, or to their addresses or networks'
    : undefined;
}

function isAddressOrNetwork(text: string): boolean {
  if (namedProxyNetworks.has(text)) return true;
  const [, address = '', mask] = /^([^/]*)(?:\/([^/]+))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || mask === undefined) return version !== 0;
  if (version === 4 && isIPv4(mask)) return isNetmask(mask);
  return /^\d{1,3}$/.test(mask) && Number(mask) >= 1 && Number(mask) <= (version === 4 ? 32 : 128);
}

/** Returns true if the bits of an IPv4 address are one or more 1 bits, followed only by 0 bits. */
function isNetmask(address: string): boolean {
  const bits = address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('');
  return /^1+0*$/.test(bits);
}
