import { hash } from 'node:crypto';
import type { DirectResponse } from '@switchboard/platform';
import type { FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/object-access.js';
import { type RequestAuthenticator, digestAuthorizationHeader } from '../auth/authenticator.js';
import type { CachedEncoding, CachedResponse, ResponseCache } from '../response-memory/index.js';
import { getRequestPathAndQuery } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { createApiResponseHeaders } from './api-hooks.js';
import { negotiateResponseFormat } from './negotiate-response-format.js';
import { chooseCachedEncoding, createCompressedHeaders } from './send-response.js';

/** Maximum number of GET requests in the cache of repeated requests. So many entries use about 1 MB of memory. */
const maxRememberedRequests = 1000;

/**
 * Names of request headers. {@link RepeatedRequestCache} ignores a request with any of these headers. With most of
 * them, the response depends on more than the headers, the user and the cached response. A `traceparent` header differs
 * in each request and is logged.
 */
const uncacheableRequestHeaders = ['cookie', 'if-none-match', 'content-length', 'transfer-encoding', 'traceparent'];

interface RememberedRequest {
  /** Name of the cached response; see {@link CachedResponse.name}. */
  readonly name: string;
  /**
   * Text that identifies the permissions of the user who sent the request; see
   * {@link ResponseCache.createPermissionsKey}.
   */
  readonly rights: string;
  /** Digest of the request's `Authorization` header; see {@link digestAuthorizationHeader}. */
  readonly token: string;
  /** IP address of the client, taken from forwarding headers if the proxy is trusted. */
  readonly address: string;
  /** URL pattern of the route that handles the request. */
  readonly route: string;
  readonly encoding: CachedEncoding | null;
  /** HTTP headers of the response, if its body is sent uncompressed. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP headers of the response, if its body is sent compressed. */
  readonly encodedHeaders: Readonly<Record<string, string>>;
}

/** Services and settings on which {@link RepeatedRequestCache} depends. */
export interface RepeatedRequestCacheOptions {
  readonly authenticator: Pick<RequestAuthenticator, 'findCached'>;
  readonly memory: Pick<ResponseCache, 'find' | 'createPermissionsKey'>;
  readonly api: ApiPaths;
}

/**
 * Finds the cached response to a GET request if the service has already served a request with exactly the same headers.
 * Routing, format negotiation and computing the cache key are skipped, because their results depend only on the
 * headers. For each request, the service still authenticates the token and checks that the cached response is current.
 */
export class RepeatedRequestCache {
  readonly #known = new Map<string, RememberedRequest>();
  #served = 0;

  constructor(private readonly parts: RepeatedRequestCacheOptions) {}

  /** Number of requests of this process that were served from the cache before Fastify processed them. */
  get servedCount(): number {
    return this.#served;
  }

  /**
   * Returns the cached response to a request whose headers were seen before. Returns null if no response is cached, if
   * the token is not cached, or if the user's permissions have changed. Also returns null if the data of the response
   * has changed. After null, the request must be processed normally.
   */
  findCachedResponse(request: FastifyRequest['raw']): Promise<DirectResponse | null> | null {
    const known = this.#known.size === 0 ? undefined : this.#known.get(digestRequestHead(request));
    if (known === undefined) return null;
    const actor = this.parts.authenticator.findCached(known.token, known.address);
    if (actor === null || this.parts.memory.createPermissionsKey(actor) !== known.rights) return null;
    return this.#findCached(known);
  }

  /**
   * Stores the headers of a GET request with a token, if the response to the request is cached. A later request with
   * equal headers can then be served without routing.
   */
  rememberRequest(request: FastifyRequest, actor: InventoryActor, { name }: CachedResponse): void {
    const { method, headers } = request;
    if (method !== 'GET' || headers.authorization === undefined) return;
    if (uncacheableRequestHeaders.some((header) => headers[header] !== undefined)) return;
    const encoding = chooseCachedEncoding(headers);
    const { url: route } = request.routeOptions;
    const { path, query } = getRequestPathAndQuery(request);
    const { indent, asPage } = negotiateResponseFormat(headers.accept, query);
    if (encoding === undefined || route === undefined || indent > 0 || asPage) return;
    if (this.#known.size >= maxRememberedRequests) this.#known.clear();
    const plain = {
      ...createApiResponseHeaders(path, this.parts.api),
      'content-type': 'application/json; charset=utf-8',
    };
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
    const encoded = encoding === null ? null : await cached.getEncodedBytes(encoding);
    const fixed = encoded === null ? headers : encodedHeaders;
    const tag = cached.tag === undefined ? undefined : { etag: cached.tag };
    this.#served += 1;
    return { route, address, headers: { ...fixed, ...cached.headers, ...tag }, body: encoded ?? cached.bytes };
  }
}

/**
 * Returns a digest of everything in a request that determines the response, except the user. The digest includes the
 * remote address, which decides whether forwarding headers are trusted. A digest is stored instead of the headers, so
 * that tokens do not remain in memory.
 */
function digestRequestHead({ method, url, socket, rawHeaders }: FastifyRequest['raw']): string {
  return hash('sha256', `${method} ${url} ${socket.remoteAddress}\n${rawHeaders.join('\n')}`, 'base64');
}
