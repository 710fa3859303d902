import type { PepperedSecretDigester, PepperedDigest } from './pepper.js';
import type { SecretTextEncryptor } from './secret-box.js';

/**
 * A chat API key in its stored form (docs/contract/chat.md 1.2). The key is stored encrypted, because the owner can
 * display the key again, and as a digest for lookups. Neither stored value is usable without the configured keys.
 */
export interface StoredChatApiKey extends PepperedDigest {
  /** The API key encrypted by {@link SecretTextEncryptor} with the key's owner as associated data. */
  readonly ciphertext: string;
}

/**
 * An inventory token in its stored form (docs/contract/inventory.md 1.2). The service can check the token's secret but
 * cannot read it.
 */
export interface StoredInventoryToken extends PepperedDigest {
  /** Public half of a version 2 token. Null for a version 1 token, which the service finds by its digest. */
  readonly key: string | null;
}

/**
 * Returns the stored form of an API key.
 *
 * @param owner associated data that names the owning row, for example `user:12`; decryption of the API key needs the
 *   same associated data
 */
export function createStoredChatApiKey(
  apiKey: string,
  owner: string,
  keys: { box: SecretTextEncryptor; pepper: PepperedSecretDigester },
): StoredChatApiKey {
  return { ciphertext: keys.box.seal(apiKey, owner), ...keys.pepper.digestUnderCurrentPepper(apiKey) };
}

/** Returns the stored form of an inventory token. `key` is the token's public half, or null for a version 1 token. */
export function createStoredInventoryToken(
  secret: string,
  key: string | null,
  pepper: PepperedSecretDigester,
): StoredInventoryToken {
  return { key, ...pepper.digestUnderCurrentPepper(secret) };
}

/**
 * Reads stored credentials. Each service implements this interface for its own tables. `R` is the data that further
 * checks need (account, token flags, organization). Both methods return null if no credential matches.
 */
export interface StoredCredentialReader<R> {
  /**
   * Returns data of the owner of the API key or version 1 token that has one of the given digests. Runs one statement.
   */
  findByDigest(digests: readonly PepperedDigest[]): Promise<R | null>;
  /**
   * Returns the version 2 token with this public key, including the digest of its secret for
   * {@link PepperedSecretDigester.matchesDigest}.
   */
  findByKey(key: string): Promise<(R & PepperedDigest) | null>;
}
