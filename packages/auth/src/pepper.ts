import { createHmac } from 'node:crypto';
import { areTextsEqualInConstantTime } from './constant-time.js';
import { KeyMaterialError } from './key-material-error.js';

/**
 * Stored form of a secret that is never shown again: a keyed digest, and the id of the pepper with which the digest was
 * made.
 */
export interface PepperedDigest {
  readonly pepperId: number;
  /** HMAC-SHA256 of the secret as 64 lower-case hexadecimal digits. */
  readonly digest: string;
}

const minPepperBytes = 32;

/**
 * Digests high-entropy secrets with HMAC-SHA256 under a key that is not in the database (docs/contract/inventory.md
 * 1.2).
 *
 * Random secrets need no slow hash: without the pepper, an attacker cannot check guesses against a stolen table.
 * Several peppers may be configured for rotation. New digests use the current pepper; lookups use all configured
 * peppers.
 */
export class PepperedSecretDigester {
  readonly #secrets: ReadonlyMap<number, string>;
  readonly #currentId: number;

  /**
   * @param peppers secret text of at least 32 characters by pepper id (a non-negative integer)
   * @param options `currentId`: id of the pepper of new digests. Default: the highest id
   * @throws KeyMaterialError when there is none, an id is not an integer, a secret is too short, or the current id has
   *   no pepper
   */
  constructor(peppers: Readonly<Record<number, string>>, options: { readonly currentId?: number | undefined } = {}) {
    this.#secrets = new Map(
      Object.entries(peppers).map(([id, secret]) => [decodePepperId(id), decodePepperSecret(id, secret)]),
    );
    if (this.#secrets.size === 0) throw new KeyMaterialError('At least one pepper is needed');
    this.#currentId = options.currentId ?? Math.max(...this.#secrets.keys());
    if (!this.#secrets.has(this.#currentId)) {
      throw new KeyMaterialError(`There is no pepper with the current id ${this.#currentId}`);
    }
  }

  /** Id of the pepper with which new digests are made. */
  get currentId(): number {
    return this.#currentId;
  }

  /** Ids of all configured peppers. */
  get ids(): readonly number[] {
    return [...this.#secrets.keys()];
  }

  /** Returns the digest to store for a new secret, made with the current pepper. */
  digestUnderCurrentPepper(value: string): PepperedDigest {
    return this.#digestWith(this.#currentId, this.#secrets.get(this.#currentId) ?? '', value);
  }

  /**
   * Returns the digests of a secret under all configured peppers: first under the current pepper, then under the others
   * in descending order of their ids. A lookup by secret searches for all these digests.
   */
  digestUnderAllPeppers(value: string): PepperedDigest[] {
    const rank = ({ pepperId }: PepperedDigest): number => (pepperId === this.#currentId ? Infinity : pepperId);
    return [...this.#secrets]
      .map(([id, secret]) => this.#digestWith(id, secret, value))
      .toSorted((left, right) => rank(right) - rank(left));
  }

  /**
   * Returns true if a secret matches the stored digest, in constant time. Returns false if the digest's pepper is no
   * longer configured.
   */
  matchesDigest(value: string, stored: PepperedDigest): boolean {
    const secret = this.#secrets.get(stored.pepperId);
    if (secret === undefined) return false;
    return areTextsEqualInConstantTime(this.#digestWith(stored.pepperId, secret, value).digest, stored.digest);
  }

  /**
   * Returns true if a digest was made with a pepper of a lower id than the current one. Digests are renewed in this
   * direction only: processes with different current peppers therefore do not undo each other's renewals.
   */
  isRenewable(stored: PepperedDigest): boolean {
    return stored.pepperId < this.#currentId;
  }

  #digestWith(pepperId: number, secret: string, value: string): PepperedDigest {
    return { pepperId, digest: createHmac('sha256', secret).update(value, 'utf8').digest('hex') };
  }
}

function decodePepperId(id: string): number {
  if (!/^\d{1,9}$/.test(id)) throw new KeyMaterialError(`Pepper id "${id}" must be a non-negative integer`);
  return Number(id);
}

function decodePepperSecret(id: string, secret: string): string {
  if (secret.length < minPepperBytes) {
    throw new KeyMaterialError(`Pepper ${id} must have at least ${minPepperBytes} characters`);
  }
  return secret;
}
