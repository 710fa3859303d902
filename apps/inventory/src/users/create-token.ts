import {
  formatTokenText,
  generateTokenPublicKey,
  generateTokenSecret,
  parseTokenHeader,
  type PepperedSecretDigester,
} from '@switchboard/auth';
import type { InventoryTx } from '../prisma-client.js';

/** Returns a new random API token, in the form `nbt_<key>.<secret>`. */
export function generateTokenToStore(): string {
  return formatTokenText(generateTokenPublicKey(), generateTokenSecret());
}

/** An API token to store in the database, in plain text. */
export interface TokenToStore {
  readonly userId: number;
  /** Plain text of the API token: `nbt_<key>.<secret>`, or the 40 characters of a version 1 token. */
  readonly value: string;
  readonly description: string;
}

/**
 * Returns the database columns of an API token, with the digest of its secret.
 *
 * @throws RangeError if the value is not a token
 */
export function createTokenColumnValues(pepper: PepperedSecretDigester, token: TokenToStore) {
  const parsed = parseTokenHeader(`Bearer ${token.value}`);
  if (parsed.scheme !== 'v1' && parsed.scheme !== 'v2') throw new RangeError('The value is not a token');
  const { pepperId, digest } = pepper.digestUnderCurrentPepper(parsed.secret);
  const named =
    parsed.scheme === 'v2'
      ? { version: 2, key: parsed.key, hint: '' }
      : { version: 1, key: null, hint: parsed.secret.slice(-6) };
  return { ...named, digest, pepperId, userId: token.userId, description: token.description };
}

/**
 * Stores an API token for a user, unless the token is already stored.
 *
 * @throws RangeError if the value is not a token
 */
export async function addTokenOfUser(
  tx: InventoryTx,
  pepper: PepperedSecretDigester,
  token: TokenToStore,
): Promise<void> {
  await tx.prisma.token.createMany({ data: [createTokenColumnValues(pepper, token)], skipDuplicates: true });
}
