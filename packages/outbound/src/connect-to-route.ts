import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { Client, type buildConnector } from 'undici';
import { CertificateRefusedError, ConnectError, OutboundTimeoutError } from './outbound-errors.js';
import type { ProxyOptions } from './proxy.js';

/** Options for verifying the server of a TLS connection. */
export interface TlsOptions {
  /** False to accept any certificate of the server. Default true. */
  readonly rejectUnauthorized?: boolean;
  /** CA certificates in PEM form that are trusted instead of the system's CA certificates. */
  readonly ca?: string;
}

/**
 * Properties that distinguish outgoing connections: host, address, proxy and TLS options. Connections with equal
 * properties are interchangeable.
 */
export interface ConnectionRoute {
  /** Host of the URL, used to verify the certificate and in SNI. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Checked IP address to which the connection is made; null only if a proxy resolves host names. */
  readonly address: string | null;
  readonly tls: TlsOptions;
  readonly proxy: ProxyOptions | null;
  readonly timeoutMs: number;
}

/**
 * Error with which the connect function of undici rejects a new connection, because the server chose HTTP/2. The
 * connection was passed to the callback `onOpened`.
 */
export class Http2NegotiatedError extends Error {
  override readonly name = 'Http2NegotiatedError';
}

/**
 * Outcome of opening a connection to a server. It is the socket if the server chose HTTP/2, `http/1.1` if undici uses
 * the connection, or null if no connection was opened.
 */
export type OpenedConnection = TLSSocket | 'http/1.1' | null;

/** Callbacks that choose the protocol of a route's connections and receive HTTP/2 connections. */
export interface Http2Callbacks {
  /** Returns true if HTTP/2 is offered to the server. Called for each new TLS connection. */
  readonly offersHttp2: () => boolean;
  /**
   * Callback that is called with the outcome of each new connection, before undici gets the connection. If the outcome
   * is an HTTP/2 connection, the callback becomes responsible for it.
   */
  readonly onOpened: (outcome: OpenedConnection) => void;
}

/**
 * Returns the function with which undici opens a connection of a route. The function connects to the checked address
 * and does not resolve the host name again. It offers HTTP/2 if `offersHttp2` returns true, and passes an HTTP/2
 * connection to the callback `onOpened`. Its possible errors are {@link ConnectError}, {@link OutboundTimeoutError} or
 * {@link Http2NegotiatedError}.
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
 * Regular expression that matches Node's error codes for a rejected certificate: the codes of OpenSSL, and Node's own
 * code for a wrong host name.
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
