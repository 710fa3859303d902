import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBasicAuthorization } from './basic-authorization.js';

const encode = (pair: string | Buffer): string => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('parseBasicAuthorization', () => {
  it.each([
    [undefined, { scheme: 'none' }],
    ['', { scheme: 'none' }],
    ['   ', { scheme: 'none' }],
    ['Bearer abc', { scheme: 'other', keyword: 'bearer' }],
    ['Digest username="a"', { scheme: 'other', keyword: 'digest' }],
    ['Basic', { scheme: 'malformed' }],
    ['Basic ', { scheme: 'malformed' }],
    ['Basic a b', { scheme: 'malformed' }],
    ['Basic !!!!', { scheme: 'malformed' }],
    ['Basic =', { scheme: 'malformed' }],
    [encode('no colon'), { scheme: 'malformed' }],
    [encode(':key'), { scheme: 'malformed' }],
    [encode('iago@zulip.com:'), { scheme: 'malformed' }],
    [encode(' : '), { scheme: 'malformed' }],
    [encode('ia\0go@zulip.com:key'), { scheme: 'malformed' }],
    [encode('iago@zulip.com:k\u0007ey'), { scheme: 'malformed' }],
    [encode(Buffer.from([0xff, 0x3a, 0x61])), { scheme: 'malformed' }],
    [encode('iago@zulip.com:abc'), { scheme: 'basic', email: 'iago@zulip.com', key: 'abc' }],
    [encode(' iago@zulip.com : abc\n'), { scheme: 'basic', email: 'iago@zulip.com', key: 'abc' }],
    [encode('jürgen@example.com:ключ'), { scheme: 'basic', email: 'jürgen@example.com', key: 'ключ' }],
    [encode('a@b.c:with:colons'), { scheme: 'basic', email: 'a@b.c', key: 'with:colons' }],
    [`  basic   ${encode('a@b.c:k').slice(6)}  `, { scheme: 'basic', email: 'a@b.c', key: 'k' }],
    [encode('a@b.c:kk').replace(/=+$/, ''), { scheme: 'basic', email: 'a@b.c', key: 'kk' }],
  ])('parses %j as %j', (header, expected) => {
    expect(parseBasicAuthorization(header)).toEqual(expected);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string().map(encode)), (header) => {
        expect(['none', 'other', 'malformed', 'basic']).toContain(parseBasicAuthorization(header).scheme);
      }),
    );
  });

  it('parses back every email and key without special characters', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((value) => /^[^\p{C}:]+$/u.test(value));
    fc.assert(
      fc.property(text, text, (email, key) => {
        fc.pre(email.trim() !== '' && key.trim() !== '');
        const header = encode(`${email}:${key}`);
        expect(parseBasicAuthorization(header)).toEqual({ scheme: 'basic', email: email.trim(), key: key.trim() });
      }),
    );
  });
});
