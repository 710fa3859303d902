import { isDeepStrictEqual } from 'node:util';
import { readChatResponse } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { ChatUser } from './chat-user.js';
import { listMessages } from './list-messages.js';
import { conversationNarrow, type LocalEcho } from './message-writer.js';
import { pollEvents, streamEvents } from './read-events.js';

/** A message that a reader has received in an event or in the message history. */
export interface ReadMessage {
  readonly id: number;
  readonly content: string;
}

/**
 * State of a reader's event queue: the event id that the next request acknowledges, the highest received event id, and
 * all received events.
 */
interface EventQueue {
  readonly id: string;
  position: number;
  highest: number;
  readonly events: Map<number, unknown>;
}

/**
 * Method by which a reader requests its events. `both` chooses at random between polls and streams. `continue` polls,
 * and repeatedly registers a new queue with `last_known`, which continues the former queue.
 */
export type ReadingMethod = 'poll' | 'stream' | 'both' | 'continue';

/**
 * A client that reads its event queue during every fault. The client acknowledges most events, requests some events
 * again, and disconnects some streams. The client registers again and reads the history only when its event queue no
 * longer exists and the new queue does not continue it.
 */
export class EventReader {
  /** Messages that this reader has received, in the order of arrival. */
  readonly messages: ReadMessage[] = [];
  /** Number of messages that the reader received under two different event ids. */
  duplicated = 0;
  /** Number of events that the reader received again with an unchanged id, which is allowed. */
  repeated = 0;
  /**
   * Number of responses to the reader with the error BAD_EVENT_QUEUE_ID. Excludes queues of the method `continue`, which
   * may be so new that Redis has not stored them on disk yet.
   */
  refused = 0;
  /** Number of registrations with `last_known` that continued the former queue. */
  continued = 0;
  /** Local ids of messages that arrived as events with a local id, by message id. */
  readonly localEchoes = new Map<number, LocalEcho>();
  /** Number of event streams that the reader has opened. */
  streams = 0;
  /** Number of the reader's requests with an unknown outcome or a failure. */
  failed = 0;
  readonly #ids = new Set<number>();
  readonly #asEvents = new Set<number>();
  #queue: EventQueue | null = null;
  /** Event queue that the next registration continues, if the service still has its events. */
  #former: EventQueue | null = null;
  #requested = 0;
  #accepted = 0;
  /** Function that disconnects the reader's current event stream; null if the reader has no open stream. */
  #disconnect: (() => void) | null = null;

  constructor(
    private readonly user: ChatUser,
    readonly name: string,
    private readonly method: ReadingMethod,
    private readonly parts: {
      readonly random: Random;
      readonly findings: Findings;
      /**
       * True to drop all messages of a refused event queue, because the service may have lost some of these messages.
       */
      readonly dropsMessages?: boolean | undefined;
    },
  ) {}

