import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/** Lifetime of a download link to an export archive, in milliseconds. */
const lifetimeMs = 7 * 86_400_000;

/**
 * Purpose string with which download links are encrypted, so that text encrypted for another purpose is no valid link.
 */
const encryptionPurpose = 'chat:realm_export';

/**
 * Creates and checks the links with which administrators download export archives. A link works without credentials for
 * 7 days, unless the export is deleted. Links are not stored, and every process accepts them.
 */
export class ExportLinks {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns the token of a link to an export. */
  createToken(exportId: number): string {
    return this.secrets.seal(`${this.clock.now() + lifetimeMs} ${exportId}`, encryptionPurpose);
  }

  /** Returns the export id in a download token, or null if the token is invalid or expired. */
  parseToken(token: string): number | null {
    try {
      const [expiresAt, exportId] = this.secrets.open(token, encryptionPurpose).split(' ').map(Number);
      return exportId !== undefined && Number(expiresAt) > this.clock.now() ? exportId : null;
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }
}
