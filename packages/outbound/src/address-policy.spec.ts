import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressChecker, publicAddressesOnly } from './address-policy.js';
import { AddressRefusedError } from './outbound-errors.js';
import { parseIpAddress } from './ip-address.js';

const publicOnlyChecker = new AddressChecker(publicAddressesOnly);

/**
 * Returns the kind of address range because of which the address policy rejects an address. Returns null if the address
 * is allowed.
 */
function refusal(address: string, checker = publicOnlyChecker): string | null {
  try {
    checker.assertAllowed('receiver.example', [address]);
    return null;
  } catch (error) {
    if (error instanceof AddressRefusedError) return error.range;
    throw error;
  }
}

describe('default address policy', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['169.254.0.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.0.8', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.9', 'documentation'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['::ffff:0:10.0.0.1', 'private'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1::1', 'reserved'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a9fe:a9fe::1', 'metadata'],
    ['2002:c0a8:101::', 'private'],
    ['2001:0:7f00:1::', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['100::1', 'reserved'],
    ['fec0::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['not-an-address', 'reserved'],
  ])('rejects %s as %s', (address, range) => {
    expect(refusal(address)).toBe(range);
  });

  it.each([
    '1.1.1.1',
    '172.32.0.1',
    '172.15.255.255',
    '100.128.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('allows the public address %s', (address) => {
    expect(refusal(address)).toBeNull();
  });

  it('rejects a host when any of its addresses is forbidden', () => {
    expect(() => publicOnlyChecker.assertAllowed('receiver.example', ['1.1.1.1', '10.0.0.1'])).toThrow(
      'Address 10.0.0.1 of host receiver.example is refused: private',
    );
  });

  it('treats an IPv4 address and its IPv6-mapped form in the same way', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(refusal(`::ffff:${address}`)).toBe(refusal(address));
        expect(refusal(`64:ff9b::${address}`)).toBe(refusal(address));
      }),
    );
  });
});

describe('address policy settings', () => {
  it('allow loopback and private addresses if enabled, but no other special addresses', () => {
    const checker = new AddressChecker({ ...publicAddressesOnly, allowLoopback: true, allowPrivate: true });
    expect(['127.0.0.1', '::1', '10.1.2.3', 'fd12::1', '::ffff:127.0.0.1'].map((a) => refusal(a, checker))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(refusal('169.254.169.254', checker)).toBe('metadata');
    expect(refusal('fd00:ec2::254', checker)).toBe('metadata');
    expect(refusal('0.0.0.0', checker)).toBe('unspecified');
  });

  it('allow a network in every notation of its addresses', () => {
    const checker = new AddressChecker({
      ...publicAddressesOnly,
      allowNetworks: ['10.20.0.0/14', 'fd12::/16', '192.168.7.9'],
    });
    expect(refusal('10.23.255.255', checker)).toBeNull();
    expect(refusal('::ffff:10.20.0.1', checker)).toBeNull();
    expect(refusal('10.24.0.0', checker)).toBe('private');
    expect(refusal('fd12::7', checker)).toBeNull();
    expect(refusal('192.168.7.9', checker)).toBeNull();
    expect(refusal('192.168.7.8', checker)).toBe('private');
  });

  it('allow a host name in any letter case, with a final dot, and below a wildcard', () => {
    const checker = new AddressChecker({ ...publicAddressesOnly, allowHosts: ['Hooks.internal', '*.lab.example'] });
    for (const host of ['hooks.internal', 'HOOKS.INTERNAL.', 'a.lab.example', 'a.b.lab.example']) {
      expect(() => checker.assertAllowed(host, ['10.0.0.1'])).not.toThrow();
    }
    for (const host of ['lab.example', 'evil-hooks.internal', 'hooks.internal.evil.example', 'xlab.example']) {
      expect(() => checker.assertAllowed(host, ['10.0.0.1'])).toThrow(AddressRefusedError);
    }
  });

  it.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'x', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1'])(
    'reject %s as a network',
    (cidr) => {
      expect(() => new AddressChecker({ ...publicAddressesOnly, allowNetworks: [cidr] })).toThrow(RangeError);
    },
  );
});

describe('parseIpAddress', () => {
  it('parses every IPv6 spelling to the same address as its form in the WHATWG URL parser', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        expect(parseIpAddress(address)).toEqual(parseIpAddress(canonical));
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([undefined, 4, 16]).toContain(parseIpAddress(text)?.length);
      }),
    );
  });
});
