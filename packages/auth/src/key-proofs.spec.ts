import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findUnprovenKeys, proveKeys } from './key-proofs.js';

const key = (): string => randomBytes(32).toString('base64');
const pepper = (): string => randomBytes(32).toString('hex');
const keys = {
  encryptionKeys: [
    ['k1', key()],
    ['k2', key()],
  ],
  peppers: [
    ['1', pepper()],
    ['2', pepper()],
  ],
} as const;

describe('findUnprovenKeys', () => {
  it('accepts the keys that made the proofs, in any order and with further ones', () => {
    const proofs = proveKeys(keys);
    const [first, second] = keys.encryptionKeys;
    const encryptionKeys = [['k3', key()], second, first] as const;
    expect(findUnprovenKeys({ ...keys, encryptionKeys }, proofs)).toEqual([]);
  });

  it('names each key that is missing or differs', () => {
    const proofs = proveKeys(keys);
    const changed = { encryptionKeys: [['k1', key()]], peppers: [keys.peppers[0], ['2', pepper()]] } as const;
    expect(findUnprovenKeys(changed, proofs)).toEqual([
      'encryption key k1 is another one than in the backup',
      'encryption key k2 is not configured',
      'pepper 2 is another one than in the backup',
    ]);
  });

  it('names keys whose proofs are damaged', () => {
    const damaged = proveKeys(keys).map((proof) => ({ ...proof, proof: 'x' }));
    expect(findUnprovenKeys(keys, damaged)).toHaveLength(4);
  });
});

describe('proveKeys', () => {
  it('returns no key and no pepper', () => {
    const proofs = JSON.stringify(proveKeys(keys));
    for (const [, secret] of [...keys.encryptionKeys, ...keys.peppers]) expect(proofs).not.toContain(secret);
  });
});
