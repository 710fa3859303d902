import type { Findings } from '../findings.js';
import { pause } from '../abortable-pause.js';
import type { ChatUser } from './chat-user.js';
import type { EventReader, ReadMessage } from './event-reader.js';
import { listMessages } from './list-messages.js';
import { conversationNarrow, type MessageWriter } from './message-writer.js';

/** Counts of messages, requests and faults that a fault test of chat prints. */
export interface MessageFigures {
  readonly messages: number;
  /** Number of messages that the service acknowledged but does not store. */
  readonly unstored: number;
  readonly events: number;
  readonly streams: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly repeated: number;
  /** Number of registrations that continued a former event queue (`last_known`). */
  readonly continuedQueues: number;
  /** Number of messages whose `local_id` reached the event queue of their sender. */
  readonly localEchoes: number;
  readonly refusedQueues: number;
  readonly failedRequests: number;
  readonly unknownWrites: number;
  readonly resentMessages: number;
}

/** Maximum time from the end of the last fault until readers have received all committed messages, in milliseconds. */
const settleMs = 60_000;

/**
 * Waits until readers have received all stored messages. Then compares the sent, the stored and the received messages.
 * The caller must have stopped the writers, and every process must run. Readers continue to poll.
 */
export async function checkMessages(parts: {
  readonly user: ChatUser;
  readonly writers: readonly MessageWriter[];
  readonly readers: readonly EventReader[];
  readonly findings: Findings;
  /** Contents of messages that a failover may have lost. */
  readonly cutOff?: ReadonlySet<string> | undefined;
}): Promise<MessageFigures> {
  const { writers, readers, findings, cutOff = new Set() } = parts;
  const stored = await storedMessages(parts.user);
  const unstored = checkWrites({ stored, writers, findings, cutOff });
  const deadline = Date.now() + settleMs;
  const missing = (reader: EventReader): ReadMessage[] => stored.filter(({ id }) => !reader.has(id));
  while (Date.now() < deadline && readers.some((reader) => missing(reader).length > 0)) await pause(50);
  for (const reader of readers) {
    for (const { content } of missing(reader)) findings.add(`${reader.name} never got message ${content}`);
    const known = new Map(stored.map(({ id, content }) => [id, content]));
    for (const { id, content } of reader.messages) {
      findings.check(known.get(id) === content, () => `${reader.name} got message ${content}, which was not committed`);
    }
    checkOrder(reader, findings);
  }
  for (const writer of writers) checkLocalEchoes({ writer, readers, stored, findings });
  const sum = (of: (reader: EventReader) => number): number => readers.reduce((total, one) => total + of(one), 0);
  return {
    messages: stored.length,
    unstored,
    events: sum(({ messages }) => messages.length),
    streams: sum(({ streams }) => streams),
    lost: sum((reader) => missing(reader).length),
    duplicated: sum(({ duplicated }) => duplicated),
    repeated: sum(({ repeated }) => repeated),
    continuedQueues: sum(({ continued }) => continued),
    localEchoes: sum(({ localEchoes }) => localEchoes.size),
    refusedQueues: sum(({ refused }) => refused),
    failedRequests: sum(({ failed }) => failed),
    unknownWrites: writers.reduce((total, { unknown }) => total + unknown.size, 0),
    resentMessages: writers.reduce((total, { resent }) => total + resent, 0),
  };
}

/**
 * Checks that the event of a message contains the `local_id` only in the event queue with which the message was sent.
 * The event must have reached this queue if the queue still exists.
 */
function checkLocalEchoes(parts: {
  readonly writer: MessageWriter;
  readonly readers: readonly EventReader[];
  readonly stored: readonly ReadMessage[];
  readonly findings: Findings;
}): void {
  const { writer, readers, stored, findings } = parts;
  for (const { id, content } of stored) {
    if (writer.committed.get(content) !== id) continue;
    const sent = writer.echoes.get(content);
    for (const reader of readers) {
      const received = reader.localEchoes.get(id);
      const isRight =
        received === undefined
          ? sent === undefined || reader.queueId !== sent.queueId
          : received.queueId === sent?.queueId && received.localId === sent.localId;
      const texts = [sent, received].map((echo) => JSON.stringify(echo));
      findings.check(isRight, () => `message ${content}: ${reader.name} got ${texts[1]}, but ${texts[0]} was sent`);
    }
  }
}

async function storedMessages(user: ChatUser): Promise<ReadMessage[]> {
  for (;;) {
    const messages = await listMessages(user, conversationNarrow);
    if (messages !== null) return messages;
    await pause(100);
  }
}

/**
 * Checks that each acknowledged message is stored once, except messages that may be lost. Also checks that each stored
 * message was sent.
 *
 * @returns the number of acknowledged messages that are not stored
 */
function checkWrites(parts: {
  readonly stored: readonly ReadMessage[];
  readonly writers: readonly MessageWriter[];
  readonly findings: Findings;
  readonly cutOff: ReadonlySet<string>;
}): number {
  const { stored, writers, findings, cutOff } = parts;
  const ids = new Map<string, number>();
  for (const { id, content } of stored) {
    findings.check(!ids.has(content), () => `message ${content} is stored twice`);
    ids.set(content, id);
    const wasSent = writers.some(({ committed, unknown }) => committed.has(content) || unknown.has(content));
    findings.check(wasSent, () => `message ${content} is stored though it was never sent`);
  }
  const missing = writers.flatMap(({ committed }) => [...committed]).filter(([content, id]) => ids.get(content) !== id);
  for (const [content, id] of missing) {
    findings.check(cutOff.has(content), () => `message ${content} got the id ${id} and is not stored`);
  }
  return missing.length;
}

/**
 * Checks that the messages of each writer arrive in the order of sending, both in events and in the message history.
 */
function checkOrder(reader: EventReader, findings: Findings): void {
  const last = new Map<string, number>();
  for (const { content } of reader.messages) {
    const [writer = '', number = ''] = content.split(' ');
    const before = last.get(writer) ?? 0;
    findings.check(Number(number) > before, () => `${reader.name} got ${content} after ${writer} ${before}`);
    last.set(writer, Number(number));
  }
}
