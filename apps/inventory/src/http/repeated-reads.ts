import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/access.js';
import { type Authenticator, digestOf } from '../auth/authenticator.js';
import type { KeptResponse, ResponseMemory } from '../response-memory/index.js';
import { addressOf } from './addresses.js';
import type { Api } from './api.js';
import { apiHeaders } from './api-hooks.js';
import { negotiate } from './negotiation.js';
import { sendKept } from './send.js';

/** Requests that are remembered at most: about 1 MB. */
const mostRequests = 1000;

/** Headers of requests whose response depends on more than their head, the user and the memory. */
const excludingHeaders = ['cookie', 'if-none-match', 'content-length', 'transfer-encoding'];

interface RepeatedRead {
  /** See {@link KeptResponse.name}. */
  readonly name: string;
  /** See {@link ResponseMemory.rightsOf}. */
  readonly rights: string;
  /** See {@link digestOf}. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Dependencies of {@link RepeatedReads}. */
export interface RepeatedReadsParts {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly memory: Pick<ResponseMemory, 'find' | 'rightsOf'>;
  readonly api: Api;
}

/**
 * Serves requests whose complete headers were received before and whose response is cached. Routing, negotiation and
 * the cache key depend on the headers only, so that they are not repeated. The token is authenticated, and the response
 * is checked, for each request. Other requests are processed normally.
 */
export class RepeatedReads {
  readonly #known = new Map<string, RepeatedRead>();

  constructor(private readonly parts: RepeatedReadsParts) {}

  /** Serves repeated requests before any other hook does work for them. */
  serveOn(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const known = this.#known.size === 0 ? undefined : this.#known.get(headOf(request));
      if (known === undefined) return done();
      void this.#serveOr(done, request, reply, known);
    });
  }

  /** Remembers a GET with a token that was served from memory. */
  remember(request: FastifyRequest, actor: InventoryActor, { name }: KeptResponse): void {
    const { method, headers } = request;
    if (method !== 'GET' || headers.authorization === undefined) return;
    if (excludingHeaders.some((header) => headers[header] !== undefined)) return;
    const { path, query } = addressOf(request);
    const { indent, asPage } = negotiate(headers.accept, query);
    if (indent > 0 || asPage) return;
    if (this.#known.size >= mostRequests) this.#known.clear();
    const fixed = { ...apiHeaders(path, this.parts.api), 'content-type': 'application/json; charset=utf-8' };
    const rights = this.parts.memory.rightsOf(actor);
    this.#known.set(headOf(request), { name, rights, token: digestOf(headers.authorization), headers: fixed });
  }

  async #serveOr(
    proceed: () => void,
    request: FastifyRequest,
    reply: FastifyReply,
    known: RepeatedRead,
  ): Promise<void> {
    // The usual way finds an error again, and renders it.
    const isServed = await this.#serve(request, reply, known).catch(() => false);
    if (!isServed) proceed();
  }

  /** Returns false if the user, the rights or the response are not what they were. */
  async #serve(request: FastifyRequest, reply: FastifyReply, known: RepeatedRead): Promise<boolean> {
    const { authorization } = request.headers;
    const presented = { authorization, address: request.ip, digest: known.token };
    const actor = await this.parts.authenticator.authenticate(presented);
    if (actor === null || this.parts.memory.rightsOf(actor) !== known.rights) return false;
    const kept = await this.parts.memory.find(known.name);
    if (kept === undefined) return false;
    reply.headers({ ...known.headers, ...kept.headers });
    if (kept.tag !== undefined) reply.header('etag', kept.tag);
    sendKept(request, reply, kept);
    return true;
  }
}

/**
 * Digest of everything of a request that decides its response besides the user. Proxies are trusted by their address. The
 * text itself would keep tokens in memory.
 */
function headOf({ method, raw, socket }: FastifyRequest): string {
  return hash('sha256', `${method} ${raw.url} ${socket.remoteAddress}\n${raw.rawHeaders.join('\n')}`, 'base64');
}
