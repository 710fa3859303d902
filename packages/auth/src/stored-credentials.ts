import type { Pepper, PepperedDigest } from './pepper.js';
import type { SecretBox } from './secret-box.js';

/**
 * A chat API key as stored: encrypted, because its owner can see it again, and as a digest for lookups
 * (docs/contract/chat.md 1.2). Neither column is usable without the configured keys.
 */
export interface StoredApiKey extends PepperedDigest {
  /** The API key encrypted by {@link SecretBox} with its owner as associated data. */
  readonly ciphertext: string;
}

/** An inventory token as stored: its secret can be checked but never read (docs/contract/inventory.md 1.2). */
export interface StoredToken extends PepperedDigest {
  /** Public half of a version 2 token. Null for a version 1 token, which is found by its digest. */
  readonly key: string | null;
}

/**
 * Returns the stored form of an API key.
 *
 * @param owner associated data that names the owning row, for example `user:12`; the encrypted key can be decrypted
 *   only with it
 */
export function createStoredApiKey(
  apiKey: string,
  owner: string,
  keys: { box: SecretBox; pepper: Pepper },
): StoredApiKey {
  return { ciphertext: keys.box.seal(apiKey, owner), ...keys.pepper.digestUnderCurrentPepper(apiKey) };
}

/** Returns the stored form of an inventory token. `key` is null for version 1. */
export function createStoredToken(secret: string, key: string | null, pepper: Pepper): StoredToken {
  return { key, ...pepper.digestUnderCurrentPepper(secret) };
}

/**
 * Reads stored credentials; each service implements it for its own tables. `R` is the data that further checks need
 * (account, token flags, organization). Both methods return null if no credential matches.
 */
export interface CredentialStore<R> {
  /** Returns the owner of the API key or version 1 token with any of these digests, in one statement. */
  findByDigest(digests: readonly PepperedDigest[]): Promise<R | null>;
  /** Returns the version 2 token with this public key, including its digest for {@link Pepper.matchesDigest}. */
  findByKey(key: string): Promise<(R & PepperedDigest) | null>;
}
