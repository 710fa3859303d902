import type { FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { CredentialAuthenticator } from './authenticator.js';
import type { SessionAuthenticator } from './session-authenticator.js';
import { sessionCookieName } from '../../infra/http/session-cookie-options.js';
import { requireCsrfToken } from '../../infra/http/check-csrf-token.js';
import { isApiRequest, isResumableUpload, isSessionRequest } from '../../infra/http/browser-session-routes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the endpoint accepts an API key as `api_key` in its URL. Other services that send webhooks to the
     * endpoint cannot send the key in a header.
     */
    acceptsKeyInUrl?: boolean;
  }
}

/**
 * Authenticates a request with the kind of credentials that its URL path requires (docs/contract/chat.md 1.1 and 1.2).
 * Paths under `/api` require an API key, paths under `/json` a session. Paths of files, pictures and resumable uploads
 * accept an API key, a session, or an `api_key` in their URL. Incoming webhooks under `/api` accept an `api_key` in
 * their URL, too.
 */
export class RequestAuthenticator {
  constructor(
    private readonly keys: CredentialAuthenticator,
    private readonly sessions: SessionAuthenticator,
  ) {}

  /**
   * Returns the user who sends a request (the actor), or null if the request has no credentials.
   *
   * @throws ApplicationError INVALID_API_KEY, USER_DEACTIVATED, REALM_DEACTIVATED or CSRF_FAILED
   */
  async authenticate(request: FastifyRequest): Promise<ChatActor | null> {
    if (isApiRequest(request) && !isResumableUpload(request)) {
      const { acceptsKeyInUrl = false } = request.routeOptions.config;
      return (acceptsKeyInUrl ? await this.#authenticateByQuery(request) : null) ?? this.#authenticateByKey(request);
    }
    if (isSessionRequest(request)) return this.#authenticateBySession(request);
    const byKey = (await this.#authenticateByKey(request)) ?? (await this.#authenticateByQuery(request));
    // Without a session there is no CSRF token to check.
    if (byKey !== null || (isApiRequest(request) && request.cookies[sessionCookieName] === undefined)) return byKey;
    return this.#authenticateBySession(request);
  }

  #authenticateByKey(request: FastifyRequest): Promise<ChatActor | null> {
    return this.keys.authenticate(request.headers.authorization, request.hostname);
  }

  async #authenticateBySession(request: FastifyRequest): Promise<ChatActor | null> {
    const found = await this.sessions.find(request.cookies[sessionCookieName], request.hostname);
    requireCsrfToken(request, found?.session?.csrfToken);
    return found;
  }

  async #authenticateByQuery(request: FastifyRequest): Promise<ChatActor | null> {
    const key = new URLSearchParams(request.url.split('?')[1] ?? '').get('api_key');
    return key === null ? null : this.keys.authenticateKey(key, request.hostname);
  }
}
