import { readChatResponse } from '../responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { ChatUser } from './chat-user.js';

/** Channel and topic of all messages that a fault test sends. */
export const conversation = { channel: 'Verona', topic: 'faults' };

/** Maximum time for which a message with an unknown outcome is sent again, in milliseconds. */
const resendMs = 60_000;

/**
 * Sends numbered messages one after another and records the outcome of each message. Every second message has an
 * `Idempotency-Key`, and is sent again while its outcome is unknown.
 */
export class MessageWriter {
  /** Ids of acknowledged messages, by content of the message. */
  readonly committed = new Map<string, number>();
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
    },
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const number = (this.#count += 1);
      this.sending = `${this.name} ${number}`;
      await this.#send(this.sending, { withKey: number % 2 === 1 });
      this.sending = null;
      await pause(this.parts.random.integer(10, this.parts.writePauseMs ?? 80), signal);
    }
  }

  async #send(content: string, { withKey }: { readonly withKey: boolean }): Promise<void> {
    const { channel: to, topic } = conversation;
    const form = { type: 'channel', to, topic, content };
    const headers: Record<string, string> = withKey ? { 'idempotency-key': content } : {};
    let verdict = readChatResponse(await this.user.call('POST', 'messages', form, headers));
    const deadline = Date.now() + resendMs;
    while (withKey && (verdict.kind === 'unknown' || verdict.kind === 'unsent') && Date.now() < deadline) {
      await pause(50);
      this.resent += 1;
      verdict = readChatResponse(await this.user.call('POST', 'messages', form, headers));
    }
    if (verdict.kind === 'done') this.committed.set(content, Number(member(verdict.body, 'id')));
    else if (verdict.kind === 'unknown') this.unknown.add(content);
    else if (verdict.kind !== 'unsent') this.parts.findings.add(`message ${content}: ${JSON.stringify(verdict)}`);
  }
}
