import type { TLSSocket } from 'node:tls';
import { Pool } from 'undici';
import {
  createConnector,
  Http2NegotiatedError,
  type OpenedConnection,
  type ConnectionRoute,
} from './connect-to-route.js';
import type { AbortableRequest, ResponseHandler, RequestSender, PreparedRequest } from './http-exchange.js';
import { Http2Connection, type PendingRequest } from './http2-connection.js';
import type { ConnectionPoolLimits } from './outbound-options.js';

/**
 * Sends requests over the keep-alive connections of one route: one HTTP/2 connection if the server supports HTTP/2,
 * otherwise a connection pool of undici. The first connection determines the protocol. Other requests wait for the
 * first connection instead of opening more connections.
 */
export class RouteSender implements RequestSender {
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #keepAliveMs: number;
  #http2: Http2Connection | null = null;
  /** All open HTTP/2 connections: the current connection, and older connections that still have running requests. */
  readonly #connections = new Set<Http2Connection>();
  /**
   * Requests that wait until the protocol of the first connection is known; null if no first connection is being
   * opened.
   */
  #requestsAwaitingProtocol: PendingRequest[] | null = null;
  #onProtocolKnown: () => void = () => undefined;
  #usesHttp1: boolean;
  /**
   * True if HTTP/2 is offered for new connections. This requires TLS, and neither an option nor an earlier response of
   * the server may have disabled HTTP/2.
   */
  #offersHttp2: boolean;

  constructor(route: ConnectionRoute, { maxConnectionsPerOrigin, keepAliveMs, http2 }: ConnectionPoolLimits) {
    const host = route.host.includes(':') ? `[${route.host}]` : route.host;
    this.#origin = `${route.secure ? 'https' : 'http'}://${host}:${route.port}`;
    this.#keepAliveMs = keepAliveMs;
    this.#offersHttp2 = route.secure && http2;
    this.#usesHttp1 = !this.#offersHttp2;
    this.#pool = new Pool(this.#origin, {
      connect: createConnector(route, {
        offersHttp2: () => this.#offersHttp2,
        onOpened: (outcome) => this.#handleOpenedConnection(outcome),
      }),
      connections: maxConnectionsPerOrigin,
      keepAliveTimeout: keepAliveMs,
      // The exchange enforces all time limits, because undici's timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch(request: PreparedRequest, handler: ResponseHandler): void {
    this.#sendPending({ request, handler, failedAttempts: 0 });
  }

  /** Waits for running requests, then closes every connection of the route. */
  async close(): Promise<void> {
    if (this.#requestsAwaitingProtocol) await new Promise<void>((resolve) => (this.#onProtocolKnown = resolve));
    await Promise.all([this.#pool.close(), ...[...this.#connections].map((connection) => connection.close())]);
  }

  #sendPending(pending: PendingRequest): void {
    if (this.#offersHttp2 && this.#http2?.isOpen === true) return this.#http2.send(pending);
    if (this.#requestsAwaitingProtocol) return void this.#requestsAwaitingProtocol.push(pending);
    if (!this.#usesHttp1) this.#requestsAwaitingProtocol = [];
    this.#sendOverPool(pending);
  }

  #sendOverPool(pending: PendingRequest): void {
    this.#pool.dispatch(
      pending.request,
      new Http1ResponseHandler(pending.handler, {
        sendOverHttp2: () => this.#sendPending(pending),
        // The request used an existing connection, or failed before it opened one: ends the wait for the protocol.
        onStart: () => this.#requestsAwaitingProtocol && this.#handleOpenedConnection('http/1.1'),
        onFailure: () => this.#requestsAwaitingProtocol && this.#handleOpenedConnection(null),
      }),
    );
  }

  /**
   * Handles a new connection of the route, or null after a connection could not be opened. Sends the waiting requests
   * with the protocol of the new connection.
   */
  #handleOpenedConnection(outcome: OpenedConnection): void {
    const waiting = this.#requestsAwaitingProtocol ?? [];
    this.#requestsAwaitingProtocol = null;
    this.#usesHttp1 = outcome === 'http/1.1';
    if (outcome !== null && outcome !== 'http/1.1') this.#addHttp2Connection(outcome);
    // If no connection could be opened, each request tries separately, so that none waits for the time limits of the
    // others.
    for (const pending of waiting) {
      if (outcome === null) this.#sendOverPool(pending);
      else this.#sendPending(pending);
    }
    this.#onProtocolKnown();
  }

  #addHttp2Connection(socket: TLSSocket): void {
    // Two requests may have opened connections concurrently after the server closed the previous one.
    if (this.#http2?.isOpen === true) return void socket.destroy();
    const connection = new Http2Connection(socket, {
      origin: this.#origin,
      authority: new URL(this.#origin).host,
      keepAliveMs: this.#keepAliveMs,
      retry: (pending) => this.#sendPending(pending),
      retryOverHttp1: (pending) => {
        this.#offersHttp2 = false;
        this.#usesHttp1 = true;
        this.#sendOverPool(pending);
      },
    });
    this.#http2 = connection;
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
  }
}

/** Callbacks that report whether a request got a connection of undici's pool. */
interface ConnectionCallbacks {
  readonly onStart: () => void;
  readonly onFailure: () => void;
  readonly sendOverHttp2: () => void;
}

/**
 * Forwards the callbacks of undici's pool for one request. If the server turns out to support HTTP/2, the request is
 * repeated over HTTP/2. The repetition is safe because no part of the request was sent.
 */
class Http1ResponseHandler implements ResponseHandler {
  private hasStarted = false;

  constructor(
    private readonly handler: ResponseHandler,
    private readonly callbacks: ConnectionCallbacks,
  ) {}

  onRequestStart(controller: AbortableRequest): void {
    this.hasStarted = true;
    this.callbacks.onStart();
    this.handler.onRequestStart(controller);
  }

  onResponseStart(...args: Parameters<ResponseHandler['onResponseStart']>): void {
    this.handler.onResponseStart(...args);
  }

  onResponseData(controller: AbortableRequest, chunk: Buffer): void {
    this.handler.onResponseData(controller, chunk);
  }

  onResponseEnd(controller: AbortableRequest): void {
    this.handler.onResponseEnd(controller);
  }

  onResponseError(controller: AbortableRequest, error: Error): void {
    if (error instanceof Http2NegotiatedError) return this.callbacks.sendOverHttp2();
    // A failure after the start of a request says nothing about the connection that other requests wait for.
    if (!this.hasStarted) this.callbacks.onFailure();
    this.handler.onResponseError(controller, error);
  }
}
