import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ResponseHandler, PreparedRequest } from './http-exchange.js';

/** Maximum number of concurrent requests per HTTP/2 connection. A server may allow fewer. */
const MAX_CONCURRENT_STREAMS = 100;

/** Maximum number of attempts for a request that the server has certainly not processed. */
const MAX_HTTP2_ATTEMPTS = 2;

/**
 * Number of bytes of a response that an HTTP/2 server may send before it needs a flow-control window update. With the
 * default of 64 KiB in the HTTP/2 standard, transfers over long distances are slow.
 */
const HTTP2_STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 8 * HTTP2_STREAM_WINDOW_BYTES;

/**
 * Memory limit of an HTTP/2 session, in megabytes. Node's default is 10 MB and includes data that is being sent. Above
 * the limit, Node rejects even the response to a processed request. The data to send is already in memory, and
 * {@link CONNECTION_WINDOW_BYTES} limits received data.
 */
const SESSION_MEMORY_MEGABYTES = 1_000;

/**
 * Time in milliseconds that the server has to close a connection itself, before this client destroys the connection.
 */
const SERVER_CLOSE_WAIT_MS = 1_000;

/** A request that is not sent yet or has no response yet, with the callbacks for the response. */
export interface PendingRequest {
  readonly request: PreparedRequest;
  readonly handler: ResponseHandler;
  /**
   * Number of earlier attempts to send the request, all of which the server has rejected without processing the
   * request.
   */
  readonly failedAttempts: number;
}

export interface Http2Options {
  /** Scheme, host and port of the URLs to which the connection sends requests. */
  readonly origin: string;
  /** Host and port, without a default port, in the form of the header `Host` of HTTP/1.1. */
  readonly authority: string;
  /** Time in milliseconds without a request after which the HTTP/2 connection is closed. */
  readonly keepAliveMs: number;
  /**
   * Callback that is called with a request to send again, because the server has certainly not processed the request.
   * Either the request was still queued when the connection ended, or the server rejected it.
   */
  readonly retry: (pending: PendingRequest) => void;
  /** Callback that is called with a request that must be sent again, because the server requires HTTP/1.1 for it. */
  readonly retryOverHttp1: (pending: PendingRequest) => void;
}

/**
 * Sends requests over one HTTP/2 connection. After the server has sent GOAWAY, requests that have already started are
 * completed. A request that the server may have processed is never sent again.
 */
