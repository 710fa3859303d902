import { type SecretTextEncryptor, SecretTextDecryptionError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/** Lifetime of a download link to an export archive, in milliseconds. */
const exportLinkLifetimeMs = 7 * 86_400_000;

/**
 * Purpose string with which download links are encrypted. Text encrypted for another purpose is therefore no valid
 * link.
 */
const exportLinkEncryptionPurpose = 'chat:realm_export';

/** Data that the token of a download link to an export archive contains. */
export interface ExportDownloadLinkData {
  readonly exportId: number;
  /** Id of the user for whom the download link was made. */
  readonly userId: number;
}

/**
 * Creates and checks the download links to export archives that administrators receive. A link works without
 * credentials for 7 days. The link fails earlier if the export is deleted or the link's recipient is no longer an
 * administrator. Links are not stored, and every server process accepts links of other processes.
 */
export class ExportDownloadLinks {
  constructor(
    private readonly secrets: SecretTextEncryptor,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  createToken({ exportId, userId }: ExportDownloadLinkData): string {
    return this.secrets.seal(
      `${this.clock.now() + exportLinkLifetimeMs} ${exportId} ${userId}`,
      exportLinkEncryptionPurpose,
    );
  }

  /** Returns the data in the token of a download link, or null if the token is invalid or expired. */
  parseToken(token: string): ExportDownloadLinkData | null {
    try {
      const [expiresAt, exportId, userId] = this.secrets
        .open(token, exportLinkEncryptionPurpose)
        .split(' ')
        .map(Number);
      if (exportId === undefined || userId === undefined) return null;
      return Number(expiresAt) > this.clock.now() ? { exportId, userId } : null;
    } catch (error) {
      if (error instanceof SecretTextDecryptionError) return null;
      throw error;
    }
  }
}
