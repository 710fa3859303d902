import type { IncomingHttpHeaders } from 'node:http';
import type { AddressPolicy } from './address-policy.js';
import type { TlsOptions } from './connector.js';
import type { ProxyOptions } from './proxy.js';
import type { Resolver } from './resolver.js';

/** Limits that hold for every request unless it states its own. Times in milliseconds. */
export interface OutboundLimits {
  /** From the first packet to a usable connection, TLS and proxy included; shared by the addresses tried. Default 5000. */
  readonly connectTimeoutMs: number;
  /** From the request on its connection to the head of the response. Default 10,000. */
  readonly headersTimeoutMs: number;
  /** Everything, redirects and name resolution included. Default 30,000. */
  readonly totalTimeoutMs: number;
  /** Bytes of response body kept, as they came: nothing is decompressed. Default 1 MiB. */
  readonly maxResponseBytes: number;
  /** 0 hands redirects to the caller as responses. Default 5. */
  readonly maxRedirects: number;
}

/** Settings of an {@link OutboundClient}. */
export interface OutboundClientOptions extends Partial<OutboundLimits> {
  readonly policy: AddressPolicy;
  /** Connections to one address of one origin. Default 8. */
  readonly maxConnectionsPerOrigin?: number;
  /** Routes whose idle connections are kept. Default 256. */
  readonly maxOrigins?: number;
  /** Milliseconds that an idle connection is kept. Default 4000. */
  readonly keepAliveMs?: number;
  /**
   * Whether HTTP/2 is asked for over TLS. Not for whoever moves large bodies: one connection carries them all, as fast as
   * the window of the other side allows. Default true.
   */
  readonly http2?: boolean;
  /** Default: the system's. */
  readonly resolver?: Resolver;
  /** For every request that names no other. */
  readonly proxy?: ProxyOptions;
}

/** Bounds on what is kept open. */
export interface PoolLimits {
  /**
   * Connections to one address of one origin at a time; further requests wait, within their total limit. A server that
   * speaks HTTP/2 gets one connection, with as many requests at once as it allows.
   */
  readonly maxConnectionsPerOrigin: number;
  /** Whether HTTP/2 is asked for over TLS. */
  readonly http2: boolean;
  /** Pools kept; the least recently used one is closed when another is needed. */
  readonly maxOrigins: number;
  /** Milliseconds that an idle connection is kept for the next request. */
  readonly keepAliveMs: number;
}

/** One request. */
export interface OutboundRequest extends Partial<OutboundLimits> {
  /** Absolute, http or https, without credentials. */
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Headers that must not leave the first origin, beside `authorization` and `cookie`: signatures for example. */
  readonly sensitiveHeaders?: readonly string[];
  /** Handling of a body beyond the limit. Default `refuse`. */
  readonly oversize?: 'truncate' | 'refuse';
  readonly tls?: TlsOptions;
  readonly proxy?: ProxyOptions;
  readonly signal?: AbortSignal;
}

/** The response that ended the chain of redirects. */
export interface OutboundResponse {
  readonly status: number;
  /** By lower-case name; a header sent several times is joined with `, `, except `set-cookie`. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the body was longer than what is kept. */
  readonly truncated: boolean;
  /** Milliseconds from the call to the last byte, redirects included. */
  readonly durationMs: number;
  /** The URL that answered. */
  readonly url: string;
  /** URLs that redirected, in order. */
  readonly redirects: readonly string[];
  /** The address that answered; null when a proxy resolved the name. */
  readonly address: string | null;
}

/** The limits of a client that states none. */
export const defaultLimits: OutboundLimits = {
  connectTimeoutMs: 5000,
  headersTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxResponseBytes: 1024 * 1024,
  maxRedirects: 5,
};

/** The limits of `base` with whatever `overrides` states instead. */
export function limitsFrom(base: OutboundLimits, overrides: Partial<OutboundLimits>): OutboundLimits {
  return {
    connectTimeoutMs: overrides.connectTimeoutMs ?? base.connectTimeoutMs,
    headersTimeoutMs: overrides.headersTimeoutMs ?? base.headersTimeoutMs,
    totalTimeoutMs: overrides.totalTimeoutMs ?? base.totalTimeoutMs,
    maxResponseBytes: overrides.maxResponseBytes ?? base.maxResponseBytes,
    maxRedirects: overrides.maxRedirects ?? base.maxRedirects,
  };
}
