import type { IncomingHttpHeaders } from 'node:http';
import { ConnectionLostError, OutboundError, OutboundTimeoutError, ResponseTooLargeError } from './outbound-errors.js';
import type { RequestMessage } from './redirects.js';

/** A running request that can be aborted. */
export interface AbortableRequest {
  abort(reason: Error): void;
}

/**
 * Callbacks of a request, with the same names as in undici's handlers. The callbacks are called at the start of the
 * request, for response data, and at the end or the error of the request.
 */
export interface ResponseHandler {
  /**
   * Callback that is called when the request has a connection. If the callback calls `controller.abort`, nothing is
   * sent.
   */
  onRequestStart(controller: AbortableRequest): void;
  onResponseStart(controller: AbortableRequest, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(controller: AbortableRequest, chunk: Buffer): void;
  onResponseEnd(controller: AbortableRequest): void;
  onResponseError(controller: AbortableRequest, error: Error): void;
}

/** An outgoing request in the form in which it is sent. Header names are in lower case. */
export interface PreparedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** Sends requests over the connections of one route (host, address, proxy and TLS options). */
export interface RequestSender {
  dispatch(request: PreparedRequest, handler: ResponseHandler): void;
}

/** Time and size limits of one request and its response. */
export interface ExchangeLimits {
  readonly headersTimeoutMs: number;
  readonly maxResponseBytes: number;
  /**
   * Action for a response body beyond the size limit. With `truncate`, the response contains only the beginning of the
   * body; with `refuse`, the request fails with an error.
   */
  readonly oversize: 'truncate' | 'refuse';
}

/** Response to one request. The response body is truncated if the limits require a truncation. */
export interface ExchangeResult {
  readonly status: number;
  /** Response headers by lower-case name. Repeated headers are joined with `, `, except `set-cookie`. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly truncated: boolean;
}

/**
 * Sends one request along a route and returns the response.
 *
 * @param address named in errors
 * @param signal ends the exchange; its reason is thrown
 * @throws OutboundTimeoutError (connect, headers), ResponseTooLargeError, ConnectError, ConnectionLostError
 */
export function sendRequestOverRoute(
  sender: RequestSender,
  request: { message: RequestMessage; path: string; address: string; limits: ExchangeLimits; signal: AbortSignal },
): Promise<ExchangeResult> {
  const { message, path, address, limits, signal } = request;
  return new Promise((resolve, reject) => {
    const collector = new ResponseCollector(limits, signal, address, resolve, reject);
    const { method, headers, body } = message;
    sender.dispatch({ path, method, headers: { ...headers }, body }, collector);
  });
}

class ResponseCollector implements ResponseHandler {
  readonly #limits: ExchangeLimits;
  readonly #signal: AbortSignal;
  readonly #address: string;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onAbort = (): void => this.#fail(this.#signal.reason);
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head: { status: number; headers: IncomingHttpHeaders } | null = null;
  #controller: AbortableRequest | null = null;
  #headersTimer: NodeJS.Timeout | undefined;
  #settled = false;

  constructor(
    limits: ExchangeLimits,
    signal: AbortSignal,
    address: string,
    resolve: (result: ExchangeResult) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#limits = limits;
    this.#signal = signal;
    this.#address = address;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: AbortableRequest): void {
    this.#controller = controller;
    // The caller may have cancelled while the request waited for a connection.
    if (this.#settled) {
      controller.abort(new Error('the response is not needed any more'));
      return;
    }
    const { headersTimeoutMs } = this.#limits;
    const expire = (): void => this.#fail(new OutboundTimeoutError('headers', headersTimeoutMs));
    clearTimeout(this.#headersTimer);
    this.#headersTimer = setTimeout(expire, headersTimeoutMs);
  }

  onResponseStart(_controller: AbortableRequest, status: number, headers: IncomingHttpHeaders): void {
    // Informational responses, such as 103 Early Hints, precede the response.
    if (status < 200) return;
    clearTimeout(this.#headersTimer);
    this.#head = { status, headers: joinRepeatedHeaders(headers) };
  }

  onResponseData(_controller: AbortableRequest, chunk: Buffer): void {
    const room = this.#limits.maxResponseBytes - this.#size;
    this.#chunks.push(chunk.subarray(0, Math.max(room, 0)));
    this.#size += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    if (this.#limits.oversize === 'truncate') this.#succeed(true);
    else this.#fail(new ResponseTooLargeError(this.#limits.maxResponseBytes));
  }

  onResponseEnd(): void {
    this.#succeed(false);
  }

  onResponseError(_controller: AbortableRequest, error: Error): void {
    this.#fail(error instanceof OutboundError ? error : new ConnectionLostError(this.#address, error));
  }

  #succeed(truncated: boolean): void {
    if (this.#settled || !this.#head) return;
    this.#settle();
    this.#resolve({ ...this.#head, body: Buffer.concat(this.#chunks), truncated });
    // The rest of an oversized body is not read, although the connection then cannot be reused.
    if (truncated) this.#controller?.abort(new Error('the rest of the response is not needed'));
  }

  #fail(reason: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(reason);
    this.#controller?.abort(new Error('the response is not needed any more'));
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#headersTimer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

// undici returns repeated headers as a list. Callers expect `location` or `retry-after` as one text.
function joinRepeatedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => {
    const isList = Array.isArray(value) && name !== 'set-cookie';
    return [name, isList ? value.join(', ') : value];
  });
  return Object.fromEntries(entries);
}
