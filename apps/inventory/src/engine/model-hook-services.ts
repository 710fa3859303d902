import type { RequestLimits } from './request-limits.js';

/** Functions that hooks of models may use, such as encryption. */
export interface ModelHookServices {
  readonly limits: RequestLimits;
  /** Encrypts a secret that must be readable again. Decryption needs the same `purpose`. */
  seal(plaintext: string, purpose: string): string;
  /** Decrypts a text that {@link seal} encrypted. Returns asterisks if the encryption key is no longer configured. */
  open(sealed: string, purpose: string): string;
  /**
   * Returns keyed digests of a text. They allow searching for encrypted texts without decryption. The first digest is
   * the one to store; the others use keys that are being replaced.
   */
  fingerprints(plaintext: string, purpose: string): readonly string[];
  hashPassword(password: string): Promise<string>;
  /** Returns the digest of a random secret, such as an API token. */
  digest(secret: string): { readonly pepperId: number; readonly digest: string };
}
