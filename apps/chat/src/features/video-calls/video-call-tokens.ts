import { Inject, Injectable } from '@nestjs/common';
import { type SecretTextEncryptor, SecretTextDecryptionError } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { CLOCK_TOKEN, DATABASE_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import type { GrantedOAuthTokens, OAuthProviderKey } from '../../infra/video/index.js';
import { lockUserAgainstDeactivation, lockVideoCallToken } from '../../core/database-locks.js';
import { webexTokenChangedEvent, zoomTokenChangedEvent } from './video-calls.events.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';

/**
 * Minimum remaining lifetime of an access token in milliseconds. A token with a shorter remaining lifetime is
 * refreshed.
 */
const minRemainingTokenLifetimeMs = 60_000;

const storedCallTokenSchema = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAtMs: z.number() });

/** Decrypted OAuth token of a user at a video-call provider. */
export type StoredVideoCallToken = Readonly<z.output<typeof storedCallTokenSchema>>;

const tokenEventByCallProvider = { zoom: zoomTokenChangedEvent, webex: webexTokenChangedEvent } as const;

/**
 * Stores the OAuth tokens of users at video-call providers encrypted, and emits an event to the user's clients when a
 * token is added or deleted.
 */
@Injectable()
export class VideoCallTokenStore {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    @Inject(SECRET_BOX_TOKEN) private readonly secrets: SecretTextEncryptor,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Returns the user's OAuth token at a video-call provider. Returns null if the user has no token, or if no configured
   * key decrypts it.
   */
  async findToken(actor: ChatActor, provider: OAuthProviderKey): Promise<StoredVideoCallToken | null> {
    const row = await this.database.prisma.videoCallToken.findFirst({
      where: { userId: actor.id, provider },
      select: { tokenSealed: true },
    });
    return row === null ? null : this.#open(actor, provider, row.tokenSealed);
  }

  /** Returns true if the access token remains valid for at least {@link minRemainingTokenLifetimeMs}. */
  isAccessTokenFresh(token: StoredVideoCallToken): boolean {
    return token.expiresAtMs > this.clock.now() + minRemainingTokenLifetimeMs;
  }

  /**
   * Stores a user's OAuth token, and replaces an older token.
   *
   * @throws ApplicationError USER_DEACTIVATED
   */
  async storeToken(actor: ChatActor, provider: OAuthProviderKey, grant: GrantedOAuthTokens): Promise<void> {
    const { sealed } = this.#seal(actor, provider, grant);
    await this.database.inTransaction(async (tx) => {
      if (!(await lockUserAgainstDeactivation(tx, actor.id))) throw chatErrors.create('USER_DEACTIVATED');
      await tx.prisma.videoCallToken.upsert({
        where: { userId_provider: { userId: actor.id, provider } },
        create: { userId: actor.id, provider, tokenSealed: sealed },
        update: { tokenSealed: sealed },
        select: { userId: true },
      });
      this.#emitEvent(tx, actor, provider, true);
    });
  }

  /**
   * Replaces an OAuth token by the refreshed token. If another request deleted the old token after a rejection, the
   * refreshed token is still stored. A token that the user authorized during the refresh is not overwritten.
   */
  async replaceRefreshedToken(
    actor: ChatActor,
    provider: OAuthProviderKey,
    old: StoredVideoCallToken,
    grant: GrantedOAuthTokens,
  ): Promise<StoredVideoCallToken> {
    const { token, sealed } = this.#seal(actor, provider, grant);
    await this.database.inTransaction(async (tx) => {
      if (!(await lockUserAgainstDeactivation(tx, actor.id))) return;
      const { videoCallToken } = tx.prisma;
      const data = { userId: actor.id, provider, tokenSealed: sealed };
      if (await this.#lockToken(tx, actor, provider, old)) {
        await videoCallToken.updateMany({ where: { userId: actor.id, provider }, data });
        return;
      }
      const { count } = await videoCallToken.createMany({ data: [data], skipDuplicates: true });
      if (count > 0) this.#emitEvent(tx, actor, provider, true);
    });
    return token;
  }

  /** Deletes a user's OAuth token at a video-call provider. Returns false if another token is stored. */
  deleteToken(actor: ChatActor, provider: OAuthProviderKey, token: StoredVideoCallToken): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      if (!(await this.#lockToken(tx, actor, provider, token))) return false;
      await tx.prisma.videoCallToken.deleteMany({ where: { userId: actor.id, provider } });
      this.#emitEvent(tx, actor, provider, false);
      return true;
    });
  }

  /**
   * Locks a user's stored OAuth token. Returns false if the stored token differs from the given token. The decrypted
   * tokens are compared, because ciphertexts change when a token is encrypted with another key.
   */
  async #lockToken(
    tx: ChatTransaction,
    actor: ChatActor,
    provider: OAuthProviderKey,
    token: StoredVideoCallToken,
  ): Promise<boolean> {
    const sealed = await lockVideoCallToken(tx, actor.id, provider);
    const stored = sealed === null ? null : this.#open(actor, provider, sealed);
    return stored !== null && stored.accessToken === token.accessToken && stored.refreshToken === token.refreshToken;
  }

  /** Decrypts a stored OAuth token. Returns null if no configured key decrypts the token. */
  #open(actor: ChatActor, provider: OAuthProviderKey, sealed: string): StoredVideoCallToken | null {
    try {
      return storedCallTokenSchema.parse(
        JSON.parse(this.secrets.open(sealed, createCallTokenPurpose(actor.id, provider))),
      );
    } catch (error) {
      if (error instanceof SecretTextDecryptionError) return null;
      throw error;
    }
  }

  #seal(
    actor: ChatActor,
    provider: OAuthProviderKey,
    { accessToken, refreshToken, expiresInSeconds }: GrantedOAuthTokens,
  ): { readonly token: StoredVideoCallToken; readonly sealed: string } {
    const token = { accessToken, refreshToken, expiresAtMs: this.clock.now() + expiresInSeconds * 1000 };
    return { token, sealed: this.secrets.seal(JSON.stringify(token), createCallTokenPurpose(actor.id, provider)) };
  }

  #emitEvent(tx: ChatTransaction, actor: ChatActor, provider: OAuthProviderKey, value: boolean): void {
    this.events.write(tx, actor.realmId, tokenEventByCallProvider[provider], {
      audience: { users: [actor.id] },
      payload: { value },
    });
  }
}

/**
 * Returns the purpose string with which a user's OAuth token is encrypted. The purpose contains the user id, so that
 * the token cannot be decrypted for another user.
 */
export function createCallTokenPurpose(userId: number | string, provider: string): string {
  return `chat:user:${userId}:${provider}_token`;
}
