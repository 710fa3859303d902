import type { Clock } from '@switchboard/platform';
import type { ClientEvent } from '@switchboard/queue';
import type { FastifyReply } from 'fastify';
import { eventWithLongIdList } from '../../events/message-id-list.js';
import { apiHeadersOf } from '../../infra/http/response-headers.js';

/** Times of a stream of server-sent events, in milliseconds. */
export interface StreamTimes {
  /** Time after which the stream is ended, so that its client acknowledges what it has received. */
  readonly streamMs: number;
  /** Time within which the client has to read what was written. */
  readonly writeMs: number;
}

/** Size in characters above which a part of several events is written. */
const PART_LENGTH = 64 * 1024;

/** Time in milliseconds after which a browser reconnects, sent as the field `retry`. */
const RECONNECT_MS = 1_000;

/**
 * Headers of a stream. Proxies must neither buffer nor compress it, because a buffered event arrives with the next one.
 */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, no-transform, must-revalidate, private',
  'x-accel-buffering': 'no',
} as const;

/**
 * A response of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It never has more
 * than one part of the events in memory: the next part is serialized when the client has read the previous one.
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

  /** True after the status was sent. Errors can then only be sent as events. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends status and headers. Further calls have no effect. */
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
   * Writes events. Calls `resume` when the client has read so much of them that it can take more. Ends the stream
   * instead if its time is over.
   */
  write(events: readonly ClientEvent[], resume: () => void): void {
    this.open();
    this.#writeRest(events.values(), resume);
  }

  /** Ends the stream, with an error as its last event if one is given. */
  end(error?: object): void {
    this.open();
    const { raw } = this.reply;
    if (raw.writableEnded || raw.destroyed) return;
    raw.end(error === undefined ? undefined : `event: error\ndata: ${JSON.stringify(error)}\n\n`);
    if (raw.writableLength > 0) this.#awaitClient('finish', () => {});
  }

  #writeRest(events: Iterator<ClientEvent>, resume: () => void): void {
    const { raw } = this.reply;
    for (let part = nextPart(events); part !== ''; part = nextPart(events)) {
      if (raw.writableEnded || raw.destroyed) return;
      if (raw.write(part)) continue;
      this.#awaitClient('drain', () => this.#writeRest(events, resume));
      return;
    }
    if (this.clock.now() >= this.#endsAt) this.end();
    else resume();
  }

  /** Calls `then` when the client has read what was written. Disconnects a client that does not read in time. */
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

/** Returns the messages of the next events, of about {@link PART_LENGTH} characters; empty after the last event. */
function nextPart(events: Iterator<ClientEvent>): string {
  let part = '';
  while (part.length < PART_LENGTH) {
    const next = events.next();
    if (next.done === true) break;
    part += messageOf(next.value);
  }
  return part;
}

function messageOf(event: ClientEvent): string {
  const json = eventWithLongIdList(event);
  return `id: ${event.id}\ndata: ${json === null ? JSON.stringify(event) : textOf(json.chunks)}\n\n`;
}

function textOf(chunks: Iterable<Buffer>): string {
  let text = '';
  for (const chunk of chunks) text += chunk.toString('utf8');
  return text;
}
