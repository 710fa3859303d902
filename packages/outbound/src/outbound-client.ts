import { findTracer } from '@switchboard/tracing';
import { AddressChecker } from './address-policy.js';
import { ConnectionPools } from './connection-pools.js';
import type { ConnectionRoute } from './connect-to-route.js';
import { ConnectError, MethodRefusedError, OutboundTimeoutError, TooManyRedirectsError } from './outbound-errors.js';
import { sendRequestOverRoute, type ExchangeResult } from './http-exchange.js';
import { checkHeaders } from './outbound-headers.js';
import {
  defaultOutboundLimits,
  overrideOutboundLimits,
  type OutboundClientOptions,
  type OutboundLimits,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound-options.js';
import { parseRequestTarget, type RequestTarget } from './outbound-url.js';
import { ProxyRules } from './proxy.js';
import { sendRequestInSpan } from './request-span.js';
import { isRedirect, createMessageAfterRedirect, type RequestMessage } from './redirects.js';
import { resolveHost, systemResolver, type Resolver } from './name-resolver.js';

// Pattern of allowed methods. CONNECT would open a tunnel, and TRACE would return credentials in its response.
const allowedMethodPattern = /^(?!(?:CONNECT|TRACE)$)[A-Z]{1,20}$/;

// Maximum number of addresses tried per name; a few are enough to skip an unavailable one.
const maxAttemptedAddresses = 4;

/**
 * One hop of an outgoing request: a request to one URL, with its target, content and limits. Each followed redirect
 * starts another hop.
 */
interface OutboundRequestHop {
  readonly target: RequestTarget;
  readonly message: RequestMessage;
  readonly request: OutboundRequest;
  readonly limits: OutboundLimits;
  readonly signal: AbortSignal;
}

/**
 * HTTP client for all outgoing requests. A host is resolved once per hop (the request itself or a redirect), and all
 * addresses of the host are checked against the address policy. Connections are made only to checked addresses. The
 * same rules apply to each followed redirect.
 */
export class OutboundClient {
  readonly #checker: AddressChecker;
  readonly #limits: OutboundLimits;
  readonly #pools: ConnectionPools;
  readonly #resolver: Resolver;
  readonly #proxy: ProxyRules | null;
  readonly #tracer = findTracer('@switchboard/outbound');

  /**
   * Creates an HTTP client for outgoing requests. @throws RangeError when the policy or the proxy contains an invalid
   *   network, or the proxy's URL is invalid
   */
  constructor(options: OutboundClientOptions) {
    this.#checker = new AddressChecker(options.policy);
    this.#limits = overrideOutboundLimits(defaultOutboundLimits, options);
    this.#resolver = options.resolver ?? systemResolver;
    this.#proxy = options.proxy ? new ProxyRules(options.proxy) : null;
    this.#pools = new ConnectionPools({
      maxConnectionsPerOrigin: options.maxConnectionsPerOrigin ?? 8,
      maxOrigins: options.maxOrigins ?? 256,
      keepAliveMs: options.keepAliveMs ?? 4000,
      http2: options.http2 ?? true,
    });
  }

  /**
   * Sends a request and follows its redirects. Every status is a response, not an error.
   *
   * @throws OutboundError a subclass defined in errors.ts
   * @throws the reason of `signal` when the signal ends the request
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    if (this.#tracer === null) return this.#request(request);
    return sendRequestInSpan(this.#tracer, request, (traced) => this.#request(traced));
  }

  /** Waits for running requests, then closes every connection of the client. */
  async close(): Promise<void> {
    await this.#pools.close();
  }

  async #request(request: OutboundRequest): Promise<OutboundResponse> {
    const started = performance.now();
    const limits = overrideOutboundLimits(this.#limits, request);
    const ending = new AbortController();
    const expire = (): void => ending.abort(new OutboundTimeoutError('total', limits.totalTimeoutMs));
    const timer = setTimeout(expire, limits.totalTimeoutMs);
    const abandon = (): void => ending.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', abandon, { once: true });
    try {
      request.signal?.throwIfAborted();
      const response = await this.#followRedirects(request, limits, ending.signal);
      return { ...response, durationMs: performance.now() - started };
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abandon);
    }
  }

  /**
   * Checks a URL without sending a request: its form, port, and host if the host is an IP address. The addresses of a
   * host name can change, so each request checks them.
   *
   * @throws UrlRefusedError for a URL that {@link request} would refuse
   * @throws AddressRefusedError for an IP address that the policy refuses
   */
  checkUrl(url: string): void {
    const { host, isIpAddress } = parseRequestTarget(url, this.#checker);
    if (isIpAddress) this.#checker.assertAllowed(host, [host]);
  }

  async #followRedirects(
    request: OutboundRequest,
    limits: OutboundLimits,
    signal: AbortSignal,
  ): Promise<Omit<OutboundResponse, 'durationMs'>> {
    const redirects: string[] = [];
    let hop: OutboundRequestHop = {
      target: parseRequestTarget(request.url, this.#checker),
      message: getErrorMessage(request),
      request,
      limits,
      signal,
    };
    for (;;) {
      const { result, address } = await this.#sendHop(hop);
      const from = hop.target.url;
      const { location } = result.headers;
      if (limits.maxRedirects === 0 || !isRedirect(result.status, location)) {
        return { ...result, url: from.href, redirects, address };
      }
      if (redirects.length >= limits.maxRedirects) throw new TooManyRedirectsError(limits.maxRedirects);
      redirects.push(from.href);
      const target = parseRequestTarget(location, this.#checker, from);
      const rules = { status: result.status, from, to: target.url, sensitiveHeaders: request.sensitiveHeaders ?? [] };
      hop = { ...hop, target, message: createMessageAfterRedirect(hop.message, rules) };
    }
  }

  async #sendHop(hop: OutboundRequestHop): Promise<{ result: ExchangeResult; address: string | null }> {
    const { target, message, signal, limits, request } = hop;
    const path = target.url.pathname + target.url.search;
    const routes = await this.#routesOf(hop);
    let failure: unknown;
    for (const route of routes) {
      const address = route.address ?? route.host;
      try {
        const exchangeLimits = { ...limits, oversize: request.oversize ?? 'refuse' };
        const sender = this.#pools.senderOf(route);
        const result = await sendRequestOverRoute(sender, { message, path, address, limits: exchangeLimits, signal });
        return { result, address: route.address };
      } catch (error) {
        // Another address is tried only if nothing can have been sent.
        if (!hasFailedBeforeConnection(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * Returns the connection routes of a request, one for each checked address of the target host, in the resolver's
   * order. The time limit for connecting is divided equally among the routes.
   */
  async #routesOf({ target, request, limits, signal }: OutboundRequestHop): Promise<ConnectionRoute[]> {
    const rules = request.proxy ? new ProxyRules(request.proxy) : this.#proxy;
    const proxy = rules?.proxyForHost(target.host) ?? null;
    const addresses =
      proxy?.resolvesNames === true && !target.isIpAddress
        ? [null]
        : await rejectOnAbort(signal, this.#resolveCheckedAddresses(target.host));
    return addresses.map((address) => ({
      host: target.host,
      port: target.port,
      secure: target.url.protocol === 'https:',
      address,
      tls: request.tls ?? {},
      proxy: address !== null && rules?.isExcepted(address) === true ? null : proxy,
      timeoutMs: Math.ceil(limits.connectTimeoutMs / addresses.length),
    }));
  }

  async #resolveCheckedAddresses(host: string): Promise<readonly string[]> {
    const addresses = await resolveHost(host, this.#resolver);
    this.#checker.assertAllowed(host, addresses);
    return addresses.slice(0, maxAttemptedAddresses);
  }
}

function getErrorMessage(request: OutboundRequest): RequestMessage {
  const method = (request.method ?? 'GET').toUpperCase();
  if (!allowedMethodPattern.test(method)) throw new MethodRefusedError(method);
  const body = request.body === undefined ? null : Buffer.from(request.body);
  return { method, headers: checkHeaders(request.headers ?? {}), body };
}

function hasFailedBeforeConnection(error: unknown): boolean {
  return error instanceof ConnectError || (error instanceof OutboundTimeoutError && error.phase === 'connect');
}

/**
 * Returns a promise with the result of `promise`. If the signal is aborted first, the returned promise is rejected with
 * the reason of the signal. This is needed because name resolution cannot be cancelled.
 */
function rejectOnAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
