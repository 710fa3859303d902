import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { getLoginAttemptCounterKey } from '@switchboard/auth';
import type { AuthenticatedRequest } from '@switchboard/nest';
import { ApplicationError } from '@switchboard/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { requireEndpointScope } from '../../infra/http/api-key-scopes.js';
import { chatErrors } from '../../errors.js';
import { rejectWebhookBots } from './webhook-bot-access.js';
import { isApiRequest, isResumableUpload, isSessionRequest } from '../../infra/http/browser-session-routes.js';
import { createRateLimitHeaders, type RateLimiter, type RateLimitResult } from '../../infra/rate-limits/index.js';

type AuthenticatedFastifyRequest = FastifyRequest & AuthenticatedRequest<ChatActor>;

/**
 * URL paths of event polls and event streams. These requests have a separate rate limit, because clients poll
 * continuously.
 */
const eventPollAndStreamPaths: ReadonlySet<string | undefined> = new Set(['/api/v1/events', '/api/v1/events/stream']);

/**
 * Guard that authenticates a request and then applies a rate limit (docs/contract/chat.md 1.7). Uses the rate limit of
 * the account or, without valid credentials, of the IP address. Then rejects requests that the account kind or the API
 * key's scopes do not permit, before the request parameters are validated.
 */
export class AuthenticationAndRateLimitGuard implements CanActivate {
  constructor(
    private readonly authentication: CanActivate,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Authenticates and rate-limits a request before the handler gets the request. Throws if the request is rejected.
   *
   * @throws ApplicationError RATE_LIMIT_HIT, BAD_REQUEST, INSUFFICIENT_SCOPE, and all errors of the authentication
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    try {
      await this.authentication.canActivate(context);
    } catch (error) {
      if (error instanceof ApplicationError && error.status === 401) await this.#countRequest(context, null);
      throw error;
    }
    const request = context.switchToHttp().getRequest<AuthenticatedFastifyRequest>();
    await this.#countRequest(context, request.actor ?? null);
    rejectWebhookBots(request, request.actor ?? null);
    requireEndpointScope(context, request.actor ?? null);
    return true;
  }

  async #countRequest(context: ExecutionContext, actor: ChatActor | null): Promise<void> {
    const request = context.switchToHttp().getRequest<AuthenticatedFastifyRequest>();
    // Pictures, files and resumable uploads are outside of the API's limits (docs/contract/chat.md 1.1).
    if ((!isApiRequest(request) && !isSessionRequest(request)) || isResumableUpload(request)) return;
    const limit = getRateLimitName(request, actor);
    const taken =
      actor === null
        ? await this.limiter.countRequestAgainstLimit('API_BY_IP', getLoginAttemptCounterKey(request.ip))
        : await this.limiter.countRequestAgainstLimit('API_BY_USER', getRateLimitKey(limit, actor), actor.rateLimits);
    if (taken === null) return;
    context.switchToHttp().getResponse<FastifyReply>().headers(createRateLimitHeaders(limit, taken));
    if (taken.waitMs > 0) throw createRateLimitError(taken);
  }
}

/** Name of the rate limit that applies to a request. The response headers contain the same name. */
type RequestRateLimitName = 'address' | 'user' | 'events';

function getRateLimitName(request: AuthenticatedFastifyRequest, actor: ChatActor | null): RequestRateLimitName {
  if (actor === null) return 'address';
  return eventPollAndStreamPaths.has(request.routeOptions.url) && request.method === 'GET' ? 'events' : 'user';
}

function getRateLimitKey(limit: RequestRateLimitName, actor: ChatActor): string {
  return limit === 'events' ? `${actor.id}:events` : String(actor.id);
}

/**
 * Creates the error for an exceeded rate limit. The response body contains the time to wait in seconds with decimals;
 * the response header contains whole seconds.
 */
export function createRateLimitError(taken: Pick<RateLimitResult, 'waitMs'>): ApplicationError {
  const seconds = taken.waitMs / 1000;
  return chatErrors.create('RATE_LIMIT_HIT', {
    fields: { 'retry-after': seconds },
    headers: { 'retry-after': String(Math.ceil(seconds)) },
  });
}
