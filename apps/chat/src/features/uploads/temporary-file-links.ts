import { type SecretTextEncryptor, SecretTextDecryptionError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/**
 * Lifetime in milliseconds of a temporary link, which gives access to a file without credentials (docs/contract/chat.md
 * 2.C).
 */
const temporaryLinkLifetimeMs = 60_000;

/**
 * Purpose string with which temporary links are encrypted. Text encrypted for another purpose is therefore no valid
 * link.
 */
const temporaryLinkEncryptionPurpose = 'chat:temporary_upload';

/**
 * Creates and checks encrypted links that give any client access to a file for a minute. Links are not stored, and
 * every server process accepts links of other processes.
 */
export class TemporaryFileLinks {
  constructor(
    private readonly secrets: SecretTextEncryptor,
    private readonly clock: Clock,
  ) {}

  /** Returns the token of a temporary link to a file. */
  createLinkToken(fileId: number): string {
    return this.secrets.seal(`${this.clock.now() + temporaryLinkLifetimeMs} ${fileId}`, temporaryLinkEncryptionPurpose);
  }

  /** Returns the file id in a temporary link's token, or null if the token is invalid or expired. */
  parseLinkToken(token: string): number | null {
    try {
      const [expiresAt, fileId] = this.secrets.open(token, temporaryLinkEncryptionPurpose).split(' ').map(Number);
      return fileId !== undefined && Number(expiresAt) > this.clock.now() ? fileId : null;
    } catch (error) {
      if (error instanceof SecretTextDecryptionError) return null;
      throw error;
    }
  }
}
