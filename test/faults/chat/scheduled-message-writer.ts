import { readChatResponse } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import { type ChatLoad, requireResponse } from './chat-load.js';
import type { ChatUser } from './chat-user.js';
import { listMessages } from './list-messages.js';

/** Channel and topic of all scheduled messages. Only the writer subscribes, so no other reader receives them. */
const conversation = { channel: 'scheduled by fault tests', topic: 'faults' };

/** Maximum time from the end of the last fault until all scheduled messages are sent, in milliseconds. */
const settleMs = 60_000;

/** A message or reminder that the service acknowledged, or that it may have stored. */
interface Scheduled {
  readonly kind: 'message' | 'reminder';
  /** `sent` exactly once, `deleted` and never sent, or `unknown`: sent at most once. */
  expected: 'sent' | 'deleted' | 'unknown';
}

/**
 * Schedules numbered messages for the next seconds and records the outcome of each request. Every fourth one is a
 * reminder. Every tenth one is deleted at about the time at which it is due.
 */
export class ScheduledMessageWriter implements ChatLoad {
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #deletions: Promise<void>[] = [];
  #channelId = 0;
  #messageId = 0;
  #count = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly name: string,
    private readonly parts: { readonly random: Random; readonly findings: Findings; readonly writePauseMs: number },
  ) {}

  /** Creates the channel of the messages, and a message to which the reminders refer. */
  async begin(): Promise<void> {
    const { channel, topic } = conversation;
    const subscriptions = JSON.stringify([{ name: channel }]);
    await requireResponse(this.user.call('POST', 'users/me/subscriptions', { subscriptions }));
    const found = await requireResponse(this.user.get('get_stream_id', { stream: channel }));
    this.#channelId = Number(member(found, 'stream_id'));
    const message = { type: 'channel', to: channel, topic, content: this.name };
    this.#messageId = Number(member(await requireResponse(this.user.call('POST', 'messages', message)), 'id'));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { random, writePauseMs } = this.parts;
    while (!signal.aborted) {
      await this.#schedule((this.#count += 1));
      await pause(random.integer(10, writePauseMs), signal);
    }
    await Promise.all(this.#deletions);
  }

  async #schedule(number: number): Promise<void> {
    const content = `${this.name} ${number}`;
    const isReminder = number % 4 === 0;
    // The time has to be in the future when the request arrives.
    const dueSeconds = Math.floor(Date.now() / 1000) + this.parts.random.integer(2, 4);
    const time = { scheduled_delivery_timestamp: String(dueSeconds) };
    const message = { type: 'channel', to: String(this.#channelId), topic: conversation.topic, content };
    const verdict = readChatResponse(
      isReminder
        ? await this.user.call('POST', 'reminders', { ...time, message_id: String(this.#messageId), note: content })
        : await this.user.call('POST', 'scheduled_messages', { ...time, ...message }),
    );
    if (verdict.kind === 'unsent') return;
    // The request waited for the service until after the time.
    if (verdict.kind === 'refused' && verdict.status === 400 && Date.now() > dueSeconds * 1000) return;
    if (verdict.kind === 'refused' || verdict.kind === 'unclean') {
      return this.#find(`schedule ${content}: ${JSON.stringify(verdict)}`);
    }
    const isDone = verdict.kind === 'done';
    const kind = isReminder ? 'reminder' : 'message';
    const scheduled: Scheduled = { kind, expected: isDone ? 'sent' : 'unknown' };
    this.#scheduled.set(content, scheduled);
    if (!isDone || number % 10 !== 0) return;
    const id = Number(member(verdict.body, isReminder ? 'reminder_id' : 'scheduled_message_id'));
    const path = `${isReminder ? 'reminders' : 'scheduled_messages'}/${id}`;
    this.#deletions.push(this.#delete(path, scheduled, dueSeconds * 1000));
  }

  /** Deletes a scheduled message or reminder shortly before or after it is due. */
  async #delete(path: string, scheduled: Scheduled, dueMs: number): Promise<void> {
    await pause(Math.max(0, dueMs - Date.now() + this.parts.random.integer(-200, 200)));
    const verdict = readChatResponse(await this.user.call('DELETE', path, {}));
    if (verdict.kind === 'done') scheduled.expected = 'deleted';
    else if (verdict.kind === 'unknown') scheduled.expected = 'unknown';
    // With 404, the message was sent before.
    else if (verdict.kind === 'unclean' || (verdict.kind === 'refused' && verdict.status !== 404)) {
      this.#find(`delete ${path}: ${JSON.stringify(verdict)}`);
    }
  }

  /** Waits until all scheduled messages and reminders are sent, and compares them with the outcomes of the requests. */
  async check(): Promise<Readonly<Record<string, number>>> {
    const deadline = Date.now() + settleMs;
    const expected = [...this.#scheduled].filter(([, one]) => one.expected === 'sent');
    let sent = await this.#listSent();
    while (Date.now() < deadline && (expected.some(([content]) => !sent.has(content)) || (await this.#isPending()))) {
      await pause(200);
      sent = await this.#listSent();
    }
    for (const content of sent.keys()) {
      if (!this.#scheduled.has(content)) this.#find(`${content} was sent though it was never scheduled`);
    }
    for (const [content, { kind, expected: outcome }] of this.#scheduled) {
      const count = sent.get(content) ?? 0;
      const isRight = { sent: count === 1, deleted: count === 0, unknown: count <= 1 }[outcome];
      if (!isRight) this.#find(`${kind} ${content} was sent ${count} times, expected: ${outcome}`);
    }
    const counted = (test: (one: Scheduled) => boolean): number => [...this.#scheduled.values()].filter(test).length;
    return {
      scheduledMessages: counted(({ kind }) => kind === 'message'),
      reminders: counted(({ kind }) => kind === 'reminder'),
      deletedSchedules: counted(({ expected: outcome }) => outcome === 'deleted'),
      unknownSchedules: counted(({ expected: outcome }) => outcome === 'unknown'),
    };
  }

  /** Returns true while a scheduled message or reminder waits for its delivery. */
  async #isPending(): Promise<boolean> {
    for (const name of ['scheduled_messages', 'reminders']) {
      const verdict = readChatResponse(await this.user.get(name, {}));
      const list = verdict.kind === 'done' ? member(verdict.body, name) : undefined;
      const rows: unknown[] = Array.isArray(list) ? list : [{}];
      for (const row of rows) {
        if (member(row, 'failed') !== true) return true;
      }
    }
    return false;
  }

  /** Returns how often each scheduled message and each note of a reminder was sent. */
  async #listSent(): Promise<Map<string, number>> {
    const { channel, topic } = conversation;
    const messages = await this.#list([
      ['channel', channel],
      ['topic', topic],
    ]);
    const notices = await this.#list([['is', 'dm']]);
    const contents = [
      ...messages.map(({ content }) => content).filter((content) => content !== this.name),
      ...notices.flatMap(({ content }) => /^> (.* \d+)$/m.exec(content)?.[1] ?? []),
    ];
    const counts = new Map<string, number>();
    for (const content of contents) counts.set(content, (counts.get(content) ?? 0) + 1);
    return counts;
  }

  async #list(narrow: Parameters<typeof listMessages>[1]): Promise<{ readonly content: string }[]> {
    for (;;) {
      const messages = await listMessages(this.user, narrow);
      if (messages !== null) return messages;
      await pause(100);
    }
  }

  #find(line: string): void {
    this.parts.findings.add(`scheduled messages: ${line}`);
  }
}
