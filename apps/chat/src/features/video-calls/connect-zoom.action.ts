import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import { rejectBots } from '../../core/access/actor-rights.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { badRequest, chatErrors } from '../../errors.js';
import { CLOCK, DATABASE } from '../../tokens.js';
import { CredentialRefusedError, VideoProviders, type ZoomClient, type ZoomGrant } from '../../infra/video/index.js';
import { lockSession } from '../../core/locks.js';
import { providerFailure } from './provider-failure.js';
import { ZoomTokens } from './zoom-tokens.js';
import type { ChatDatabase } from '../../infra/prisma.js';

/** Maximum time that a user may spend on Zoom's authorization page, in milliseconds. */
const stateLifetimeMs = 10 * 60_000;

/** Query parameters with which Zoom redirects a browser back to this service. */
export interface ZoomReturn {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
}

/** Asks users to authorize Zoom calls in their name, by an OAuth authorization code bound to the browser session. */
@Injectable()
export class ConnectZoom {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly providers: VideoProviders,
    private readonly tokens: ZoomTokens,
  ) {}

  /**
   * Returns the URL of Zoom's authorization page, and invalidates an earlier attempt of the browser session.
   *
   * @param origin scheme, host and port of the browser's request
   * @throws AppError BAD_REQUEST, UNAUTHORIZED
   */
  async begin(actor: CredentialOwner, origin: string): Promise<string> {
    const zoom = this.#zoom(actor);
    const state = randomBytes(32).toString('hex');
    await this.database.inTransaction(async (tx) => {
      const sessionDigest = actor.session?.digest;
      if (sessionDigest === undefined || !(await lockSession(tx, sessionDigest)))
        throw chatErrors.create('UNAUTHORIZED');
      const begun = { stateDigest: digestOf(state), expiresAt: new Date(this.clock.now() + stateLifetimeMs) };
      await tx.prisma.zoomAuthorization.upsert({
        where: { sessionDigest },
        create: { sessionDigest, ...begun },
        update: begun,
        select: { sessionDigest: true },
      });
    });
    return zoom.authorizeUrl(state, returnUrl(origin));
  }

  /**
   * Exchanges Zoom's code for tokens and stores them, if the state belongs to the browser session.
   *
   * @throws AppError BAD_REQUEST
   */
  async complete(actor: CredentialOwner, { code, state }: ZoomReturn, origin: string): Promise<void> {
    const zoom = this.#zoom(actor);
    if (state === undefined || !(await this.#deleteState(actor, state)))
      throw badRequest('Invalid Zoom session identifier');
    if (code === undefined) throw badRequest('Invalid Zoom credentials');
    await this.tokens.add(actor, await exchangeZoomCode(zoom, code, returnUrl(origin)));
  }

  #zoom(actor: CredentialOwner): ZoomClient {
    rejectBots(actor);
    const { zoom } = this.providers;
    if (zoom === null) throw badRequest('Zoom is not configured.');
    return zoom;
  }

  /**
   * Deletes the state of an authorization. Returns false if it was used already, has expired, or belongs to another
   * session.
   */
  #deleteState(actor: CredentialOwner, state: string): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const sessionDigest = actor.session?.digest;
      if (sessionDigest === undefined) return false;
      const where = { sessionDigest, stateDigest: digestOf(state) };
      const begun = await tx.prisma.zoomAuthorization.findFirst({ where, select: { expiresAt: true } });
      const { count } = await tx.prisma.zoomAuthorization.deleteMany({ where });
      return count > 0 && begun !== null && begun.expiresAt.getTime() > this.clock.now();
    });
  }
}

async function exchangeZoomCode(zoom: ZoomClient, code: string, redirectUri: string): Promise<ZoomGrant> {
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
