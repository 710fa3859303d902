import type { RequestLimits } from './request-limits.js';

/**
 * Functions, such as encryption, that the hooks of a model may call. A hook is code of a model that runs when an object
 * is written.
 */
export interface ModelHookServices {
  readonly limits: RequestLimits;
  /**
   * Encrypts a secret that must be readable again later. Decryption needs the same `purpose`, a text that names the use
   * of the secret.
   */
  seal(plaintext: string, purpose: string): string;
  /** Decrypts a text that {@link seal} encrypted. Returns asterisks if the encryption key is no longer configured. */
  open(sealed: string, purpose: string): string;
  /**
   * Returns keyed digests of a text. With the digests, encrypted texts can be searched without decryption. The first
   * digest is stored; the other digests use keys that are being replaced.
   */
  fingerprints(plaintext: string, purpose: string): readonly string[];
  hashPassword(password: string): Promise<string>;
  /** Returns the digest of a random secret, such as an API token. */
  digest(secret: string): { readonly pepperId: number; readonly digest: string };
}
