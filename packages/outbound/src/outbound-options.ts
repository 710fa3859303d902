import type { IncomingHttpHeaders } from 'node:http';
import type { AddressPolicy } from './address-policy.js';
import type { TlsOptions } from './connect-to-route.js';
import type { ProxyOptions } from './proxy.js';
import type { Resolver } from './name-resolver.js';

/** Default limits of outgoing requests. Times are in milliseconds. */
export interface OutboundLimits {
  /**
   * Maximum time to establish a usable connection, including TLS and proxy. All attempted addresses share it. Default
   * 5000.
   */
  readonly connectTimeoutMs: number;
  /** Maximum time from the moment when a request has a connection to the response headers. Default 10,000. */
  readonly headersTimeoutMs: number;
  /** Maximum time of a request, including redirects and name resolution. Default 30,000. */
  readonly totalTimeoutMs: number;
  /** Maximum size of the response body in bytes, before decompression. Default 1 MiB. */
  readonly maxResponseBytes: number;
  /** Maximum number of followed redirects. With 0, a redirect is returned as the response. Default 5. */
  readonly maxRedirects: number;
}

/** Options of {@link OutboundClient}. */
export interface OutboundClientOptions extends Partial<OutboundLimits> {
  readonly policy: AddressPolicy;
  /** Maximum number of connections to one address of one origin. Default 8. */
  readonly maxConnectionsPerOrigin?: number;
  /** Maximum number of routes (addresses with their options) whose connections remain open. Default 256. */
  readonly maxOrigins?: number;
  /** Time in milliseconds without a request after which a connection is closed. Default 4000. */
  readonly keepAliveMs?: number;
  /**
   * True to offer HTTP/2 over TLS. Set it to false for large bodies, because a single connection would transfer all
   * bodies, limited by the receiver's flow-control window. Default true.
   */
  readonly http2?: boolean;
  /** Function that resolves host names. Default: the resolver of the system. */
  readonly resolver?: Resolver;
  /** Proxy of requests without a `proxy` option. Default: no proxy. */
  readonly proxy?: ProxyOptions;
}

/** Limits of the connection pools of a client. */
export interface ConnectionPoolLimits {
  /**
   * Maximum number of connections to one address of one origin. Further requests wait, within their total time limit.
   * An HTTP/2 server gets one connection, with as many concurrent requests as it allows.
   */
  readonly maxConnectionsPerOrigin: number;
  /** True to offer HTTP/2 over TLS. */
  readonly http2: boolean;
  /** Maximum number of connection pools. The least recently used pool is closed to make room for another. */
  readonly maxOrigins: number;
  /** Time in milliseconds without a request after which a connection is closed. */
  readonly keepAliveMs: number;
}

/** Parameters of one request. */
export interface OutboundRequest extends Partial<OutboundLimits> {
  /** Absolute http or https URL of the request, without credentials. */
  readonly url: string;
  /** HTTP method of the request. Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Names of headers that must not be sent to other origins, in addition to `authorization` and `cookie`; signatures
   * for example.
   */
  readonly sensitiveHeaders?: readonly string[];
  /** Action for a response body beyond the limit: `truncate` it, or `refuse` it with an error. Default `refuse`. */
  readonly oversize?: 'truncate' | 'refuse';
  readonly tls?: TlsOptions;
  readonly proxy?: ProxyOptions;
  readonly signal?: AbortSignal;
}

/** Response to the last request, after all redirects. */
export interface OutboundResponse {
  readonly status: number;
  /** Response headers by lower-case name. Repeated headers are joined with `, `, except `set-cookie`. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the response body exceeded the limit and was truncated. */
  readonly truncated: boolean;
  /** Duration from the call to the last byte of the response, including redirects, in milliseconds. */
  readonly durationMs: number;
  /** URL of the request that got this response, after redirects. */
  readonly url: string;
  /** URLs that responded with a redirect, in order. */
  readonly redirects: readonly string[];
  /** IP address of the server that sent the response; null if a proxy resolved the name. */
  readonly address: string | null;
}

/** Default limits of an outbound client. */
export const defaultOutboundLimits: OutboundLimits = {
  connectTimeoutMs: 5000,
  headersTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxResponseBytes: 1024 * 1024,
  maxRedirects: 5,
};

/** Returns the limits of `base`, replaced by the limits that `overrides` contains. */
export function overrideOutboundLimits(base: OutboundLimits, overrides: Partial<OutboundLimits>): OutboundLimits {
  return {
    connectTimeoutMs: overrides.connectTimeoutMs ?? base.connectTimeoutMs,
    headersTimeoutMs: overrides.headersTimeoutMs ?? base.headersTimeoutMs,
    totalTimeoutMs: overrides.totalTimeoutMs ?? base.totalTimeoutMs,
    maxResponseBytes: overrides.maxResponseBytes ?? base.maxResponseBytes,
    maxRedirects: overrides.maxRedirects ?? base.maxRedirects,
  };
}
