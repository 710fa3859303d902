import { readChatResponse } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { ChatUser } from './chat-user.js';
import type { Narrow } from './list-messages.js';

/** Channel and topic of all messages that a fault test sends. */
export const conversation = { channel: 'Verona', topic: 'faults' };

/** Narrow that selects the messages of {@link conversation}. */
export const conversationNarrow: Narrow = Object.entries(conversation);

/** Maximum time for which a message with an unknown outcome is sent again, in milliseconds. */
const resendMs = 60_000;

/** Event queue and local id with which a client sends a message. The event in that queue contains the local id. */
export interface LocalEcho {
  readonly queueId: string;
  readonly localId: string;
}

/**
 * Sends numbered messages one after another and records the outcome of each message. One of three messages has an
 * `Idempotency-Key`, and one has a `queue_id` and a `local_id`. These are sent again while their outcome is unknown.
 */
export class MessageWriter {
  /** Ids of acknowledged messages, by content of the message. */
  readonly committed = new Map<string, number>();
  /** Event queues and local ids with which acknowledged messages were sent, by content of the message. */
  readonly echoes = new Map<string, LocalEcho>();
  /** Contents of messages with an unknown outcome. The service may have stored these messages or not. */
  readonly unknown = new Set<string>();
  /** Content of the message that is being sent; null between two messages. */
  sending: string | null = null;
  /** Number of requests that sent a message again because its outcome was unknown. */
  resent = 0;
  #count = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly name: string,
    private readonly parts: {
      readonly random: Random;
      readonly findings: Findings;
      readonly writePauseMs?: number | undefined;
      /**
       * Returns the id of an event queue of the user; null if the user has none at the time. Without this function, no
       * message has a `local_id`.
       */
      readonly getQueueId?: (() => string | null) | undefined;
    },
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const number = (this.#count += 1);
      this.sending = `${this.name} ${number}`;
      await this.#send(this.sending, number);
      this.sending = null;
      await pause(this.parts.random.integer(10, this.parts.writePauseMs ?? 80), signal);
    }
  }

  async #send(content: string, number: number): Promise<void> {
    const { channel: to, topic } = conversation;
    const queueId = number % 3 === 2 ? (this.parts.getQueueId?.() ?? null) : null;
    const echo = queueId === null ? null : { queueId, localId: `${number}.01` };
    const echoFields: Record<string, string> = echo === null ? {} : { queue_id: echo.queueId, local_id: echo.localId };
    const form = { type: 'channel', to, topic, content, ...echoFields };
    const headers: Record<string, string> = number % 3 === 1 ? { 'idempotency-key': content } : {};
    const isRepeatable = number % 3 === 1 || echo !== null;
    let verdict = readChatResponse(await this.user.call('POST', 'messages', form, headers));
    const deadline = Date.now() + resendMs;
    while (isRepeatable && (verdict.kind === 'unknown' || verdict.kind === 'unsent') && Date.now() < deadline) {
      await pause(50);
      this.resent += 1;
      verdict = readChatResponse(await this.user.call('POST', 'messages', form, headers));
    }
    if (verdict.kind === 'done') {
      this.committed.set(content, Number(member(verdict.body, 'id')));
      if (echo !== null) this.echoes.set(content, echo);
    } else if (verdict.kind === 'unknown') this.unknown.add(content);
    else if (verdict.kind !== 'unsent') this.parts.findings.add(`message ${content}: ${JSON.stringify(verdict)}`);
  }
}
