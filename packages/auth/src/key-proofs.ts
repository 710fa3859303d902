import { timingSafeEqualText } from './constant-time.js';
import { Pepper } from './pepper.js';
import { SecretBox, SecretBoxError } from './secret-box.js';

/** Keys and peppers of a service by their ids, as its configuration lists them. */
export interface ConfiguredKeys {
  readonly encryptionKeys: readonly (readonly [id: string, key: string])[];
  readonly peppers: readonly (readonly [id: string, secret: string])[];
}

/** Proof that a key or pepper is the one that sealed or digested stored texts. It does not reveal the key. */
export interface KeyProof {
  readonly kind: 'encryption key' | 'pepper';
  readonly id: string;
  /** A constant text, sealed or digested with this key alone. */
  readonly proof: string;
}

const provenText = 'switchboard key proof';

/**
 * Returns a proof of each configured key and pepper.
 *
 * @throws KeyMaterialError when a key or pepper is invalid
 */
export function proveKeys({ encryptionKeys, peppers }: ConfiguredKeys): KeyProof[] {
  return [
    ...encryptionKeys.map(([id, key]): KeyProof => {
      const box = new SecretBox({ keys: { [id]: key }, current: id });
      return { kind: 'encryption key', id, proof: box.seal(provenText, provenText) };
    }),
    ...peppers.map(([id, secret]): KeyProof => ({ kind: 'pepper', id, proof: digestWith(id, secret) })),
  ];
}

/**
 * Compares proofs with the configured keys and peppers. Returns a phrase for each proof whose key is missing or differs.
 *
 * @throws KeyMaterialError when a configured key or pepper is invalid
 */
export function findUnprovenKeys(
  { encryptionKeys, peppers }: ConfiguredKeys,
  proofs: readonly { readonly kind: string; readonly id: string; readonly proof: string }[],
): string[] {
  return proofs.flatMap(({ kind, id, proof }) => {
    const keys = kind === 'pepper' ? peppers : encryptionKeys;
    const [, secret] = keys.find(([configured]) => configured === id) ?? [];
    if (secret === undefined) return [`${kind} ${id} is not configured`];
    const isProven = kind === 'pepper' ? timingSafeEqualText(digestWith(id, secret), proof) : opens(id, secret, proof);
    return isProven ? [] : [`${kind} ${id} is another one than in the backup`];
  });
}

function digestWith(id: string, secret: string): string {
  return new Pepper({ [id]: secret }).digestUnderCurrentPepper(provenText).digest;
}

function opens(id: string, key: string, sealed: string): boolean {
  try {
    return new SecretBox({ keys: { [id]: key }, current: id }).open(sealed, provenText) === provenText;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}
