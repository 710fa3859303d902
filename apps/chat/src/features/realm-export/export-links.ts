import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/** Lifetime of a link to an archive, in milliseconds. */
const lifetimeMs = 7 * 86_400_000;

/** Purpose to which the encrypted text is bound, so that text encrypted for another purpose is no valid link. */
const encryptionPurpose = 'chat:realm_export';

/**
 * Creates and checks the links to archives that administrators receive. A link works without credentials for 7 days, as
 * long as the export is not deleted. Nothing is stored, and every process accepts it.
 */
export class ExportLinks {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns the token of a link to an export. */
  issue(exportId: number): string {
    return this.secrets.seal(`${this.clock.now() + lifetimeMs} ${exportId}`, encryptionPurpose);
  }

  /** Returns the id of the export to which a token links, or null if the token is invalid or expired. */
  open(token: string): number | null {
    try {
      const [expiresAt, exportId] = this.secrets.open(token, encryptionPurpose).split(' ').map(Number);
      return exportId !== undefined && Number(expiresAt) > this.clock.now() ? exportId : null;
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }
}
