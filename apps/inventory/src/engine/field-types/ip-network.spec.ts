import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertIpAddressToInteger, parseIpNetwork } from './ip-network.js';

describe('parseIpNetwork', () => {
  it.each([
    ['10.0.0.0/24', { family: 4, length: 24, hasMask: true, hostBits: false }],
    ['10.0.0.1/24', { family: 4, length: 24, hostBits: true }],
    ['10.0.0.1', { family: 4, length: 32, hasMask: false, hostBits: false }],
    ['2001:db8::/32', { family: 6, length: 32, hostBits: false }],
    ['2001:db8::1/32', { family: 6, hostBits: true }],
    ['::ffff:10.0.0.0/120', { family: 6, hostBits: false }],
    ['0.0.0.0/0', { length: 0, hostBits: false }],
  ])('parses %s', (text, expected) => {
    expect(parseIpNetwork(text)).toMatchObject(expected);
  });

  it.each([
    '',
    'x',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/24/1',
    'fe80::1%eth0',
    '10.0.0.0/',
    '::/129',
    '010.0.0.1',
  ])('rejects "%s"', (text) => {
    expect(parseIpNetwork(text)).toBeNull();
  });

  it('maps every notation of an IPv6 address to the same number', () => {
    expect(convertIpAddressToInteger('::', 6)).toBe(0n);
    expect(convertIpAddressToInteger('::ffff:10.0.0.1', 6)).toBe(convertIpAddressToInteger('0:0:0:0:0:ffff:a00:1', 6));
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const bits = convertIpAddressToInteger(address, 6);
        expect(bits >= 0n && bits < 2n ** 128n).toBe(true);
      }),
    );
  });
});
