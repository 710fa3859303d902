import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { Client, type buildConnector } from 'undici';
import { CertificateRefusedError, ConnectError, OutboundTimeoutError } from './outbound-errors.js';
import type { ProxyOptions } from './proxy.js';

/** Options for verifying the server of a TLS connection. */
export interface TlsOptions {
  /** False to accept any certificate. Default true. */
  readonly rejectUnauthorized?: boolean;
  /** CA certificates in PEM form to trust instead of the system's CA certificates. */
  readonly ca?: string;
}

/**
 * Properties by which outgoing connections differ: host, address, proxy and TLS options. Connections with equal
 * properties are interchangeable.
 */
export interface ConnectionRoute {
  /** Host of the URL, used for the certificate and SNI. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Checked address to connect to; null only if a proxy resolves names. */
  readonly address: string | null;
  readonly tls: TlsOptions;
  readonly proxy: ProxyOptions | null;
  readonly timeoutMs: number;
}

/**
 * Error with which a connector refuses a new connection to undici because the server chose HTTP/2. The connection was
 * passed to `opened`.
 */
export class Http2NegotiatedError extends Error {
  override readonly name = 'Http2NegotiatedError';
}

/**
 * Outcome of opening a connection: the socket if the server chose HTTP/2, `http/1.1` if undici uses the connection, or
 * null if no connection was opened.
 */
export type OpenedConnection = TLSSocket | 'http/1.1' | null;

/** Callbacks that choose the protocol of a route's connections and receive HTTP/2 connections. */
export interface Http2Callbacks {
  /** Returns true to offer HTTP/2. Called for each new connection with TLS. */
  readonly offersHttp2: () => boolean;
  /**
   * Called with the outcome of each new connection before undici gets it. The callback is then responsible for an
   * HTTP/2 connection.
   */
  readonly onOpened: (outcome: OpenedConnection) => void;
}

/**
 * Returns the function with which undici opens a connection of a route. The function connects to the checked address
 * and does not resolve the host name again. It offers HTTP/2 if `offersHttp2` returns true, and passes an HTTP/2
 * connection to `opened`. It fails with {@link ConnectError}, {@link OutboundTimeoutError} or {@link Http2NegotiatedError}.
 */
export function createConnector(
  route: ConnectionRoute,
  { offersHttp2, onOpened }: Http2Callbacks,
): buildConnector.connector {
  const open = callbackify(() => openConnection(route, offersHttp2() ? ['h2', 'http/1.1'] : ['http/1.1']));
  return (_options, callback) =>
    open((error, socket) => {
      const speaksHttp2 = !error && socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
      onOpened(error ? null : speaksHttp2 ? socket : 'http/1.1');
      if (error) callback(error, null);
      else if (speaksHttp2) callback(new Http2NegotiatedError(), null);
      else callback(null, socket);
    });
}

async function openConnection(route: ConnectionRoute, protocols: string[]): Promise<Socket> {
  const deadline = AbortSignal.timeout(route.timeoutMs);
  try {
    // Opens TCP first in both cases, because instrumentation of this process observes only TCP connections made this
    // way.
    const raw = route.proxy
      ? await openProxyTunnel(route, route.proxy, deadline)
      : await openTcpSocket(route, deadline);
    return route.secure ? await openTlsSocket(route, raw, protocols, deadline) : raw;
  } catch (error) {
    if (deadline.aborted) throw new OutboundTimeoutError('connect', route.timeoutMs);
    const address = route.proxy ? new URL(route.proxy.url).host : (route.address ?? route.host);
    throw isCertificateError(error) ? new CertificateRefusedError(address, error) : new ConnectError(address, error);
  }
}

/**
 * Regular expression of Node's error codes for a rejected certificate: names of OpenSSL, and the name that Node uses
 * for a wrong host.
 */
const certificateErrorCodePattern =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|.*CERT.*|CRL_.*|UNABLE_TO_.*|INVALID_(CA|PURPOSE)|.*_CRL_.*)$/;

function isCertificateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && certificateErrorCodePattern.test(String(error.code));
}

function openTcpSocket(route: ConnectionRoute, deadline: AbortSignal): Promise<Socket> {
  const socket = connectTcp(getTcpEndpoint(route));
  socket.setNoDelay(true);
  return waitUntilOpened(socket, 'connect', deadline);
}

function openTlsSocket(
  route: ConnectionRoute,
  raw: Socket,
  protocols: string[],
  deadline: AbortSignal,
): Promise<Socket> {
  const socket = connectTls({
    socket: raw,
    host: route.host,
    // RFC 6066 section 3 allows no addresses as server name; the certificate is then checked against the host.
    servername: isIP(route.host) ? '' : route.host,
    ALPNProtocols: protocols,
    rejectUnauthorized: route.tls.rejectUnauthorized ?? true,
    ...(route.tls.ca === undefined ? {} : { ca: route.tls.ca }),
  });
  return waitUntilOpened(socket, 'secureConnect', deadline);
}

function waitUntilOpened(socket: Socket, event: 'connect' | 'secureConnect', deadline: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void socket.destroy(new Error('timed out'));
    deadline.addEventListener('abort', giveUp, { once: true });
    // The listener stays for the life of the socket: an error before undici listens must not end the process.
    socket.on('error', reject);
    socket.once(event, () => {
      deadline.removeEventListener('abort', giveUp);
      resolve(socket);
    });
  });
}

function getTcpEndpoint({ address, port, host }: ConnectionRoute): { host: string; port: number } {
  // Connecting to a name instead of an address would resolve it a second time, unchecked.
  if (address === null) throw new Error(`no checked address for ${host}`);
  return { host: address, port };
}

async function openProxyTunnel(route: ConnectionRoute, proxy: ProxyOptions, signal: AbortSignal): Promise<Socket> {
  const { origin, username, password } = new URL(proxy.url);
  const host = route.address ?? route.host;
  const path = `${host.includes(':') ? `[${host}]` : host}:${route.port}`;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const client = new Client(origin);
  try {
    const { socket, statusCode } = await client.connect({
      path,
      signal,
      headers: {
        host: path,
        ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    // The listener stays for the life of the socket: an error before the next owner listens must not end the process.
    socket.on('error', () => undefined);
    if (statusCode === 200 && socket instanceof Socket) return socket;
    socket.destroy();
    throw new Error(`the proxy responded with status ${statusCode}`);
  } finally {
    // A successful tunnel's socket is detached from the client by now, so this ends only an unfinished attempt.
    await client.destroy();
  }
}
