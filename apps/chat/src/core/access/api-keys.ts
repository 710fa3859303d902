import { generateChatApiKey, type ServiceKeysAndPeppers, createStoredChatApiKey } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { hasApiKeyScope } from '../../infra/http/api-key-scopes.js';

/** Columns of an account's row that store the account's API key. */
export interface ApiKeyColumns {
  readonly sealed: string;
  readonly digest: string;
  readonly pepperId: number;
}

/** Object that decrypts the stored secrets of accounts, such as API keys. */
export type AccountSecretDecryptor = Pick<ApiKeyStore, 'decryptStoredApiKey'>;

/** Object that returns empty strings instead of decrypted secrets. Used for actors who may not see secrets. */
const emptyTextSecretDecryptor: AccountSecretDecryptor = { decryptStoredApiKey: () => '' };

/** A new API key with scopes, with its secret and the digest of the secret. The database stores only the digest. */
export interface NewScopedApiKey {
  readonly secret: string;
  readonly digest: string;
  readonly pepperId: number;
}

/**
 * Creates and reads stored API keys. The database stores each API key in encrypted form, so that its owner can read the
 * key again. The database also stores a digest of the key, which authenticates requests.
 */
export class ApiKeyStore {
  constructor(private readonly secrets: ServiceKeysAndPeppers) {}

  /** Creates a new API key for an account. Returns the column values to store. */
  create(userId: number): ApiKeyColumns {
    const stored = createStoredChatApiKey(generateChatApiKey(), getApiKeyEncryptionPurpose(userId), this.secrets);
    return { sealed: stored.ciphertext, digest: stored.digest, pepperId: stored.pepperId };
  }

  /** Creates a new API key with scopes. The secret cannot be read again after this call. */
  createScopedApiKey(): NewScopedApiKey {
    const secret = generateChatApiKey();
    return { secret, ...this.secrets.pepper.digestUnderCurrentPepper(secret) };
  }

  /**
   * Returns an object that decrypts secrets for the responses to an actor. For an API key without the scope
   * `administer`, the object returns empty strings, because the secrets of bots could give the client further scopes.
   */
  createSecretDecryptor(actor: Pick<ChatActor, 'scopes'>): AccountSecretDecryptor {
    return hasApiKeyScope(actor, 'administer') ? this : emptyTextSecretDecryptor;
  }

  /**
   * Returns the account's API key, which remains unchanged until the key is regenerated. Creates a key if the account
   * has none.
   *
   * @throws SecretTextDecryptionError when the secret that encrypted the key is no longer configured.
   */
  async getOrCreateApiKey(tx: Tx, userId: number, sealed: string | null): Promise<string> {
    return this.decryptStoredApiKey(userId, sealed ?? (await this.#storeFirstKey(tx, userId)));
  }

  /**
   * Encrypts a secret of an account with the method that also encrypts the account's API key. {@link open} decrypts the
   * result.
   */
  encryptAccountSecret(userId: number, secret: string): string {
    return this.secrets.box.seal(secret, getApiKeyEncryptionPurpose(userId));
  }

  /**
   * Decrypts a stored API key.
   *
   * @throws SecretTextDecryptionError when the secret that encrypted the key is no longer configured.
   */
  decryptStoredApiKey(userId: number, sealed: string): string {
    return this.secrets.box.open(sealed, getApiKeyEncryptionPurpose(userId));
  }

  /**
   * Stores the first API key of an account. If two requests store a key concurrently, both requests return the key that
   * was stored first.
   */
  async #storeFirstKey(tx: Tx, userId: number): Promise<string> {
    const key = this.create(userId);
    const { rows } = await tx.query<{ api_key_sealed: string }>(
      `UPDATE users SET
         api_key_pepper_id = CASE WHEN api_key_sealed IS NULL THEN $4 ELSE api_key_pepper_id END,
         api_key_digest = coalesce(api_key_digest, $3),
         api_key_sealed = coalesce(api_key_sealed, $2)
       WHERE id = $1 RETURNING api_key_sealed`,
      [userId, key.sealed, key.digest, key.pepperId],
    );
    return rows[0]?.api_key_sealed ?? key.sealed;
  }
}

/** Returns the purpose text that is part of the encryption of API keys and other secrets of an account. */
export function getApiKeyEncryptionPurpose(userId: number | string): string {
  return `chat:user:${userId}:api_key`;
}
