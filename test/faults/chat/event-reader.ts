import { isDeepStrictEqual } from 'node:util';
import { readChatResponse } from '../responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { ChatUser } from './chat-user.js';
import { listMessages } from './list-messages.js';

/** A message that a reader has received as an event or in the history. */
export interface ReadMessage {
  readonly id: number;
  readonly content: string;
}

/** The event queue of a reader: the id of the last acknowledged event, and all received events. */
interface EventQueue {
  readonly id: string;
  position: number;
  readonly events: Map<number, unknown>;
}

/**
 * A client that polls its event queue during every fault. It acknowledges most events and repeats some polls. It
 * registers again and reads the history only when its queue no longer exists.
 */
export class EventReader {
  /** Messages that this reader has received, in the order of arrival. */
  readonly messages: ReadMessage[] = [];
  /** Number of messages that arrived under two different event ids. */
  duplicated = 0;
  /** Number of events that arrived again under the same id, which is allowed. */
  repeated = 0;
  /** Number of responses with BAD_EVENT_QUEUE_ID. */
  refused = 0;
  /** Number of the reader's requests with an unknown outcome or a failure. */
  failed = 0;
  readonly #ids = new Set<number>();
  readonly #asEvents = new Set<number>();
  #queue: EventQueue | null = null;
  #asked = 0;
  #answered = 0;

  constructor(
    private readonly user: ChatUser,
    readonly name: string,
    private readonly parts: { readonly random: Random; readonly findings: Findings },
  ) {}

  /** Registers an event queue, so that all messages sent from now on arrive as events. */
  async begin(): Promise<void> {
    while (!(await this.#register())) await pause(50);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#queue === null) await this.#catchUp();
      else await this.#poll(this.#queue, signal);
    }
  }

  /** Resolves when a poll that started after this call has succeeded. */
  async next(): Promise<void> {
    const asked = this.#asked;
    while (this.#answered <= asked) await pause(20);
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  async #register(): Promise<boolean> {
    const form = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'false' };
    const verdict = readChatResponse(await this.user.call('POST', 'register', form));
    if (verdict.kind === 'done') {
      this.#queue = { id: String(member(verdict.body, 'queue_id')), position: -1, events: new Map() };
      return true;
    }
    this.failed += 1;
    if (verdict.kind === 'refused' || verdict.kind === 'unclean') this.#find(`register: ${JSON.stringify(verdict)}`);
    return false;
  }

  /**
   * Replaces a lost event queue. Registers the new queue first and reads the history afterwards, so that no message is
   * missed in between.
   */
  async #catchUp(): Promise<void> {
    if (!(await this.#register())) return pause(50);
    for (;;) {
      const messages = await listMessages(this.user);
      if (messages !== null) {
        for (const message of messages) if (!this.#ids.has(message.id)) this.#keep(message);
        return;
      }
      await pause(50);
    }
  }

  async #poll(queue: EventQueue, signal: AbortSignal): Promise<void> {
    const query = { queue_id: queue.id, last_event_id: String(queue.position) };
    const number = (this.#asked += 1);
    const verdict = readChatResponse(await this.user.get('events', query, signal));
    if (signal.aborted && verdict.kind !== 'done') return;
    if (verdict.kind === 'done') {
      this.#answered = number;
      return this.#receive(queue, member(verdict.body, 'events'));
    }
    if (verdict.kind === 'refused' && verdict.code === 'BAD_EVENT_QUEUE_ID') {
      this.refused += 1;
      this.#queue = null;
      return;
    }
    this.failed += 1;
    if (verdict.kind === 'refused' || verdict.kind === 'unclean') this.#find(`poll: ${JSON.stringify(verdict)}`);
    await pause(50, signal);
  }

  #receive(queue: EventQueue, events: unknown): void {
    if (!Array.isArray(events)) return this.#find('an answer without events');
    let last = queue.position;
    for (const event of events as unknown[]) {
      const id = Number(member(event, 'id'));
      if (!(id > last)) this.#find(`event ${id} comes after ${last}`);
      last = id;
      const before = queue.events.get(id);
      if (before === undefined) this.#take(queue.events, id, event);
      else {
        this.repeated += 1;
        if (!isDeepStrictEqual(before, event)) {
          this.#find(`event ${id} was ${JSON.stringify(before)} and is ${JSON.stringify(event)}`);
        }
      }
    }
    // Simulates a client that loses a response and polls again from its old position.
    if (!this.parts.random.chance(0.2)) queue.position = last;
  }

  #take(events: Map<number, unknown>, id: number, event: unknown): void {
    events.set(id, event);
    if (member(event, 'type') !== 'message') return;
    const message = member(event, 'message');
    const read = { id: Number(member(message, 'id')), content: String(member(message, 'content')) };
    // A message read from the history after a registration may also arrive as an event, but never as two events.
    if (!this.#ids.has(read.id)) this.#keep(read);
    if (this.#asEvents.has(read.id)) {
      this.duplicated += 1;
      this.#find(`message ${read.content} came twice, now as event ${id}`);
    }
    this.#asEvents.add(read.id);
  }

  #keep(message: ReadMessage): void {
    this.#ids.add(message.id);
    this.messages.push(message);
  }

  #find(line: string): void {
    this.parts.findings.add(`${this.name}: ${line}`);
  }
}
