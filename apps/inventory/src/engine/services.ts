import type { RequestLimits } from './request-limits.js';

/** Parts of the service that hooks of declarations may use. */
export interface Services {
  readonly limits: RequestLimits;
  /** Encrypts a secret that must be readable again; `purpose` must be given again to open it. */
  seal(plaintext: string, purpose: string): string;
  /** The text that was sealed; asterisks when its key is not configured any more. */
  open(sealed: string, purpose: string): string;
  /**
   * Keyed digests of a sealed text, by which equal ones are found without opening any. The first one is stored; the
   * others were made by keys that are being replaced.
   */
  fingerprints(plaintext: string, purpose: string): readonly string[];
  hashPassword(password: string): Promise<string>;
  /** Digest of a random secret that is never shown again. */
  digest(secret: string): { readonly pepperId: number; readonly digest: string };
}
