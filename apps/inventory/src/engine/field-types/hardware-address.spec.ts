import { describe, expect, it } from 'vitest';
import { parseHardwareAddress } from './hardware-address.js';

describe('parseHardwareAddress', () => {
  it.each([
    '00:1b:44:11:3a:b7',
    '00-1B-44-11-3A-B7',
    '001b.4411.3ab7',
    '001b44:113ab7',
    '001b44-113ab7',
    '001B44113AB7',
    '0:1b:44:11:3a:b7',
    ' 00:1b:44:11:3a:b7 ',
  ])('parses %s', (text) => {
    expect(parseHardwareAddress(text, 6)).toBe('00:1B:44:11:3A:B7');
  });

  it('parses an address of eight bytes for a field of eight bytes', () => {
    expect(parseHardwareAddress('5006.0160.3ba0.1c2d', 8)).toBe('50:06:01:60:3B:A0:1C:2D');
    expect(parseHardwareAddress('50:06:01:60:3b:a0:1c:2d', 6)).toBeNull();
    expect(parseHardwareAddress('00:1b:44:11:3a:b7', 8)).toBeNull();
  });

  it.each([
    '',
    'zz',
    '00:1b:44:11:3a',
    '00:1b-44:11:3a:b7',
    '00:1b:44:11:3a:b7:',
    '00::44:11:3a:b7',
    '1b:4411:3ab7',
    'a'.repeat(500),
  ])('rejects %j', (text) => {
    expect(parseHardwareAddress(text, 6)).toBeNull();
  });
});
