import crypto, { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { areTextsEqualInConstantTime } from './constant-time.js';
import { KeyMaterialError } from './key-material-error.js';
import { PepperedSecretDigester } from './pepper.js';
import { generateChatApiKey, generateTokenPublicKey, generateTokenSecret } from './random-keys.js';
import { SecretTextEncryptor, SecretTextDecryptionError } from './secret-box.js';
import { createStoredChatApiKey, createStoredInventoryToken } from './stored-credentials.js';

const key = (): string => randomBytes(32).toString('base64');
const keys = { k1: key(), k2: key() };
const box = new SecretTextEncryptor({ keys, current: 'k1' });
const one = 'first pepper of at least thirty-two characters';
const two = 'second pepper of at least thirty-two characters';

const fault = (open: () => string): string => {
  try {
    open();
    return 'opened';
  } catch (error) {
    return error instanceof SecretTextDecryptionError ? error.fault : 'other';
  }
};

describe('SecretTextEncryptor', () => {
  it('decrypts an encrypted text only for the owner for whom the text was encrypted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (secret, owner, other) => {
        const sealed = box.seal(secret, owner);
        expect(box.open(sealed, owner)).toBe(secret);
        expect(fault(() => box.open(sealed, other))).toBe(other === owner ? 'opened' : 'rejected');
      }),
    );
  });

  it('encrypts the same secret differently each time, in the documented format', () => {
    expect(box.seal('secret', 'a')).not.toBe(box.seal('secret', 'a'));
    expect(box.seal('secret', 'a')).toMatch(/^v1\.k1\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
  });

  it('rejects a text in which any single bit is changed', () => {
    const [version = '', keyId = '', ...parts] = box.seal('secret', 'owner').split('.');
    parts.forEach((part, which) => {
      for (let bit = 0; bit < Buffer.from(part, 'base64url').length * 8; bit += 1) {
        const bytes = Buffer.from(part, 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const changed = parts.with(which, bytes.toString('base64url'));
        expect(fault(() => box.open([version, keyId, ...changed].join('.'), 'owner'))).toBe('rejected');
      }
    });
    const otherKey = [version, 'k2', ...parts].join('.');
    expect(fault(() => box.open(otherKey, 'owner'))).toBe('rejected');
  });

  it.each(['', 'v1', 'v2.k1.a.b.c', 'v1.k1.AAAA.AAAA.AAAA', 'v1.k1.!!.AA.AA', 'v1..AAAA.AAAA.AAAA', 'v1.k1.a.b.c.d'])(
    'rejects %j as malformed',
    (sealed) => expect(fault(() => box.open(sealed, ''))).toBe('malformed'),
  );

  it('encrypts secrets again with a new key, and names a missing key in the error', () => {
    const sealed = box.seal('secret', 'owner');
    const rotated = new SecretTextEncryptor({ keys, current: 'k2' });
    const moved = rotated.reencryptWithCurrentKey(sealed, 'owner') ?? '';
    expect(moved).toMatch(/^v1\.k2\./);
    expect(rotated.reencryptWithCurrentKey(moved, 'owner')).toBeNull();
    const without = new SecretTextEncryptor({ keys: { k2: keys.k2 }, current: 'k2' });
    expect(without.open(moved, 'owner')).toBe('secret');
    expect(fault(() => without.open(sealed, 'owner'))).toBe('unknown_key');
  });

  it.each([
    [{ k1: randomBytes(31).toString('base64') }, 'k1'],
    [{ 'k.1': key() }, 'k.1'],
    [{ k1: key() }, 'k2'],
  ])('rejects invalid keys with an error message that does not contain the keys', (bad, current) => {
    expect(() => new SecretTextEncryptor({ keys: bad, current })).toThrow(KeyMaterialError);
    expect(() => new SecretTextEncryptor({ keys: bad, current })).not.toThrow(Object.values(bad)[0]);
  });
});

