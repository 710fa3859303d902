import { Inject, Injectable } from '@nestjs/common';
import { type SecretBox, SecretBoxError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { CLOCK, DATABASE, SECRETS } from '../../tokens.js';
import type { ZoomGrant } from '../../infra/video/index.js';
import { lockActiveUser } from '../../core/locks.js';
import { hasZoomTokenEvent } from './video-calls.events.js';
import type { ChatDatabase, ChatTx } from '../../infra/prisma.js';

/** Time before its expiry from which a Zoom token is refreshed rather than used, in milliseconds. */
const refreshMarginMs = 60_000;

const storedToken = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAtMs: z.number() });

/** A user's decrypted Zoom token with its ciphertext, for optimistic concurrency control. */
export interface StoredToken extends z.output<typeof storedToken> {
  readonly sealed: string;
}

/** Stores Zoom tokens encrypted, and emits to the user's clients when one is added or deleted. */
@Injectable()
export class ZoomTokens {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ChatEvents,
  ) {}

  /** Returns the user's Zoom token, or null if there is none or no configured key decrypts it. */
  async find(actor: ChatActor): Promise<StoredToken | null> {
    const row = await this.database.prisma.zoomToken.findFirst({
      where: { userId: actor.id },
      select: { tokenSealed: true },
    });
    const sealed = row?.tokenSealed;
    if (sealed === undefined) return null;
    try {
      return { ...storedToken.parse(JSON.parse(this.secrets.open(sealed, purposeOf(actor)))), sealed };
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }

  /** Returns true if the access token remains valid for at least {@link refreshMarginMs}. */
  isFresh(token: StoredToken): boolean {
    return token.expiresAtMs > this.clock.now() + refreshMarginMs;
  }

  /**
   * Stores a user's Zoom token, replacing an older one.
   *
   * @throws AppError USER_DEACTIVATED
   */
  async add(actor: ChatActor, grant: ZoomGrant): Promise<void> {
    const { sealed } = this.#seal(actor, grant);
    await this.database.inTransaction(async (tx) => {
      if (!(await lockActiveUser(tx, actor.id))) throw chatErrors.create('USER_DEACTIVATED');
      await tx.prisma.zoomToken.upsert({
        where: { userId: actor.id },
        create: { userId: actor.id, tokenSealed: sealed },
        update: { tokenSealed: sealed },
        select: { userId: true },
      });
      this.#emitEvent(tx, actor, true);
    });
  }

  /**
   * Replaces a Zoom token by its refreshed form. Restores it if another request deleted the old token after a
   * rejection, and does not overwrite a token that the user authorized meanwhile.
   */
  async update(actor: ChatActor, old: StoredToken, grant: ZoomGrant): Promise<StoredToken> {
    const token = this.#seal(actor, grant);
    await this.database.inTransaction(async (tx) => {
      if (!(await lockActiveUser(tx, actor.id))) return;
      const { zoomToken } = tx.prisma;
      const data = { userId: actor.id, tokenSealed: token.sealed };
      const where = { userId: actor.id, tokenSealed: old.sealed };
      if ((await zoomToken.updateMany({ where, data })).count > 0) return;
      const { count } = await zoomToken.createMany({ data: [data], skipDuplicates: true });
      if (count > 0) this.#emitEvent(tx, actor, true);
    });
    return token;
  }

  /** Deletes a Zoom token. Returns false if it has been replaced meanwhile. */
  remove(actor: ChatActor, token: StoredToken): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const where = { userId: actor.id, tokenSealed: token.sealed };
      const { count } = await tx.prisma.zoomToken.deleteMany({ where });
      if (count === 0) return false;
      this.#emitEvent(tx, actor, false);
      return true;
    });
  }

  #seal(actor: ChatActor, { accessToken, refreshToken, expiresInSeconds }: ZoomGrant): StoredToken {
    const token = { accessToken, refreshToken, expiresAtMs: this.clock.now() + expiresInSeconds * 1000 };
    return { ...token, sealed: this.secrets.seal(JSON.stringify(token), purposeOf(actor)) };
  }

  #emitEvent(tx: ChatTx, actor: ChatActor, value: boolean): void {
    this.events.write(tx, actor.realmId, hasZoomTokenEvent, { audience: { users: [actor.id] }, payload: { value } });
  }
}

/**
 * Returns the purpose to which a user's encrypted Zoom token is bound, so that it cannot be decrypted for another user.
 */
function purposeOf(actor: ChatActor): string {
  return `chat:user:${actor.id}:zoom_token`;
}
