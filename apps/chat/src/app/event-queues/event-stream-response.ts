import { ApplicationError } from '@switchboard/errors';
import type { Clock } from '@switchboard/platform';
import type { ClosableStream, ClientEvent, EventStreamCallbacks } from '@switchboard/queue';
import type { FastifyReply } from 'fastify';
import type { RequestAbortedOnCredentialRevocation } from '../../core/access/watch-credentials.js';
import { chatErrors } from '../../errors.js';
import { serializeEventWithLongList } from '../../events/packed-message-ids.js';
import { createErrorBody } from '../../infra/http/error-renderer.js';
import { createApiHeaders } from '../../infra/http/response-headers.js';
import { translateEventLogError } from './poll-events.query.js';

/** Time limits, in milliseconds, for a stream of server-sent events and for its client. */
export interface EventStreamTimeLimits {
  /**
   * Time in milliseconds after which the server ends the stream. The client then reconnects, and thereby acknowledges
   * the received events.
   */
  readonly streamMs: number;
  /**
   * Time in milliseconds within which the client must read the written events. The server disconnects a slower client.
   */
  readonly writeMs: number;
}

/** Approximate number of characters of serialized events that the server writes to a stream at a time. */
const EVENT_STREAM_CHUNK_CHARACTERS = 64 * 1024;

/**
 * Time in milliseconds after which a browser reconnects to an event stream. The server sends this time in the field
 * `retry`.
 */
const EVENT_STREAM_RECONNECT_DELAY_MS = 1_000;

/**
 * HTTP headers of an event stream. They forbid proxies to buffer or compress the stream, because a buffered event may
 * be delayed until the next event.
 */
const eventStreamResponseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, no-transform, must-revalidate, private',
  'x-accel-buffering': 'no',
} as const;

/** Thrown if the credentials of an event stream may have been revoked before the response status was sent. */
export class CredentialsPossiblyRevokedError extends Error {
  override readonly name = 'CredentialsPossiblyRevokedError';
}

/** Functions that settle the promise of {@link EventStreamResponse.start}. */
interface EventStreamOpeningCallbacks {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A response of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), which receives the
 * callbacks of an event log. Buffers at most one portion of the events: the next portion is serialized when the client
 * has read the previous portion. Uses no closures, because a process has thousands of streams.
 */
export class EventStreamResponse implements EventStreamCallbacks, RequestAbortedOnCredentialRevocation, ClosableStream {
  readonly #endsAt: number;
  /**
   * Callbacks of the promise of {@link start}. Null before {@link start} is called, and after the status was sent or
   * the stream was rejected.
   */
  #opening: EventStreamOpeningCallbacks | null = null;
  #isOpen = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
    private readonly times: EventStreamTimeLimits,
  ) {
    // Randomized, so that the clients of a process do not reconnect together.
    this.#endsAt = clock.now() + times.streamMs * (1 - Math.random() / 10);
  }

  /**
   * Calls `begin`, which requests the events of the stream. Resolves when the response status was sent.
   *
   * @throws CredentialsPossiblyRevokedError if {@link abort} was called before
   * @throws errors of `begin` and of the event log. After an error the stream ignores all callbacks and sends nothing.
   */
  start(begin: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject };
      begin().catch((error: unknown) => this.#reject(error));
    });
  }

  /**
   * True if the client has disconnected or the stream was rejected. The event log then does not check the queue,
   * because a check would end the queue's current request.
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

  onWaiting(): void {
    if (!this.#isRejected) this.#open();
  }

  /**
   * Writes events to the stream. Calls `resume` when the client has read enough to receive more events. Instead ends
   * the stream if its maximum duration is over.
   */
  onEvents(events: readonly ClientEvent[], resume: () => void): void {
    if (this.#isRejected) return;
    this.#open();
    this.#writeRest(events.values(), resume);
  }

  onEnded(): void {
    if (!this.#isRejected) this.end();
  }

  onFailed(cause: unknown): void {
    if (!this.#isOpen) return this.#reject(cause);
    const error = translateEventLogError(cause);
    if (!(error instanceof ApplicationError)) this.reply.log.error({ err: error }, 'event stream failed');
    this.end(createErrorBody(error instanceof ApplicationError ? error : chatErrors.create('INTERNAL_SERVER_ERROR')));
  }

  /**
   * Ends the stream because its credentials may have been revoked. Rejects the promise of {@link start} if the response
   * status was not sent yet.
   */
  abort(): void {
    if (this.#isOpen) this.end();
    else this.#reject(new CredentialsPossiblyRevokedError());
  }

  /** Sends the response status unless already sent, and ends the stream. Sends a given error as the last event. */
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

  /** Sends the response status and headers. Later calls have no effect. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { reply } = this;
    const { raw, request } = reply;
    reply.hijack();
    const headers = { ...reply.getHeaders(), ...createApiHeaders(request), ...eventStreamResponseHeaders };
    raw.writeHead(200, headers as Record<string, string | number | string[]>);
    // If the headers are sent alone, V8 stores them as one string. Otherwise Node.js retains forty parts of it.
    raw.flushHeaders();
    raw.write(`retry: ${EVENT_STREAM_RECONNECT_DELAY_MS}\n\n`);
    this.#opening?.resolve();
    this.#opening = null;
    if (request.method === 'HEAD') this.end();
  }

  #writeRest(events: Iterator<ClientEvent>, resume: () => void): void {
    const { raw } = this.reply;
    for (let part = formatNextEventsChunk(events); part !== ''; part = formatNextEventsChunk(events)) {
      if (raw.writableEnded || raw.destroyed) return;
      if (raw.write(part)) continue;
      this.#awaitClient('drain', () => this.#writeRest(events, resume));
      return;
    }
    if (this.clock.now() >= this.#endsAt) this.end();
    else resume();
  }

  /**
   * Calls `then` when the client has read the written events. Disconnects the client if it does not read the events
   * within the time limit.
   */
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

/**
 * Returns the next events as text of about {@link EVENT_STREAM_CHUNK_CHARACTERS} characters. Returns an empty string if
 * no event remains.
 */
function formatNextEventsChunk(events: Iterator<ClientEvent>): string {
  let part = '';
  while (part.length < EVENT_STREAM_CHUNK_CHARACTERS) {
    const next = events.next();
    if (next.done === true) break;
    part += formatServerSentEvent(next.value);
  }
  return part;
}

function formatServerSentEvent(event: ClientEvent): string {
  const json = serializeEventWithLongList(event);
  return `id: ${event.id}\ndata: ${json === null ? JSON.stringify(event) : formatStreamedEvents(json.chunks)}\n\n`;
}

function formatStreamedEvents(chunks: Iterable<Buffer>): string {
  let text = '';
  for (const chunk of chunks) text += chunk.toString('utf8');
  return text;
}