describe('Pepper', () => {
  const pepper = new PepperedSecretDigester({ 1: one, 10: two, 2: one });

  it('computes digests with the pepper of the highest id, and returns digests under all peppers for lookups', () => {
    expect(pepper.digestUnderCurrentPepper('secret').pepperId).toBe(10);
    expect(pepper.digestUnderAllPeppers('secret').map(({ pepperId }) => pepperId)).toEqual([10, 2, 1]);
    expect(pepper.digestUnderAllPeppers('secret')[0]).toEqual(pepper.digestUnderCurrentPepper('secret'));
    const expected = crypto.createHmac('sha256', two).update('secret').digest('hex');
    expect(pepper.digestUnderCurrentPepper('secret').digest).toBe(expected);
  });

  it('verifies digests of older peppers, but not of a removed pepper', () => {
    const old = new PepperedSecretDigester({ 1: one }).digestUnderCurrentPepper('secret');
    expect(pepper.matchesDigest('secret', old)).toBe(true);
    expect(pepper.isRenewable(old)).toBe(true);
    expect(
      new PepperedSecretDigester({ 1: one, 10: two }, { currentId: 1 }).isRenewable({ ...old, pepperId: 10 }),
    ).toBe(false);
    expect(pepper.matchesDigest('secre', old)).toBe(false);
    expect(new PepperedSecretDigester({ 10: two }).matchesDigest('secret', old)).toBe(false);
  });

  it('compares digests in constant time', () => {
    const digest = pepper.digestUnderCurrentPepper('secret');
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    expect(pepper.matchesDigest('secret', digest)).toBe(true);
    expect(compare).toHaveBeenCalledTimes(1);
    compare.mockRestore();
    syncBuiltinESMExports();
  });

  it('rejects unusable peppers', () => {
    expect(() => new PepperedSecretDigester({})).toThrow(KeyMaterialError);
    expect(() => new PepperedSecretDigester({ 1: 'short' })).toThrow('Pepper 1 must have at least 32 characters');
    expect(() => new PepperedSecretDigester({ [-1]: one })).toThrow(KeyMaterialError);
  });
});

describe('stored API keys and tokens', () => {
  const pepper = new PepperedSecretDigester({ 1: one });

  it('include an API key in encrypted form, with a digest for lookups', () => {
    const apiKey = generateChatApiKey();
    const stored = createStoredChatApiKey(apiKey, 'user:12', { box, pepper });
    expect(box.open(stored.ciphertext, 'user:12')).toBe(apiKey);
    expect(pepper.digestUnderAllPeppers(apiKey)).toContainEqual({ pepperId: stored.pepperId, digest: stored.digest });
    expect(JSON.stringify(stored)).not.toContain(apiKey);
  });

  it('include only the digest of a token', () => {
    const secret = generateTokenSecret();
    const stored = createStoredInventoryToken(secret, generateTokenPublicKey(), pepper);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(pepper.matchesDigest(secret, stored)).toBe(true);
  });
});

describe('randomKey', () => {
  it('has the documented length and alphabet, with a uniform distribution', () => {
    expect([generateChatApiKey(), generateTokenPublicKey(), generateTokenSecret()].map(({ length }) => length)).toEqual(
      [32, 12, 40],
    );
    const text = Array.from({ length: 1000 }, () => generateTokenSecret()).join('');
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].toSorted().join('')).toBe(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    );
    // 40,000 draws: about 645 each, with a standard deviation of 25. Modulo bias would give eight of them 780.
    expect(Math.max(...counts.values())).toBeLessThan(770);
    expect(Math.min(...counts.values())).toBeGreaterThan(520);
  });
});

describe('areTextsEqualInConstantTime', () => {
  it('returns true only for equal texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(areTextsEqualInConstantTime(left, right)).toBe(left === right);
        expect(areTextsEqualInConstantTime(left, left)).toBe(true);
      }),
    );
  });
});
