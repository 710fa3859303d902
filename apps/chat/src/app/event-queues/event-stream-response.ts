import type { Clock } from '@switchboard/platform';
import type { ClientEvent } from '@switchboard/queue';
import type { FastifyReply } from 'fastify';
import { eventWithLongIdList } from '../../events/message-id-list.js';
import { apiHeadersOf } from '../../infra/http/response-headers.js';

/** Time limits of a stream of server-sent events, in milliseconds. */
export interface StreamTimes {
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
const RECONNECT_MS = 1_000;

/**
 * Headers of a stream. Proxies must neither buffer nor compress it, because a proxy may delay a buffered event until
 * the next one.
 */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, no-transform, must-revalidate, private',
  'x-accel-buffering': 'no',
} as const;

/**
 * A response of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Memory use is
 * limited to one portion of the events: the next portion is serialized when the client has read the previous one.
 */
export class EventStreamResponse {
  readonly #endsAt: number;
  #isOpen = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
    private readonly times: StreamTimes,
  ) {
    // Randomized, so that the clients of a process do not reconnect together.
    this.#endsAt = clock.now() + times.streamMs * (1 - Math.random() / 10);
  }

  /** True after the status was sent. From then on, errors can only be sent as events. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends the status and the headers. Later calls have no effect. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { reply } = this;
    const { raw, request } = reply;
    reply.hijack();
    const headers = { ...reply.getHeaders(), ...apiHeadersOf(request), ...streamHeaders };
    raw.writeHead(200, headers as Record<string, string | number | string[]>);
    raw.write(`retry: ${RECONNECT_MS}\n\n`);
    if (request.method === 'HEAD') this.end();
  }

  /**
   * Writes events. Calls `resume` when the client has read enough to receive more. Ends the stream instead if its
   * maximum time is over.
   */
  write(events: readonly ClientEvent[], resume: () => void): void {
    this.open();
    this.#writeRest(events.values(), resume);
  }

  /** Ends the stream. If an error is given, sends it as the last event. */
  end(error?: object): void {
    this.open();
    const { raw } = this.reply;
    if (raw.writableEnded || raw.destroyed) return;
    raw.end(error === undefined ? undefined : `event: error\ndata: ${JSON.stringify(error)}\n\n`);
    if (raw.writableLength > 0) this.#awaitClient('finish', () => {});
  }

  #writeRest(events: Iterator<ClientEvent>, resume: () => void): void {
    const { raw } = this.reply;
    for (let part = nextEventsChunk(events); part !== ''; part = nextEventsChunk(events)) {
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
function nextEventsChunk(events: Iterator<ClientEvent>): string {
  let part = '';
  while (part.length < EVENTS_CHUNK_LENGTH) {
    const next = events.next();
    if (next.done === true) break;
    part += serverSentMessage(next.value);
  }
  return part;
}

function serverSentMessage(event: ClientEvent): string {
  const json = eventWithLongIdList(event);
  return `id: ${event.id}\ndata: ${json === null ? JSON.stringify(event) : eventsText(json.chunks)}\n\n`;
}

function eventsText(chunks: Iterable<Buffer>): string {
  let text = '';
  for (const chunk of chunks) text += chunk.toString('utf8');
  return text;
}
