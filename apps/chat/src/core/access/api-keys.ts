import { generateApiKey, type ServiceKeys, createStoredApiKey } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { hasScope } from '../../infra/http/api-key-scopes.js';

/** Columns of an account that store its API key. */
export interface ApiKeyColumns {
  readonly sealed: string;
  readonly digest: string;
  readonly pepperId: number;
}

/** Decrypts stored secrets of accounts. */
export type EncryptedKeyReader = Pick<ApiKeyStore, 'decryptKey'>;

/** Decrypts no secrets: returns empty texts, for actors who may not see secrets. */
const emptyEncryptedKeyReader: EncryptedKeyReader = { decryptKey: () => '' };

/** A new API key with scopes. Only the digest is stored. */
export interface NewScopedKey {
  readonly secret: string;
  readonly digest: string;
  readonly pepperId: number;
}

/**
 * Creates and reads stored API keys. A key is stored encrypted, so that its owner can see it again. It is also stored
 * as a digest, by which requests are authenticated.
 */
export class ApiKeyStore {
  constructor(private readonly secrets: ServiceKeys) {}

  /** Creates a new API key for an account. Returns the columns to store. */
  create(userId: number): ApiKeyColumns {
    const stored = createStoredApiKey(generateApiKey(), apiKeyEncryptionPurpose(userId), this.secrets);
    return { sealed: stored.ciphertext, digest: stored.digest, pepperId: stored.pepperId };
  }

  /** Creates a new API key with scopes, whose secret cannot be read again. */
  createScoped(): NewScopedKey {
    const secret = generateApiKey();
    return { secret, ...this.secrets.pepper.digestUnderCurrentPepper(secret) };
  }

  /**
   * Returns an object that decrypts secrets for the responses to an actor. An API key without the scope `administer`
   * could gain scopes with the secrets of bots, so its responses contain empty texts instead.
   */
  createEncryptedKeyReader(actor: Pick<ChatActor, 'scopes'>): EncryptedKeyReader {
    return hasScope(actor, 'administer') ? this : emptyEncryptedKeyReader;
  }

  /**
   * Returns the account's API key, which is the same until it is regenerated. Creates a key if the account has none.
   *
   * @throws SecretBoxError when the secret that encrypted it is no longer configured.
   */
  async get(tx: Tx, userId: number, sealed: string | null): Promise<string> {
    return this.decryptKey(userId, sealed ?? (await this.#storeFirstKey(tx, userId)));
  }

  /**
   * Encrypts another secret of an account in the same way as the account's API key. {@link open} decrypts the result.
   */
  encryptKey(userId: number, secret: string): string {
    return this.secrets.box.seal(secret, apiKeyEncryptionPurpose(userId));
  }

  /**
   * Decrypts a stored API key.
   *
   * @throws SecretBoxError when the secret that encrypted it is no longer configured.
   */
  decryptKey(userId: number, sealed: string): string {
    return this.secrets.box.open(sealed, apiKeyEncryptionPurpose(userId));
  }

  /**
   * Stores the first API key of an account. If two requests store a key concurrently, both return the key that was
   * stored first.
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

/** Returns the purpose with which API keys and other secrets of an account are encrypted. */
export function apiKeyEncryptionPurpose(userId: number | string): string {
  return `chat:user:${userId}:api_key`;
}
