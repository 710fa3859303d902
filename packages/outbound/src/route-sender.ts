import type { TLSSocket } from 'node:tls';
import { Pool } from 'undici';
import { createConnector, SpeaksHttp2Error, type OpenedConnection, type ConnectionRoute } from './connector.js';
import type { AbortableRequest, ResponseHandler, RequestSender, SentRequest } from './exchange.js';
import { Http2Connection, type PendingRequest } from './http2-connection.js';
import type { PoolLimits } from './outbound-options.js';

/**
 * Sends requests over the keep-alive connections of one route: one HTTP/2 connection if the server supports it, else a
 * pool of undici. The protocol of the first connection decides; other requests wait for it instead of opening
 * connections.
 */
export class RouteSender implements RequestSender {
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #keepAliveMs: number;
  #http2: Http2Connection | null = null;
  /** All open HTTP/2 connections: the current connection, and older connections that still have running requests. */
  readonly #connections = new Set<Http2Connection>();
  /**
   * Requests that wait until the protocol of the first connection is known; null when no connection is being opened.
   */
  #pendingProbe: PendingRequest[] | null = null;
  #onProbed: () => void = () => undefined;
  #speaksHttp1: boolean;
  /** True to offer HTTP/2 for new connections: only over TLS, unless disabled by an option or by the server. */
  #asksHttp2: boolean;

  constructor(route: ConnectionRoute, { maxConnectionsPerOrigin, keepAliveMs, http2 }: PoolLimits) {
    const host = route.host.includes(':') ? `[${route.host}]` : route.host;
    this.#origin = `${route.secure ? 'https' : 'http'}://${host}:${route.port}`;
    this.#keepAliveMs = keepAliveMs;
    this.#asksHttp2 = route.secure && http2;
    this.#speaksHttp1 = !this.#asksHttp2;
    this.#pool = new Pool(this.#origin, {
      connect: createConnector(route, {
        asksHttp2: () => this.#asksHttp2,
        opened: (outcome) => this.#handleProbeResult(outcome),
      }),
      connections: maxConnectionsPerOrigin,
      keepAliveTimeout: keepAliveMs,
      // The exchange enforces all time limits, because undici's timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch(request: SentRequest, handler: ResponseHandler): void {
    this.#send({ request, handler, tries: 0 });
  }

  /** Waits for running requests, then closes every connection. */
  async close(): Promise<void> {
    if (this.#pendingProbe) await new Promise<void>((resolve) => (this.#onProbed = resolve));
    await Promise.all([this.#pool.close(), ...[...this.#connections].map((connection) => connection.close())]);
  }

  #send(pending: PendingRequest): void {
    if (this.#asksHttp2 && this.#http2?.isOpen === true) return this.#http2.send(pending);
    if (this.#pendingProbe) return void this.#pendingProbe.push(pending);
    if (!this.#speaksHttp1) this.#pendingProbe = [];
    this.#sendByPool(pending);
  }

  #sendByPool(pending: PendingRequest): void {
    this.#pool.dispatch(
      pending.request,
      new Http1Handler(pending.handler, {
        sendByHttp2: () => this.#send(pending),
        // The request used an existing connection, or failed before it opened one: ends the wait for the protocol.
        began: () => this.#pendingProbe && this.#handleProbeResult('http/1.1'),
        failed: () => this.#pendingProbe && this.#handleProbeResult(null),
      }),
    );
  }

  /**
   * Called when a new connection was opened, or with null when opening it failed. Sends the waiting requests with the
   * protocol of the connection.
   */
  #handleProbeResult(outcome: OpenedConnection): void {
    const waiting = this.#pendingProbe ?? [];
    this.#pendingProbe = null;
    this.#speaksHttp1 = outcome === 'http/1.1';
    if (outcome !== null && outcome !== 'http/1.1') this.#adoptConnection(outcome);
    // If no connection could be opened, each request tries separately, so that none waits for the time limits of the
    // others.
    for (const pending of waiting) {
      if (outcome === null) this.#sendByPool(pending);
      else this.#send(pending);
    }
    this.#onProbed();
  }

  #adoptConnection(socket: TLSSocket): void {
    // Two requests may have opened connections concurrently after the server closed the previous one.
    if (this.#http2?.isOpen === true) return void socket.destroy();
    const connection = new Http2Connection(socket, {
      origin: this.#origin,
      authority: new URL(this.#origin).host,
      keepAliveMs: this.#keepAliveMs,
      retry: (pending) => this.#send(pending),
      wantsHttp1: (pending) => {
        this.#asksHttp2 = false;
        this.#speaksHttp1 = true;
        this.#sendByPool(pending);
      },
    });
    this.#http2 = connection;
    this.#connections.add(connection);
    void connection.gone.then(() => this.#connections.delete(connection));
  }
}

/** Callbacks that report whether a request got a connection of the pool. */
interface AcquireCallbacks {
  readonly began: () => void;
  readonly failed: () => void;
  readonly sendByHttp2: () => void;
}

/**
 * Forwards the callbacks of undici's pool for one request. The error that the server speaks HTTP/2 is handled
 * separately: the request is repeated, because nothing was sent.
 */
class Http1Handler implements ResponseHandler {
  private hasStarted = false;

  constructor(
    private readonly handler: ResponseHandler,
    private readonly callbacks: AcquireCallbacks,
  ) {}

  onRequestStart(controller: AbortableRequest): void {
    this.hasStarted = true;
    this.callbacks.began();
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
    if (error instanceof SpeaksHttp2Error) return this.callbacks.sendByHttp2();
    // A failure after the start of a request says nothing about the connection that other requests wait for.
    if (!this.hasStarted) this.callbacks.failed();
    this.handler.onResponseError(controller, error);
  }
}
