import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/access.js';
import { type Authenticator, digestAuthorizationHeader } from '../auth/authenticator.js';
import type { CachedResponse, ResponseMemory } from '../response-memory/index.js';
import { pathAndQueryOf } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { apiHeaders } from './api-hooks.js';
import { negotiateFormat } from './negotiation.js';
import { sendCachedResponse } from './send-response.js';

/** Maximum number of remembered GET requests. They use about 1 MB together. */
const maxRememberedRequests = 1000;

/**
 * Names of request headers that exclude a request from {@link RepeatedRequests}, because the response then depends on more
 * than the headers, the user and the cached response.
 */
const uncacheableRequestHeaders = ['cookie', 'if-none-match', 'content-length', 'transfer-encoding'];

interface RememberedRequest {
  /** Name of the cached response; see {@link CachedResponse.name}. */
  readonly name: string;
  /** Text that identifies the user's permissions; see {@link ResponseMemory.permissionsKeyOf}. */
  readonly rights: string;
  /** Digest of the `Authorization` header; see {@link digestAuthorizationHeader}. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Dependencies of {@link RepeatedRequests}. */
export interface RepeatedRequestsOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly memory: Pick<ResponseMemory, 'find' | 'permissionsKeyOf'>;
  readonly api: ApiPaths;
}

/**
 * Serves GET requests from memory if a request with the same headers was served before. Routing, negotiation and the
 * computation of the cache key are skipped, because they depend on the headers only. Each request is still
 * authenticated, and the cached response is still checked.
 */
export class RepeatedRequests {
  readonly #known = new Map<string, RememberedRequest>();

  constructor(private readonly parts: RepeatedRequestsOptions) {}

  /** Registers a hook that serves repeated requests before other hooks run. */
  registerHook(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const known = this.#known.size === 0 ? undefined : this.#known.get(requestHeadDigest(request));
      if (known === undefined) return done();
      void this.#serveOrContinue(done, request, reply, known);
    });
  }

  /**
   * Remembers the headers of a GET request with a token, if the response is cached. An equal request can then be served
   * without routing.
   */
  rememberRequest(request: FastifyRequest, actor: InventoryActor, { name }: CachedResponse): void {
    const { method, headers } = request;
    if (method !== 'GET' || headers.authorization === undefined) return;
    if (uncacheableRequestHeaders.some((header) => headers[header] !== undefined)) return;
    const { path, query } = pathAndQueryOf(request);
    const { indent, asPage } = negotiateFormat(headers.accept, query);
    if (indent > 0 || asPage) return;
    if (this.#known.size >= maxRememberedRequests) this.#known.clear();
    const fixed = { ...apiHeaders(path, this.parts.api), 'content-type': 'application/json; charset=utf-8' };
    const rights = this.parts.memory.permissionsKeyOf(actor);
    this.#known.set(requestHeadDigest(request), {
      name,
      rights,
      token: digestAuthorizationHeader(headers.authorization),
      headers: fixed,
    });
  }

  async #serveOrContinue(
    proceed: () => void,
    request: FastifyRequest,
    reply: FastifyReply,
    known: RememberedRequest,
  ): Promise<void> {
    // After an error the request is processed normally, which renders the error.
    const isServed = await this.#serveFromMemory(request, reply, known).catch(() => false);
    if (!isServed) proceed();
  }

  /**
   * Serves a request whose headers were seen before. Returns false if the user's permissions or the response have
   * changed.
   */
  async #serveFromMemory(request: FastifyRequest, reply: FastifyReply, known: RememberedRequest): Promise<boolean> {
    const { authorization } = request.headers;
    const presented = { authorization, address: request.ip, digest: known.token };
    const actor = await this.parts.authenticator.authenticate(presented);
    if (actor === null || this.parts.memory.permissionsKeyOf(actor) !== known.rights) return false;
    const kept = await this.parts.memory.find(known.name);
    if (kept === undefined) return false;
    reply.headers({ ...known.headers, ...kept.headers });
    if (kept.tag !== undefined) reply.header('etag', kept.tag);
    sendCachedResponse(request, reply, kept);
    return true;
  }
}

/**
 * Returns a digest of everything in a request, except the user, that determines its response. The remote address is
 * included because it decides whether forwarding headers are trusted. A digest is used so that tokens do not stay in
 * memory.
 */
function requestHeadDigest({ method, raw, socket }: FastifyRequest): string {
  return hash('sha256', `${method} ${raw.url} ${socket.remoteAddress}\n${raw.rawHeaders.join('\n')}`, 'base64');
}
