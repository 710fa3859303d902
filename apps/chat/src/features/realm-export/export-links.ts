import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/** Lifetime of a download link to an export archive, in milliseconds. */
const exportLinkLifetimeMs = 7 * 86_400_000;

/**
 * Purpose string with which download links are encrypted, so that text encrypted for another purpose is no valid link.
 */
const exportLinkEncryptionPurpose = 'chat:realm_export';

/** Contents of a link to an archive. */
export interface ExportLink {
  readonly exportId: number;
  /** User who received the link. */
  readonly userId: number;
}

/**
 * Creates and checks the links to archives that administrators receive. A link works without credentials for 7 days, as
 * long as the export is not deleted and the recipient of the link is an administrator. Links are not stored, and every
 * process accepts them.
 */
export class ExportLinks {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns the token of a link to an export for a user. */
  createToken({ exportId, userId }: ExportLink): string {
    return this.secrets.seal(
      `${this.clock.now() + exportLinkLifetimeMs} ${exportId} ${userId}`,
      exportLinkEncryptionPurpose,
    );
  }

  /** Returns the contents of a token, or null if the token is invalid or expired. */
  parseToken(token: string): ExportLink | null {
    try {
      const [expiresAt, exportId, userId] = this.secrets
        .open(token, exportLinkEncryptionPurpose)
        .split(' ')
        .map(Number);
      if (exportId === undefined || userId === undefined) return null;
      return Number(expiresAt) > this.clock.now() ? { exportId, userId } : null;
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }
}
