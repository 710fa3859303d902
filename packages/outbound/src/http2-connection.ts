import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ResponseHandler, SentRequest } from './exchange.js';

/** Requests under way at once on a connection, if its server allows as many. */
const MOST_STREAMS = 100;

/** A request and who is told of its response. */
export interface Sending {
  readonly request: SentRequest;
  readonly handler: ResponseHandler;
  /** It came to a connection that ended without a look at it, and does not get a third. */
  readonly again: boolean;
}

/** What a connection is opened with. */
export interface Http2Options {
  /** Scheme, host and port of the URLs that it is for. */
  readonly origin: string;
  /** Milliseconds that it is kept while idle. */
  readonly keepAliveMs: number;
  /** Takes what was certainly not looked at: it waited when the connection ended, or the server has refused it unread. */
  readonly unsent: (sending: Sending) => void;
}

/**
 * Requests over one HTTP/2 connection. A server that closes it in good order still answers what it has begun; a request
 * that may have been looked at is never sent again.
 */
export class Http2Connection {
  readonly #options: Http2Options;
  readonly #session: ClientHttp2Session;
  readonly #waiting: Sending[] = [];
  #running = 0;
  #idle: NodeJS.Timeout | undefined;
  #idled: () => void = () => undefined;

  /** @param socket a TLS connection on which both sides have agreed on `h2` */
  constructor(socket: TLSSocket, options: Http2Options) {
    this.#options = options;
    this.#session = connect(options.origin, { createConnection: () => socket, settings: { enablePush: false } });
    // Those who wait are told by the end of the connection, those under way by the end of their streams.
    this.#session.on('error', () => undefined);
    this.#session.on('close', () => this.#passOn());
    this.#session.on('goaway', () => this.#passOn());
    this.#session.on('remoteSettings', () => this.#beginWaiting());
    this.#rest();
  }

  /** Whether it takes more requests. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Sends a request, or keeps it until the server allows one more. */
  send(sending: Sending): void {
    this.#waiting.push(sending);
    this.#beginWaiting();
  }

  /** Lets all requests end, those that wait too, then closes the connection. */
  async close(): Promise<void> {
    // A session that is told to close refuses what it has not sent yet, were it only because it has just begun.
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idled = resolve));
    if (this.#session.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#session.once('close', resolve);
      this.#session.close();
    });
  }

  #beginWaiting(): void {
    while (this.isOpen && this.#running < this.#most) {
      const sending = this.#waiting.shift();
      if (!sending) return;
      this.#begin(sending);
    }
    if (!this.isOpen) this.#passOn();
  }

  get #most(): number {
    return Math.min(MOST_STREAMS, this.#session.remoteSettings?.maxConcurrentStreams ?? MOST_STREAMS);
  }

  #passOn(): void {
    for (const sending of this.#waiting.splice(0)) this.#giveBack(sending);
  }

  #giveBack(sending: Sending): void {
    if (!sending.again) return this.#options.unsent({ ...sending, again: true });
    sending.handler.onResponseError(
      { abort: () => undefined },
      new Error('two connections ended before it was looked at'),
    );
  }

  #begin(sending: Sending): void {
    const { request, handler } = sending;
    const state = { answered: false };
    let stream: ClientHttp2Stream | null = null;
    let isWanted = true;
    const controller = {
      abort: (): void => {
        isWanted = false;
        if (!stream || stream.closed) return;
        stream.close(constants.NGHTTP2_CANCEL);
        // Nothing tells a slow answer from a connection that is dead: whoever comes next gets another.
        if (!state.answered) this.#session.close();
      },
    };
    handler.onRequestStart(controller);
    if (!isWanted) return;
    try {
      stream = this.#session.request(headersOf(request), { endStream: request.body === null });
    } catch (error) {
      handler.onResponseError(controller, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#work();
    this.#follow(stream, sending, controller, state);
    if (request.body !== null) stream.end(request.body);
  }

  #follow(
    stream: ClientHttp2Stream,
    sending: Sending,
    controller: { abort(): void },
    state: { answered: boolean },
  ): void {
    const { handler } = sending;
    let failure: Error | null = null;
    stream.on('response', (headers) => {
      state.answered = true;
      const { ':status': status = 0, ...fields } = headers;
      handler.onResponseStart(controller, status, fields);
    });
    stream.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
    stream.on('error', (error) => (failure = error));
    stream.on('close', () => {
      this.#rest();
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && !state.answered) {
        this.#giveBack(sending);
      } else if (state.answered && failure === null && stream.rstCode === constants.NGHTTP2_NO_ERROR) {
        handler.onResponseEnd(controller);
      } else {
        handler.onResponseError(controller, failure ?? new Error(`the stream was closed with ${stream.rstCode}`));
      }
      this.#beginWaiting();
      if (this.#running === 0) this.#idled();
    });
  }

  #work(): void {
    this.#running += 1;
    clearTimeout(this.#idle);
    if (this.#running === 1) this.#session.ref();
  }

  /** A request is over, or there was none yet. */
  #rest(): void {
    this.#running = Math.max(0, this.#running - 1);
    if (this.#running > 0 || this.#session.destroyed) return;
    // An idle connection keeps no process from ending.
    this.#session.unref();
    this.#idle = setTimeout(() => this.#session.close(), this.#options.keepAliveMs).unref();
  }
}

/** Their names are in lower case already, and none is of those that HTTP/2 has no room for. */
function headersOf({ method, path, headers, body }: SentRequest): OutgoingHttpHeaders {
  return {
    ':method': method,
    ':path': path,
    ...headers,
    ...(body !== null && { 'content-length': body.length }),
  };
}
