import { AppError } from '@switchboard/errors';
import type { Clock } from '@switchboard/platform';
import type { ClosableStream, ClientEvent, StreamCallbacks } from '@switchboard/queue';
import type { FastifyReply } from 'fastify';
import type { PendingCredentialRequest } from '../../core/access/watch-credentials.js';
import { chatErrors } from '../../errors.js';
import { eventWithLongIdList } from '../../events/packed-message-ids.js';
import { createErrorBody } from '../../infra/http/error-renderer.js';
import { createApiHeaders } from '../../infra/http/response-headers.js';
import { toEventQueueError } from './poll-events.query.js';

/** Time limits of a stream of server-sent events, in milliseconds. */
export interface EventStreamIntervals {
  /**
   * Time after which the server ends the stream, so that the client reconnects and thereby acknowledges the received
   * events.
   */
  readonly streamMs: number;
  /** Time within which the client must read the written events. */
  readonly writeMs: number;
}

/** Approximate number of characters of several events that are written together. */
const EVENTS_CHUNK_LENGTH = 64 * 1024;

/** Time in milliseconds after which a browser reconnects, sent as the field `retry`. */
const CLIENT_RECONNECT_DELAY_MS = 1_000;

/**
 * Headers of a stream. Proxies must neither buffer nor compress it, because a proxy may delay a buffered event until
 * the next one.
 */
const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, no-transform, must-revalidate, private',
  'x-accel-buffering': 'no',
} as const;

/** Thrown if the credentials of a stream may have been revoked before its status was sent. */
export class CredentialsChangedError extends Error {
  override readonly name = 'CredentialsChangedError';
}

/** Functions that settle the promise of {@link EventStreamResponse.start}. */
interface StreamOpeningCallbacks {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A response of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), which receives the
 * callbacks of an event log. Memory use is limited to one portion of the events: the next portion is serialized when the
 * client has read the previous one. It is one object without closures, because a process has thousands of streams.
 */
export class EventStreamResponse implements StreamCallbacks, PendingCredentialRequest, ClosableStream {
  readonly #endsAt: number;
  /** Null before {@link start}, and after the status was sent or the stream was rejected. */
  #opening: StreamOpeningCallbacks | null = null;
  #isOpen = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
    private readonly times: EventStreamIntervals,
  ) {
    // Randomized, so that the clients of a process do not reconnect together.
    this.#endsAt = clock.now() + times.streamMs * (1 - Math.random() / 10);
  }

  /**
   * Calls `begin`, which requests the events of the stream. Resolves when the status was sent.
   *
   * @throws CredentialsChangedError if {@link abort} was called before
   * @throws errors of `begin` and of the event log. After an error the stream ignores all callbacks and sends nothing.
   */
  start(begin: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject };
      begin().catch((error: unknown) => this.#reject(error));
    });
  }

  /**
   * True if the client has disconnected, or the stream was rejected. The event log then does not check the queue, which
   * would end the request that waits for it.
   */
  get closed(): boolean {
    return this.#isRejected || this.reply.raw.closed;
  }

  on(event: 'close', listener: () => void): void {
    this.reply.raw.on(event, listener);
  }

  off(event: 'close', listener: () => void): void {
    this.reply.raw.off(event, listener);
  }

  waiting(): void {
    if (!this.#isRejected) this.#open();
  }

  /**
   * Writes events. Calls `resume` when the client has read enough to receive more. Ends the stream instead if its
   * maximum time is over.
   */
  events(events: readonly ClientEvent[], resume: () => void): void {
    if (this.#isRejected) return;
    this.#open();
    this.#writeRest(events.values(), resume);
  }

  ended(): void {
    if (!this.#isRejected) this.end();
  }

  failed(cause: unknown): void {
    if (!this.#isOpen) return this.#reject(cause);
    const error = toEventQueueError(cause);
    if (!(error instanceof AppError)) this.reply.log.error({ err: error }, 'event stream failed');
    this.end(createErrorBody(error instanceof AppError ? error : chatErrors.create('INTERNAL_SERVER_ERROR')));
  }

  /** Ends the stream because its credentials may have been revoked. Rejects it if the status was not sent yet. */
  abort(): void {
    if (this.#isOpen) this.end();
    else this.#reject(new CredentialsChangedError());
  }

  /** Sends the status if it was not sent yet, and ends the stream. If an error is given, sends it as the last event. */
  end(error?: object): void {
    this.#open();
    const { raw } = this.reply;
    if (raw.writableEnded || raw.destroyed) return;
    raw.end(error === undefined ? undefined : `event: error\ndata: ${JSON.stringify(error)}\n\n`);
    if (raw.writableLength > 0) this.#awaitClient('finish', () => {});
  }

  get #isRejected(): boolean {
    return !this.#isOpen && this.#opening === null;
  }

  #reject(error: unknown): void {
    this.#opening?.reject(error);
    this.#opening = null;
  }

  /** Sends the status and the headers. Later calls have no effect. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { reply } = this;
    const { raw, request } = reply;
    reply.hijack();
    const headers = { ...reply.getHeaders(), ...createApiHeaders(request), ...eventStreamHeaders };
    raw.writeHead(200, headers as Record<string, string | number | string[]>);
    // If the headers are sent alone, V8 stores them as one string. Otherwise Node.js retains forty parts of it.
    raw.flushHeaders();
    raw.write(`retry: ${CLIENT_RECONNECT_DELAY_MS}\n\n`);
    this.#opening?.resolve();
    this.#opening = null;
    if (request.method === 'HEAD') this.end();
  }

  #writeRest(events: Iterator<ClientEvent>, resume: () => void): void {
    const { raw } = this.reply;
    for (let part = takeNextEventsChunk(events); part !== ''; part = takeNextEventsChunk(events)) {
      if (raw.writableEnded || raw.destroyed) return;
      if (raw.write(part)) continue;
      this.#awaitClient('drain', () => this.#writeRest(events, resume));
      return;
    }
    if (this.clock.now() >= this.#endsAt) this.end();
    else resume();
  }

  /** Calls `then` when the client has read the written events. Disconnects a client that does not read in time. */
  #awaitClient(event: 'drain' | 'finish', then: () => void): void {
    const { raw } = this.reply;
    const timer = this.clock.setTimeout(() => raw.destroy(), this.times.writeMs);
    const stop = (): void => {
      this.clock.clearTimeout(timer);
      raw.off(event, proceed);
      raw.off('close', stop);
    };
    const proceed = (): void => {
      stop();
      then();
    };
    raw.on(event, proceed);
    raw.on('close', stop);
  }
}

/** Returns the next events as text of about {@link EVENTS_CHUNK_LENGTH} characters; an empty text after the last event. */
function takeNextEventsChunk(events: Iterator<ClientEvent>): string {
  let part = '';
  while (part.length < EVENTS_CHUNK_LENGTH) {
    const next = events.next();
    if (next.done === true) break;
    part += formatServerSentEvent(next.value);
  }
  return part;
}

function formatServerSentEvent(event: ClientEvent): string {
  const json = eventWithLongIdList(event);
  return `id: ${event.id}\ndata: ${json === null ? JSON.stringify(event) : formatStreamedEvents(json.chunks)}\n\n`;
}

function formatStreamedEvents(chunks: Iterable<Buffer>): string {
  let text = '';
  for (const chunk of chunks) text += chunk.toString('utf8');
  return text;
}
