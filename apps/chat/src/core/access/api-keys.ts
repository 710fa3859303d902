import { generateApiKey, type Pepper, type SecretBox, storeApiKey } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';

/** The secrets that API keys are stored under. */
export interface ApiKeySecrets {
  readonly box: SecretBox;
  readonly pepper: Pepper;
}

/** The columns of a stored API key. */
export interface ApiKeyColumns {
  readonly sealed: string;
  readonly digest: string;
  readonly pepperId: number;
}

/** API keys as the database keeps them: sealed for their owner to see again, digested for requests to be found by. */
export class ApiKeys {
  constructor(private readonly secrets: ApiKeySecrets) {}

  /** A new key for an account. */
  create(userId: number): ApiKeyColumns {
    const stored = storeApiKey(generateApiKey(), owner(userId), this.secrets);
    return { sealed: stored.ciphertext, digest: stored.digest, pepperId: stored.pepperId };
  }

  /**
   * The account's key, the same until it is regenerated; an account without one gets it now.
   *
   * @throws SecretBoxError when the key that sealed it is no longer configured.
   */
  async get(tx: Tx, userId: number, sealed: string | null): Promise<string> {
    return this.open(userId, sealed ?? (await this.#giveKey(tx, userId)));
  }

  /** Seals another secret of an account, as its key is sealed; {@link open} reads it. */
  seal(userId: number, secret: string): string {
    return this.secrets.box.seal(secret, owner(userId));
  }

  /** Reads a stored key. @throws SecretBoxError when the key that sealed it is no longer configured. */
  open(userId: number, sealed: string): string {
    return this.secrets.box.open(sealed, owner(userId));
  }

  /** Of two requests that give an account its first key, the second reads what the first wrote. */
  async #giveKey(tx: Tx, userId: number): Promise<string> {
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

function owner(userId: number): string {
  return `chat:user:${userId}:api_key`;
}
