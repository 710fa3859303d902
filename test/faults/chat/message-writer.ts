import { readChatResponse } from '../responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { ChatUser } from './chat-user.js';

/** Channel and topic of all messages that a fault test sends. */
export const conversation = { channel: 'Verona', topic: 'faults' };

/** Sends numbered messages one after another and records the outcome of each. */
export class MessageWriter {
  /** Message ids of acknowledged messages, by content. */
  readonly committed = new Map<string, number>();
  /** Contents of messages of which it is unknown whether they were sent. */
  readonly unknown = new Set<string>();
  #count = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly name: string,
    private readonly parts: { readonly random: Random; readonly findings: Findings },
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#send(`${this.name} ${(this.#count += 1)}`);
      await pause(this.parts.random.integer(10, 80), signal);
    }
  }

  async #send(content: string): Promise<void> {
    const { channel: to, topic } = conversation;
    const verdict = readChatResponse(await this.user.call('POST', 'messages', { type: 'channel', to, topic, content }));
    if (verdict.kind === 'done') this.committed.set(content, Number(member(verdict.body, 'id')));
    else if (verdict.kind === 'unknown') this.unknown.add(content);
    else if (verdict.kind !== 'unsent') this.parts.findings.add(`message ${content}: ${JSON.stringify(verdict)}`);
  }
}
