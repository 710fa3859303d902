import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTokenText, parseTokenHeader } from './token-header.js';

describe('parseTokenHeader', () => {
  it.each([
    [undefined, { scheme: 'none' }],
    ['', { scheme: 'none' }],
    ['Basic abc', { scheme: 'none' }],
    ['nbt_key.secret', { scheme: 'none' }],
    ['Token', { scheme: 'malformed', fault: 'form' }],
    ['Bearer ', { scheme: 'malformed', fault: 'form' }],
    ['Token a b', { scheme: 'malformed', fault: 'form' }],
    ['Token a\u00fc', { scheme: 'malformed', fault: 'characters' }],
    ['Bearer nbt_withoutdot', { scheme: 'malformed', fault: 'key' }],
    ['Token nbt_withoutdot', { scheme: 'v1', secret: 'nbt_withoutdot' }],
    ['Token abc', { scheme: 'v1', secret: 'abc' }],
    ['Bearer abc', { scheme: 'v1', secret: 'abc' }],
    ['Bearer abc.def', { scheme: 'v1', secret: 'abc.def' }],
    ['Bearer nbt_key.secret', { scheme: 'v2', key: 'key', secret: 'secret' }],
    ['Token nbt_key.secret', { scheme: 'v2', key: 'key', secret: 'secret' }],
    ['bearer   nbt_key.se.cret', { scheme: 'v2', key: 'key', secret: 'se.cret' }],
    ['TOKEN nbt_.', { scheme: 'v2', key: '', secret: '' }],
  ])('parses %j as %j', (header, expected) => {
    expect(parseTokenHeader(header)).toEqual(expected);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom('Token ', 'Bearer ', ''), fc.string({ unit: 'binary' }), (keyword, rest) => {
        expect(['none', 'malformed', 'v1', 'v2']).toContain(parseTokenHeader(keyword + rest).scheme);
      }),
    );
  });

  it('parses tokens with the prefix of a service as version 2, and other tokens as version 1', () => {
    const token = formatTokenText('key', 'secret', 'shop_');
    expect(token).toBe('shop_key.secret');
    expect(parseTokenHeader(`Bearer ${token}`, 'shop_')).toEqual({ scheme: 'v2', key: 'key', secret: 'secret' });
    expect(parseTokenHeader(`Token ${token}`)).toEqual({ scheme: 'v1', secret: token });
  });

  it('restores every key and secret that was formatted', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9]+$/);
    fc.assert(
      fc.property(word, word, fc.constantFrom('Token', 'bearer'), (key, secret, keyword) => {
        expect(parseTokenHeader(`${keyword} ${formatTokenText(key, secret)}`)).toEqual({ scheme: 'v2', key, secret });
      }),
    );
  });
});
