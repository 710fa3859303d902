import { hash } from 'node:crypto';
import type { DirectResponse } from '@switchboard/platform';
import type { FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/object-access.js';
import { type RequestAuthenticator, digestAuthorizationHeader } from '../auth/authenticator.js';
import type { CachedEncoding, CachedResponse, ResponseCache } from '../response-memory/index.js';
import { getPathAndQuery } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { apiHeaders } from './api-hooks.js';
import { negotiateFormat } from './negotiate-response-format.js';
import { chooseCachedEncoding, createCompressedHeaders } from './send-response.js';

/** Maximum number of remembered GET requests. They use about 1 MB together. */
const maxRememberedRequests = 1000;

/**
 * Names of request headers that exclude a request from {@link RepeatedRequestCache}. The response to such a request depends on
 * more than its headers, the user and the cached response. A `traceparent` differs in each request and is logged.
 */
const uncacheableRequestHeaders = ['cookie', 'if-none-match', 'content-length', 'transfer-encoding', 'traceparent'];

interface RememberedRequest {
  /** Name of the cached response; see {@link CachedResponse.name}. */
  readonly name: string;
  /** Text that identifies the user's permissions; see {@link ResponseCache.createPermissionsKey}. */
  readonly rights: string;
  /** Digest of the `Authorization` header; see {@link digestAuthorizationHeader}. */
  readonly token: string;
  /** IP address of the client, taken from forwarding headers if the proxy is trusted. */
  readonly address: string;
  /** Pattern of the request's route. */
  readonly route: string;
  readonly encoding: CachedEncoding | null;
  /** Headers of the response in plain bytes. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the compressed response. */
  readonly encodedHeaders: Readonly<Record<string, string>>;
}

/** Dependencies of {@link RepeatedRequestCache}. */
export interface RepeatedRequestsOptions {
  readonly authenticator: Pick<RequestAuthenticator, 'findCached'>;
  readonly memory: Pick<ResponseCache, 'find' | 'createPermissionsKey'>;
  readonly api: ApiPaths;
}

/**
 * Finds the cached responses to GET requests if a request with exactly the same headers was served before. Routing,
 * negotiation and the computation of the cache key are skipped, because their results depend on the headers only. The
 * token is still authenticated and the cached response is still checked for each request.
 */
export class RepeatedRequestCache {
  readonly #known = new Map<string, RememberedRequest>();
  #served = 0;

  constructor(private readonly parts: RepeatedRequestsOptions) {}

  /** Number of requests to which this process has found the response before Fastify processed them. */
  get servedCount(): number {
    return this.#served;
  }

  /**
   * Returns the cached response to a request whose headers were seen before. Returns null if there is none, if the token
   * is not cached, or if the user's permissions or the data of the response have changed. The request is then processed
   * normally.
   */
  findResponse(request: FastifyRequest['raw']): Promise<DirectResponse | null> | null {
    const known = this.#known.size === 0 ? undefined : this.#known.get(digestRequestHead(request));
    if (known === undefined) return null;
    const actor = this.parts.authenticator.findCached(known.token, known.address);
    if (actor === null || this.parts.memory.createPermissionsKey(actor) !== known.rights) return null;
    return this.#findCached(known);
  }

  /**
   * Remembers the headers of a GET request with a token, if the response is cached. An equal request can then be served
   * without routing.
   */
  rememberRequest(request: FastifyRequest, actor: InventoryActor, { name }: CachedResponse): void {
    const { method, headers } = request;
    if (method !== 'GET' || headers.authorization === undefined) return;
    if (uncacheableRequestHeaders.some((header) => headers[header] !== undefined)) return;
    const encoding = chooseCachedEncoding(headers);
    const { url: route } = request.routeOptions;
    const { path, query } = getPathAndQuery(request);
    const { indent, asPage } = negotiateFormat(headers.accept, query);
    if (encoding === undefined || route === undefined || indent > 0 || asPage) return;
    if (this.#known.size >= maxRememberedRequests) this.#known.clear();
    const plain = { ...apiHeaders(path, this.parts.api), 'content-type': 'application/json; charset=utf-8' };
    this.#known.set(digestRequestHead(request.raw), {
      name,
      rights: this.parts.memory.createPermissionsKey(actor),
      token: digestAuthorizationHeader(headers.authorization),
      address: request.ip,
      route,
      encoding,
      headers: plain,
      encodedHeaders: encoding === null ? plain : { ...plain, ...createCompressedHeaders(encoding, plain['vary']) },
    });
  }

  async #findCached({
    name,
    address,
    route,
    encoding,
    headers,
    encodedHeaders,
  }: RememberedRequest): Promise<DirectResponse | null> {
    const cached = await this.parts.memory.find(name);
    if (cached === undefined) return null;
    const encoded = encoding === null ? null : await cached.encode(encoding);
    const fixed = encoded === null ? headers : encodedHeaders;
    const tag = cached.tag === undefined ? undefined : { etag: cached.tag };
    this.#served += 1;
    return { route, address, headers: { ...fixed, ...cached.headers, ...tag }, body: encoded ?? cached.bytes };
  }
}

/**
 * Returns a digest of everything in a request, except the user, that determines its response. The remote address is
 * included because it decides whether forwarding headers are trusted. A digest is used so that tokens do not stay in
 * memory.
 */
function digestRequestHead({ method, url, socket, rawHeaders }: FastifyRequest['raw']): string {
  return hash('sha256', `${method} ${url} ${socket.remoteAddress}\n${rawHeaders.join('\n')}`, 'base64');
}
