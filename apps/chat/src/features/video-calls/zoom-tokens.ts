import { Inject, Injectable } from '@nestjs/common';
import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { CLOCK, DATABASE, SECRETS } from '../../tokens.js';
import type { ZoomGrant } from '../../infra/video/index.js';
import { hasZoomTokenEvent } from './video-calls.events.js';

/** A token that is about to end is refreshed before it is used. */
const marginMs = 60_000;

const storedToken = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAtMs: z.number() });

/** A user's decrypted Zoom token with its ciphertext, for optimistic concurrency control. */
export interface HeldToken extends z.output<typeof storedToken> {
  readonly sealed: string;
}

/** Stores Zoom tokens encrypted, and emits to the user's clients whether one exists. */
@Injectable()
export class ZoomTokens {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ChatEvents,
  ) {}

  /** Null without a token; one that no configured key opens is as good as none. */
  async find(actor: ChatActor): Promise<HeldToken | null> {
    const { rows } = await this.database.query<{ token_sealed: string }>(
      'SELECT token_sealed FROM zoom_tokens WHERE user_id = $1',
      [actor.id],
    );
    const sealed = rows[0]?.token_sealed;
    if (sealed === undefined) return null;
    try {
      return { ...storedToken.parse(JSON.parse(this.secrets.open(sealed, purposeOf(actor)))), sealed };
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }

  /** Whether the access token is good for a while. */
  isFresh(token: HeldToken): boolean {
    return token.expiresAtMs > this.clock.now() + marginMs;
  }

  /** Stores a user's token in the place of an older one. @throws AppError USER_DEACTIVATED */
  async add(actor: ChatActor, grant: ZoomGrant): Promise<void> {
    const { sealed } = this.#seal(actor, grant);
    await this.database.inTransaction(async (tx) => {
      const { rowCount } = await tx.query(
        `INSERT INTO zoom_tokens (user_id, token_sealed) ${ofActiveUser}
         ON CONFLICT (user_id) DO UPDATE SET token_sealed = excluded.token_sealed`,
        [actor.id, sealed],
      );
      if (rowCount === 0) throw chatErrors.create('USER_DEACTIVATED');
      this.#tell(tx, actor, true);
    });
  }

  /**
   * Replaces a token by its refreshed form. Restores it if another request removed the old token after a rejection, and
   * leaves a token that the user authorized meanwhile.
   */
  async update(actor: ChatActor, old: HeldToken, grant: ZoomGrant): Promise<HeldToken> {
    const token = this.#seal(actor, grant);
    await this.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ is_new: boolean }>(
        `INSERT INTO zoom_tokens (user_id, token_sealed) ${ofActiveUser}
         ON CONFLICT (user_id) DO UPDATE SET token_sealed = excluded.token_sealed WHERE zoom_tokens.token_sealed = $3
         RETURNING xmax = 0 AS is_new`,
        [actor.id, token.sealed, old.sealed],
      );
      if (rows[0]?.is_new === true) this.#tell(tx, actor, true);
    });
    return token;
  }

  /** Deletes a token; returns false if it has been replaced meanwhile. */
  remove(actor: ChatActor, token: HeldToken): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const { rowCount } = await tx.query('DELETE FROM zoom_tokens WHERE user_id = $1 AND token_sealed = $2', [
        actor.id,
        token.sealed,
      ]);
      if (rowCount === 0) return false;
      this.#tell(tx, actor, false);
      return true;
    });
  }

  #seal(actor: ChatActor, { accessToken, refreshToken, expiresInSeconds }: ZoomGrant): HeldToken {
    const token = { accessToken, refreshToken, expiresAtMs: this.clock.now() + expiresInSeconds * 1000 };
    return { ...token, sealed: this.secrets.seal(JSON.stringify(token), purposeOf(actor)) };
  }

  #tell(tx: Tx, actor: ChatActor, value: boolean): void {
    this.events.write(tx, actor.realmId, hasZoomTokenEvent, { audience: { users: [actor.id] }, payload: { value } });
  }
}

/** The row of a user's token unless a deactivation, which deletes tokens, committed first. */
const ofActiveUser = 'SELECT id, $2 FROM users WHERE id = $1 AND is_active FOR SHARE';

/** Returns the purpose to which a sealed token is bound, so that it cannot be opened for another user. */
function purposeOf(actor: ChatActor): string {
  return `chat:user:${actor.id}:zoom_token`;
}
