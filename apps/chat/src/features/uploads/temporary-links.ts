import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';

/** Lifetime of a link that needs no credentials, in milliseconds (docs/contract/chat.md 2.C). */
const lifetimeMs = 60_000;

/** Purpose to which the sealed text is bound, so that no other sealed text passes for a link. */
const purpose = 'chat:temporary_upload';

/** Signed links that show a file for a minute to any client. Nothing is stored, so that every process accepts them. */
export class TemporaryLinks {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** The token for a file. */
  issue(fileId: number): string {
    return this.secrets.seal(`${this.clock.now() + lifetimeMs} ${fileId}`, purpose);
  }

  /** The id of the file that a token shows; null for a token that is over, or none of ours. */
  open(token: string): number | null {
    try {
      const [expiresAt, fileId] = this.secrets.open(token, purpose).split(' ').map(Number);
      return fileId !== undefined && Number(expiresAt) > this.clock.now() ? fileId : null;
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }
}
