import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import { rejectBots } from '../../core/access/actor-rights.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import {
  VideoCallCredentialsRejectedError,
  type GrantedOAuthTokens,
  type OAuthVideoCallProvider,
  type OAuthProviderKey,
  oauthVideoProviderDisplayNames,
  VideoCallProviderClients,
} from '../../infra/video/index.js';
import { lockSession } from '../../core/database-locks.js';
import { VideoCallTokenStore } from './video-call-tokens.js';
import { createVideoCallProviderError } from './video-provider-failure.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';

/** Maximum time that a user may spend on the provider's authorization page, in milliseconds. */
const oauthStateLifetimeMs = 10 * 60_000;

/** Query parameters of the URL to which a video-call provider redirects a browser after authorization. */
export interface OAuthReturnParameters {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
}

/**
 * Requests a user's authorization at a video-call provider to create calls in the user's name. Uses the OAuth
 * authorization code flow, bound to the browser session.
 */
@Injectable()
export class ConnectVideoCallAccount {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly providers: VideoCallProviderClients,
    private readonly tokens: VideoCallTokenStore,
  ) {}

  /**
   * Starts an OAuth authorization and returns the URL of the provider's authorization page. Invalidates an earlier
   * authorization attempt in the browser session.
   *
   * @param origin scheme, host and port of the browser's request
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED
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
    return oauth.createAuthorizationPageUrl(state, createOAuthReturnUrl(origin, provider));
  }

  /**
   * Exchanges the authorization code of a provider for OAuth tokens, and stores the tokens. The OAuth state must belong
   * to the browser session.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async completeAuthorization(
    actor: CredentialOwner,
    provider: OAuthProviderKey,
    { code, state }: OAuthReturnParameters,
    origin: string,
  ): Promise<void> {
    const client = this.#provider(actor, provider);
    if (state === undefined || !(await this.#deleteState(actor, provider, state)))
      throw createBadRequestError(`Invalid ${client.name} session identifier`);
    if (code === undefined) throw createBadRequestError(`Invalid ${client.name} credentials`);
    await this.tokens.storeToken(
      actor,
      provider,
      await exchangeOAuthAuthorizationCode(client, code, createOAuthReturnUrl(origin, provider)),
    );
  }

  #provider(actor: CredentialOwner, key: OAuthProviderKey): OAuthVideoCallProvider {
    rejectBots(actor);
    const provider = this.providers[key];
    if (provider === null) throw createBadRequestError(`${oauthVideoProviderDisplayNames[key]} is not configured.`);
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

async function exchangeOAuthAuthorizationCode(
  provider: OAuthVideoCallProvider,
  code: string,
  redirectUri: string,
): Promise<GrantedOAuthTokens> {
  try {
    return await provider.oauth.exchangeAuthorizationCode(code, redirectUri);
  } catch (error) {
    if (error instanceof VideoCallCredentialsRejectedError)
      throw createBadRequestError(`Invalid ${provider.name} credentials`);
    throw createVideoCallProviderError(error, `Failed to connect to ${provider.name}`);
  }
}

function createOAuthReturnUrl(origin: string, provider: OAuthProviderKey): string {
  return `${origin}/calls/${provider}/complete`;
}

function digestOAuthState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
