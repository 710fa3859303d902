import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { refuseBots } from '../../core/access/actor-rights.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { badRequest, chatErrors } from '../../errors.js';
import { CLOCK, DATABASE } from '../../tokens.js';
import { CredentialRefusedError, VideoProviders, type ZoomClient, type ZoomGrant } from '../../infra/video/index.js';
import { providerFailure } from './provider-failure.js';
import { ZoomTokens } from './zoom-tokens.js';

/** Longest stay of a user on Zoom's page, in milliseconds. */
const stateLifetimeMs = 10 * 60_000;

/** Parameters with which Zoom redirects a browser back. */
export interface ZoomReturn {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
}

/** Asks users to authorize Zoom calls in their name: OAuth authorization code, bound to the browser session. */
@Injectable()
export class ConnectZoom {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly providers: VideoProviders,
    private readonly tokens: ZoomTokens,
  ) {}

  /**
   * Returns the URL of Zoom's authorization page, and invalidates an earlier attempt of the session.
   * @param origin scheme, host and port of the browser's request
   * @throws AppError BAD_REQUEST, UNAUTHORIZED
   */
  async begin(actor: CredentialOwner, origin: string): Promise<string> {
    const zoom = this.#zoom(actor);
    const state = randomBytes(32).toString('hex');
    await this.database.inTransaction(async (tx) => {
      const { rowCount } = await tx.query(
        `INSERT INTO zoom_authorizations (session_digest, state_digest, expires_at)
         SELECT token_digest, $2, to_timestamp($3) FROM sessions WHERE token_digest = $1 FOR KEY SHARE
         ON CONFLICT (session_digest) DO UPDATE
           SET state_digest = excluded.state_digest, expires_at = excluded.expires_at`,
        [actor.session?.digest, digestOf(state), (this.clock.now() + stateLifetimeMs) / 1000],
      );
      if (rowCount === 0) throw chatErrors.create('UNAUTHORIZED');
    });
    return zoom.authorizeUrl(state, returnUrl(origin));
  }

  /**
   * Exchanges Zoom's code for tokens and stores them, if the state belongs to the session.
   * @throws AppError BAD_REQUEST
   */
  async complete(actor: CredentialOwner, { code, state }: ZoomReturn, origin: string): Promise<void> {
    const zoom = this.#zoom(actor);
    if (state === undefined || !(await this.#take(actor, state))) throw badRequest('Invalid Zoom session identifier');
    if (code === undefined) throw badRequest('Invalid Zoom credentials');
    await this.tokens.add(actor, await exchange(zoom, code, returnUrl(origin)));
  }

  #zoom(actor: CredentialOwner): ZoomClient {
    refuseBots(actor);
    const { zoom } = this.providers;
    if (zoom === null) throw badRequest('Zoom is not configured.');
    return zoom;
  }

  /** Uses a state up. False for one that was used, has expired, or was given to another session. */
  #take(actor: CredentialOwner, state: string): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ is_good: boolean }>(
        `DELETE FROM zoom_authorizations WHERE session_digest = $1 AND state_digest = $2
         RETURNING expires_at > to_timestamp($3) AS is_good`,
        [actor.session?.digest, digestOf(state), this.clock.now() / 1000],
      );
      return rows[0]?.is_good ?? false;
    });
  }
}

async function exchange(zoom: ZoomClient, code: string, redirectUri: string): Promise<ZoomGrant> {
  try {
    return await zoom.exchangeCode(code, redirectUri);
  } catch (error) {
    if (error instanceof CredentialRefusedError) throw badRequest('Invalid Zoom credentials');
    throw providerFailure(error, 'Failed to connect to Zoom');
  }
}

function returnUrl(origin: string): string {
  return `${origin}/calls/zoom/complete`;
}

function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