  /** Registers an event queue. All messages that are sent afterwards arrive at the reader as events. */
  async begin(): Promise<void> {
    while ((await this.#register()) === 'failed') await pause(50);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#queue === null) await this.#catchUp();
      else if (this.method === 'continue' && this.parts.random.chance(0.1)) this.#endQueue(this.#queue);
      else await this.#read(this.#queue, signal);
    }
  }

  /**
   * Waits until the service has accepted a request for events that started after this call. Disconnects an open event
   * stream.
   */
  async next(): Promise<void> {
    const requested = this.#requested;
    this.#disconnect?.();
    while (this.#accepted <= requested) await pause(20);
  }

  /** Id of the reader's event queue; null while the reader has none. */
  get queueId(): string | null {
    return this.#queue?.id ?? null;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /**
   * Registers an event queue. With a `former` queue, the events of the response continue that queue.
   *
   * @returns `failed`, `new`, or `continued` if the reader has missed no event of the former queue
   */
  async #register(former: EventQueue | null = null): Promise<'failed' | 'new' | 'continued'> {
    const form: Record<string, string> = {
      event_types: '["message"]',
      fetch_event_types: '[]',
      apply_markdown: 'false',
    };
    if (former !== null) form['last_known'] = JSON.stringify({ queue_id: former.id, last_event_id: former.position });
    const verdict = readChatResponse(await this.user.call('POST', 'register', form));
    if (verdict.kind === 'done') {
      const events = member(member(verdict.body, 'delta'), 'events');
      const isContinued = former !== null && Array.isArray(events);
      if (isContinued) this.#receive(former, former.position, events);
      this.#queue = { id: String(member(verdict.body, 'queue_id')), position: -1, highest: -1, events: new Map() };
      if (isContinued) this.continued += 1;
      return isContinued ? 'continued' : 'new';
    }
    this.failed += 1;
    if (verdict.kind === 'refused' || verdict.kind === 'unclean') this.#find(`register: ${JSON.stringify(verdict)}`);
    return 'failed';
  }

  /**
   * Replaces an event queue. Registers the new queue first and reads the history afterwards, so that no message between
   * registration and history is missed. The history is not needed if the new queue continues the former one.
   */
  async #catchUp(): Promise<void> {
    const registered = await this.#register(this.#former);
    if (registered === 'failed') return pause(50);
    const former = this.#former;
    this.#former = null;
    // If the deletion fails, the former queue expires.
    if (former !== null) await this.user.call('DELETE', 'events', { queue_id: former.id });
    while (registered === 'new') {
      const messages = await listMessages(this.user, conversationNarrow);
      if (messages !== null) {
        for (const message of messages) if (!this.#ids.has(message.id)) this.#keep(message);
        return;
      }
      await pause(50);
    }
  }

  async #read(queue: EventQueue, signal: AbortSignal): Promise<void> {
    const { random } = this.parts;
    const isStream = this.method === 'both' ? random.chance(0.5) : this.method === 'stream';
    const number = (this.#requested += 1);
    const disconnected = new AbortController();
    if (isStream) this.#disconnect = () => disconnected.abort();
    let last = queue.position;
    const verdict = await (isStream ? streamEvents : pollEvents)({
      user: this.user,
      queueId: queue.id,
      lastEventId: queue.position,
      signal: AbortSignal.any([signal, disconnected.signal]),
      receive: (events) => {
        if (isStream && this.#accepted !== number) this.streams += 1;
        this.#accepted = number;
        last = this.#receive(queue, last, events);
        if (isStream && random.chance(0.05)) disconnected.abort();
      },
    });
    this.#disconnect = null;
    const isAborted = signal.aborted || disconnected.signal.aborted;
    if (verdict.kind === 'done' || (isAborted && verdict.kind === 'unknown')) return;
    if (verdict.kind === 'refused' && verdict.code === 'BAD_EVENT_QUEUE_ID') {
      if (this.method !== 'continue') this.refused += 1;
      this.#endQueue(queue);
      if (this.parts.dropsMessages === true) this.#drop();
      return;
    }
    this.failed += 1;
    if (verdict.kind === 'refused' || verdict.kind === 'unclean') {
      this.#find(`request for events: ${JSON.stringify(verdict)}`);
    }
    await pause(50, signal);
  }

  /**
   * Records received events and compares the events with earlier received events. `before` is the id of the preceding
   * event. Returns the id of the last event.
   */
  #receive(queue: EventQueue, before: number, events: readonly unknown[]): number {
    let last = before;
    for (const event of events) {
      const id = Number(member(event, 'id'));
      if (!(id > last)) this.#find(`event ${id} comes after ${last}`);
      last = id;
      const known = queue.events.get(id);
      if (known === undefined) this.#take(queue, id, event);
      else {
        this.repeated += 1;
        if (!isDeepStrictEqual(known, event)) {
          this.#find(`event ${id} was ${JSON.stringify(known)} and is ${JSON.stringify(event)}`);
        }
      }
    }
    // Simulates a client that loses events and continues at its old position.
    if (!this.parts.random.chance(0.2)) queue.position = last;
    return last;
  }

  #take(queue: EventQueue, id: number, event: unknown): void {
    queue.events.set(id, event);
    if (member(event, 'type') !== 'message') return;
    if (id < queue.highest) this.#find(`event ${id} was omitted before event ${queue.highest}`);
    queue.highest = id;
    const message = member(event, 'message');
    const read = { id: Number(member(message, 'id')), content: String(member(message, 'content')) };
    const localId = member(event, 'local_message_id');
    if (localId !== undefined) this.localEchoes.set(read.id, { queueId: queue.id, localId: String(localId) });
    // A message read from the history after a registration may also arrive as an event, but never as two events.
    if (!this.#ids.has(read.id)) this.#keep(read);
    if (this.#asEvents.has(read.id)) {
      this.duplicated += 1;
      this.#find(`message ${read.content} came twice, now as event ${id}`);
    }
    this.#asEvents.add(read.id);
  }

  /** Stops reading an event queue. The next registration of a reader with the method `continue` continues the queue. */
  #endQueue(queue: EventQueue): void {
    this.#queue = null;
    if (this.method === 'continue') this.#former = queue;
  }

  #drop(): void {
    this.#former = null;
    this.localEchoes.clear();
    this.messages.length = 0;
    this.#ids.clear();
    this.#asEvents.clear();
  }

  #keep(message: ReadMessage): void {
    this.#ids.add(message.id);
    this.messages.push(message);
  }

  #find(line: string): void {
    this.parts.findings.add(`${this.name}: ${line}`);
  }
}