export class Http2Connection {
  /** Promise that resolves when the HTTP/2 connection is closed. */
  readonly closed: Promise<void>;
  readonly #options: Http2Options;
  readonly #socket: TLSSocket;
  readonly #session: ClientHttp2Session;
  readonly #waiting: PendingRequest[] = [];
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  /** @param socket TLS connection whose peers have negotiated `h2` */
  constructor(socket: TLSSocket, options: Http2Options) {
    this.#options = options;
    this.#socket = socket;
    this.#session = connect(options.origin, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MEGABYTES,
      settings: { enablePush: false, initialWindowSize: HTTP2_STREAM_WINDOW_BYTES },
    });
    this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    // Waiting requests are retried when the connection closes; running ones fail with their streams.
    this.#session.on('error', () => this.#stopAccepting());
    this.#session.on('goaway', () => this.#stopAccepting());
    this.#session.on('remoteSettings', () => this.#sendQueuedRequests());
    this.closed = new Promise((resolve) => this.#session.once('close', resolve));
    void this.closed.then(() => {
      clearTimeout(this.#closeTimer);
      this.#retryQueuedRequests();
    });
    this.#startIdleTimer();
  }

  /** True if the HTTP/2 connection accepts new requests. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /**
   * Sends a request on the HTTP/2 connection. Queues the request first if the server allows no further concurrent
   * request.
   */
  send(pending: PendingRequest): void {
    this.#waiting.push(pending);
    this.#sendQueuedRequests();
  }

  /** Waits for all requests of the connection, including queued requests, then closes the connection. */
  async close(): Promise<void> {
    // A closing session rejects requests it has not sent yet, for example because it was just opened.
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#stopAccepting();
    await this.closed;
  }

  /**
   * Stops accepting requests on the connection. After the last running request, gives the server a short time to close
   * the connection itself.
   */
  #stopAccepting(): void {
    this.#session.close();
    this.#retryQueuedRequests();
    if (this.#running > 0 || this.#closeTimer !== undefined) return;
    // Limits the time for which a peer can keep an unused connection open.
    this.#closeTimer = setTimeout(() => {
      this.#session.destroy();
      this.#socket.destroy();
    }, SERVER_CLOSE_WAIT_MS).unref();
  }

  #sendQueuedRequests(): void {
    while (this.isOpen && this.#running < this.#maxConcurrentRequests) {
      const pending = this.#waiting.shift();
      if (!pending) return;
      this.#startRequest(pending);
    }
    if (!this.isOpen) this.#retryQueuedRequests();
  }

  get #maxConcurrentRequests(): number {
    return Math.min(
      MAX_CONCURRENT_STREAMS,
      this.#session.remoteSettings?.maxConcurrentStreams ?? MAX_CONCURRENT_STREAMS,
    );
  }

  #retryQueuedRequests(): void {
    for (const pending of this.#waiting.splice(0)) this.#options.retry(pending);
  }

  /**
   * Passes a rejected request to `retry`. A rejection by the server counts as an attempt. A request that was still
   * queued when its connection ended does not count as attempted.
   */
  #retryRejectedRequest(pending: PendingRequest): void {
    const tries = pending.failedAttempts + 1;
    if (tries < MAX_HTTP2_ATTEMPTS) return this.#options.retry({ ...pending, failedAttempts: tries });
    pending.handler.onResponseError(
      { abort: () => undefined },
      new Error(`the server refused it unread ${tries} times`),
    );
  }

  #startRequest(pending: PendingRequest): void {
    const { request, handler } = pending;
    const state = { hasResponse: false };
    let stream: ClientHttp2Stream | null = null;
    let isNeeded = true;
    const controller = {
      abort: (): void => {
        isNeeded = false;
        if (!stream || stream.destroyed) return;
        stream.close(constants.NGHTTP2_CANCEL);
        // Destroyed, because otherwise its end would wait for a server that does not read.
        stream.destroy();
        // A slow response cannot be distinguished from a dead connection, so later requests use another connection.
        if (!state.hasResponse) this.#stopAccepting();
      },
    };
    handler.onRequestStart(controller);
    if (!isNeeded) return;
    try {
      stream = this.#session.request(toHttp2Headers(request, this.#options.authority), {
        endStream: request.body === null,
      });
    } catch (error) {
      handler.onResponseError(controller, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#recordRequestEnd();
    this.#forwardStream(stream, pending, controller, state);
    if (request.body !== null) stream.end(request.body);
  }

  #forwardStream(
    stream: ClientHttp2Stream,
    pending: PendingRequest,
    controller: { abort(): void },
    state: { hasResponse: boolean },
  ): void {
    const { handler } = pending;
    let failure: Error | null = null;
    let isOver = false;
    const over = (tell: () => void): void => {
      if (!isOver) tell();
      isOver = true;
    };
    stream.on('response', (headers) => {
      state.hasResponse = true;
      const { ':status': status = 0, ...fields } = headers;
      handler.onResponseStart(controller, status, fields);
    });
    stream.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
    stream.on('error', (error) => (failure = error));
    // A server may respond without reading the whole request, and nothing else would end the stream then. One
    // event-loop turn later it is known whether the server ended its side or the connection was lost.
    stream.on('end', () =>
      setImmediate(() => {
        if (!state.hasResponse || stream.writableFinished || stream.state.remoteClose !== 1) return;
        over(() => handler.onResponseEnd(controller));
        stream.close(constants.NGHTTP2_CANCEL);
      }),
    );
    stream.on('close', () => {
      this.#startIdleTimer();
      over(() => this.#handleStreamEnd(stream, pending, state.hasResponse, failure, controller));
      this.#sendQueuedRequests();
      if (this.#running === 0) this.#onIdle();
    });
  }

  /** Handles the end of a stream: completes, retries or fails the request of the stream. */
  #handleStreamEnd(
    stream: ClientHttp2Stream,
    pending: PendingRequest,
    hasResponse: boolean,
    failure: Error | null,
    controller: { abort(): void },
  ): void {
    const code = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
    if (!hasResponse && code === constants.NGHTTP2_REFUSED_STREAM) this.#retryRejectedRequest(pending);
    else if (!hasResponse && code === constants.NGHTTP2_HTTP_1_1_REQUIRED) this.#options.retryOverHttp1(pending);
    else if (hasResponse && failure === null && code === constants.NGHTTP2_NO_ERROR)
      pending.handler.onResponseEnd(controller);
    else pending.handler.onResponseError(controller, failure ?? new Error(`the stream was closed with ${code}`));
  }

  #recordRequestEnd(): void {
    this.#running += 1;
    clearTimeout(this.#idleTimer);
    if (this.#running === 1) this.#session.ref();
  }

  /**
   * Records the end of a request. If no other request is running, starts the timer after which the idle connection is
   * closed.
   */
  #startIdleTimer(): void {
    this.#running = Math.max(0, this.#running - 1);
    if (this.#running > 0) return;
    if (!this.isOpen) return this.#stopAccepting();
    // An idle connection does not prevent the process from ending.
    this.#session.unref();
    this.#idleTimer = setTimeout(() => this.#stopAccepting(), this.#options.keepAliveMs).unref();
  }
}

/**
 * Returns the headers of a request in the form of HTTP/2. The header names of the request are already in lower case,
 * and the request contains no headers that HTTP/2 forbids.
 */
function toHttp2Headers({ method, path, headers, body }: PreparedRequest, authority: string): OutgoingHttpHeaders {
  return {
    ':method': method,
    ':authority': authority,
    ':path': path,
    ...headers,
    ...(body !== null && { 'content-length': body.length }),
  };
}
