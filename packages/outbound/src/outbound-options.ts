import type { IncomingHttpHeaders } from 'node:http';
import type { AddressPolicy } from './address-policy.js';
import type { TlsOptions } from './connect-to-route.js';
import type { ProxyOptions } from './proxy.js';
import type { Resolver } from './name-resolver.js';

/** Limits of outgoing requests: times in milliseconds, the size of the response body, and the number of redirects. */
export interface OutboundLimits {
  /**
   * Maximum time to establish a usable connection, in milliseconds, including TLS and the proxy. All attempted
   * addresses share this time. Default 5000.
   */
  readonly connectTimeoutMs: number;
  /**
   * Maximum time in milliseconds from the assignment of a connection to a request until the response headers have
   * arrived. Default 10,000.
   */
  readonly headersTimeoutMs: number;
  /** Maximum total time of a request in milliseconds, including redirects and name resolution. Default 30,000. */
  readonly totalTimeoutMs: number;
  /** Maximum size of the response body in bytes, before decompression. Default 1 MiB. */
  readonly maxResponseBytes: number;
  /** Maximum number of followed redirects. With 0, the client returns a redirect response to the caller. Default 5. */
  readonly maxRedirects: number;
}

/** Options of {@link OutboundClient}: the address policy, and limits with defaults. A request can override the limits. */
export interface OutboundClientOptions extends Partial<OutboundLimits> {
  readonly policy: AddressPolicy;
  /** Maximum number of connections that the client opens to one IP address of one origin. Default 8. */
  readonly maxConnectionsPerOrigin?: number;
  /** Maximum number of routes (IP addresses with proxy and TLS options) whose connections remain open. Default 256. */
  readonly maxOrigins?: number;
  /** Time in milliseconds without a request after which an idle connection is closed. Default 4000. */
  readonly keepAliveMs?: number;
  /**
   * True to offer HTTP/2 to servers over TLS. False is better for large bodies, because one HTTP/2 connection transfers
   * all bodies, limited by the receiver's flow-control window. Default true.
   */
  readonly http2?: boolean;
  /** Function that resolves host names. Default: the resolver of the system. */
  readonly resolver?: Resolver;
  /** Default proxy for requests that specify no `proxy` option. If undefined, these requests use no proxy. */
  readonly proxy?: ProxyOptions;
}

/** Limits of the connection pools of a client. */
export interface ConnectionPoolLimits {
  /**
   * Maximum number of connections to one address of one origin. Further requests wait within their total time limit. An
   * HTTP/2 server gets one connection, with the number of concurrent requests that the server allows.
   */
  readonly maxConnectionsPerOrigin: number;
  /** True if HTTP/2 is offered to servers over TLS. */
  readonly http2: boolean;
  /**
   * Maximum number of connection pools. At this number, the least recently used pool is closed before a new pool is
   * created.
   */
  readonly maxOrigins: number;
  /** Time in milliseconds without a request after which an idle connection is closed. */
  readonly keepAliveMs: number;
}

/** Parameters of one outgoing HTTP request. */
export interface OutboundRequest extends Partial<OutboundLimits> {
  /** Absolute http or https URL of the request, without credentials. */
  readonly url: string;
  /** HTTP method of the request. Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Names of request headers that are not sent to another origin after a redirect, for example signatures. The headers
   * `authorization` and `cookie` are always treated in this way.
   */
  readonly sensitiveHeaders?: readonly string[];
  /**
   * Action for a response body beyond the size limit. With `truncate`, the response contains only the beginning of the
   * body; with `refuse`, the request fails with an error. Default `refuse`.
   */
  readonly oversize?: 'truncate' | 'refuse';
  readonly tls?: TlsOptions;
  readonly proxy?: ProxyOptions;
  readonly signal?: AbortSignal;
}

/** Response to an outgoing request. After redirects, this is the response of the last URL. */
export interface OutboundResponse {
  readonly status: number;
  /** Response headers by lower-case name. Repeated headers are joined with `, `, except `set-cookie`. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the response body exceeded the limit and was truncated. */
  readonly truncated: boolean;
  /** Duration from the call of the client to the last byte of the response, including redirects, in milliseconds. */
  readonly durationMs: number;
  /** URL that sent this response, which differs from the requested URL after redirects. */
  readonly url: string;
  /** URLs that responded with a redirect before the final response, in order. */
  readonly redirects: readonly string[];
  /** IP address of the server that sent the response; null if a proxy resolved the host name. */
  readonly address: string | null;
}

/** Default time and size limits of requests by an outbound HTTP client. */
export const defaultOutboundLimits: OutboundLimits = {
  connectTimeoutMs: 5000,
  headersTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxResponseBytes: 1024 * 1024,
  maxRedirects: 5,
};

/** Returns request limits that contain the values of `overrides`, and the values of `base` for all other limits. */
export function overrideOutboundLimits(base: OutboundLimits, overrides: Partial<OutboundLimits>): OutboundLimits {
  return {
    connectTimeoutMs: overrides.connectTimeoutMs ?? base.connectTimeoutMs,
    headersTimeoutMs: overrides.headersTimeoutMs ?? base.headersTimeoutMs,
    totalTimeoutMs: overrides.totalTimeoutMs ?? base.totalTimeoutMs,
    maxResponseBytes: overrides.maxResponseBytes ?? base.maxResponseBytes,
    maxRedirects: overrides.maxRedirects ?? base.maxRedirects,
  };
}
