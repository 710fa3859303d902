import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import { rejectBots } from '../../core/access/actor-rights.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { CLOCK, DATABASE } from '../../tokens.js';
import {
  CredentialRefusedError,
  type OAuthGrant,
  type OAuthProvider,
  type OAuthProviderKey,
  providerNames,
  VideoProviders,
} from '../../infra/video/index.js';
import { lockSession } from '../../core/database-locks.js';
import { VideoCallTokens } from './video-call-tokens.js';
import { toProviderFailureError } from './video-provider-failure.js';
import type { ChatDatabase } from '../../infra/open-prisma.js';

/** Maximum time that a user may spend on the provider's authorization page, in milliseconds. */
const oauthStateLifetimeMs = 10 * 60_000;

/** Query parameters of the URL to which a video-call provider redirects a browser after authorization. */
export interface OAuthReturn {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
}

/**
 * Requests a user's authorization at a video-call provider to create calls in the user's name. Uses the OAuth
 * authorization code flow, bound to the browser session.
 */
@Injectable()
export class ConnectAccount {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly providers: VideoProviders,
    private readonly tokens: VideoCallTokens,
  ) {}

  /**
   * Starts an OAuth authorization and returns the URL of the provider's authorization page. Invalidates an earlier
   * authorization attempt in the browser session.
   *
   * @param origin scheme, host and port of the browser's request
   * @throws AppError BAD_REQUEST, UNAUTHORIZED
   */
  async beginAuthorization(actor: CredentialOwner, provider: OAuthProviderKey, origin: string): Promise<string> {
    const { oauth } = this.#provider(actor, provider);
    const state = randomBytes(32).toString('hex');
    await this.database.inTransaction(async (tx) => {
      const sessionDigest = actor.session?.digest;
      if (sessionDigest === undefined || !(await lockSession(tx, sessionDigest)))
        throw chatErrors.create('UNAUTHORIZED');
      const begun = {
        stateDigest: digestOAuthState(state),
        expiresAt: new Date(this.clock.now() + oauthStateLifetimeMs),
      };
      await tx.prisma.videoCallAuthorization.upsert({
        where: { sessionDigest_provider: { sessionDigest, provider } },
        create: { sessionDigest, provider, ...begun },
        update: begun,
        select: { sessionDigest: true },
      });
    });
    return oauth.authorizeUrl(state, createOAuthReturnUrl(origin, provider));
  }

  /**
   * Exchanges the authorization code of a provider for OAuth tokens, and stores the tokens. The OAuth state must belong
   * to the browser session.
   *
   * @throws AppError BAD_REQUEST
   */
  async completeAuthorization(
    actor: CredentialOwner,
    provider: OAuthProviderKey,
    { code, state }: OAuthReturn,
    origin: string,
  ): Promise<void> {
    const client = this.#provider(actor, provider);
    if (state === undefined || !(await this.#deleteState(actor, provider, state)))
      throw createBadRequestError(`Invalid ${client.name} session identifier`);
    if (code === undefined) throw createBadRequestError(`Invalid ${client.name} credentials`);
    await this.tokens.add(actor, provider, await exchangeCode(client, code, createOAuthReturnUrl(origin, provider)));
  }

  #provider(actor: CredentialOwner, key: OAuthProviderKey): OAuthProvider {
    rejectBots(actor);
    const provider = this.providers[key];
    if (provider === null) throw createBadRequestError(`${providerNames[key]} is not configured.`);
    return provider;
  }

  /**
   * Deletes the stored OAuth state of an authorization attempt. Returns false if the state was already used, has
   * expired, or belongs to another session.
   */
  #deleteState(actor: CredentialOwner, provider: OAuthProviderKey, state: string): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const sessionDigest = actor.session?.digest;
      if (sessionDigest === undefined) return false;
      const where = { sessionDigest, provider, stateDigest: digestOAuthState(state) };
      const begun = await tx.prisma.videoCallAuthorization.findFirst({ where, select: { expiresAt: true } });
      const { count } = await tx.prisma.videoCallAuthorization.deleteMany({ where });
      return count > 0 && begun !== null && begun.expiresAt.getTime() > this.clock.now();
    });
  }
}

async function exchangeCode(provider: OAuthProvider, code: string, redirectUri: string): Promise<OAuthGrant> {
  try {
    return await provider.oauth.exchangeCode(code, redirectUri);
  } catch (error) {
    if (error instanceof CredentialRefusedError) throw createBadRequestError(`Invalid ${provider.name} credentials`);
    throw toProviderFailureError(error, `Failed to connect to ${provider.name}`);
  }
}

function createOAuthReturnUrl(origin: string, provider: OAuthProviderKey): string {
  return `${origin}/calls/${provider}/complete`;
}

function digestOAuthState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
