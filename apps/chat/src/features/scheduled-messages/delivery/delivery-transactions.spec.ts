import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import { ClientProgramIdCache, SendMessage } from '../../../core/messages/index.js';
import { ChatEventWriter } from '../../../events/chat-events.js';
import { DeliverScheduledMessages } from './deliver-scheduled-messages.js';
import { ScheduledMessageWorker } from './scheduled-message-worker.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let verona: number;

beforeAll(async () => {
  cluster = await chatCluster();
  // A process without workers: the tests themselves run the delivery.
  chat = await cluster.start({ ROLE: 'api' });
  hamlet = await signIn(chat, 'hamlet');
  const [channel] = await query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
  verona = channel?.id ?? 0;
  await hamlet.client.post('/api/v1/messages', { form: { type: 'channel', to: 'Verona', topic: 'a', content: 'old' } });
});
afterAll(() => cluster.stop());
beforeEach(async () => void (await query('DELETE FROM scheduled_messages')));

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

/** Schedules messages of the user Hamlet to the channel Verona, and makes the messages due. */
async function scheduleDue(messages: readonly { readonly topic: string; readonly content: string }[]): Promise<void> {
  for (const message of messages) {
    const form = { type: 'channel', to: String(verona), ...message, scheduled_delivery_timestamp: '4000000000' };
    const { body } = await hamlet.client.post<{ msg: string }>('/api/v1/scheduled_messages', { form });
    expect(body.msg).toBe('');
  }
  const ago = "now() - interval '1 second'";
  await query(`UPDATE scheduled_messages SET deliver_at = ${ago}, attempt_at = ${ago}`);
}

/**
 * Returns an object that sends scheduled messages, with an added delay of at least `messageMs` milliseconds per
 * message.
 */
function delivery(messageMs: number, begin: () => void = () => undefined): DeliverScheduledMessages {
  const { config, database, eventLog, outbox, renderer, realmContents, attention, clock, logger } = chat.runtime;
  const events = new ChatEventWriter(eventLog, config);
  const clients = new ClientProgramIdCache(database, config);
  const sender = new SendMessage(database, renderer, events, clients, realmContents, attention, outbox);
  const sendMessage: Pick<
    SendMessage,
    | 'parseMessageBeforeTransaction'
    | 'checkMessageAndLockRecipients'
    | 'insertMessageRows'
    | 'setFlagsAndEmitEvents'
    | 'hasUploadOrTopicEffects'
    | 'linkUploadsAndSetPolicies'
  > = {
    parseMessageBeforeTransaction: (...args) => sender.parseMessageBeforeTransaction(...args),
    checkMessageAndLockRecipients: (...args) => sender.checkMessageAndLockRecipients(...args),
    async insertMessageRows(...args) {
      begin();
      await delay(messageMs);
      return sender.insertMessageRows(...args);
    },
    setFlagsAndEmitEvents: (...args) => sender.setFlagsAndEmitEvents(...args),
    hasUploadOrTopicEffects: (...args) => sender.hasUploadOrTopicEffects(...args),
    linkUploadsAndSetPolicies: (...args) => sender.linkUploadsAndSetPolicies(...args),
  };
  const parts = { database, events, outbox, renderer, clock, logger, clients, contents: realmContents, sendMessage };
  return new DeliverScheduledMessages(parts);
}

const five = (content: string) => [1, 2, 3, 4, 5].map((n) => ({ topic: 'a', content: `${content} ${n}` }));

/**
 * Returns the contents of the messages that start with a given text, grouped by the transaction that sent the messages.
 */
async function sentByTransaction(start: string): Promise<string[][]> {
  const rows = await query<{ contents: string[] }>(
    `SELECT array_agg(x.content ORDER BY m.id) AS contents FROM messages m JOIN message_texts x ON x.message_id = m.id
     WHERE x.content LIKE $1 || '%' GROUP BY m.xmin::text ORDER BY min(m.id)`,
    [start],
  );
  return rows.map(({ contents }) => contents);
}

const contentsOf = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);

describe('DeliverScheduledMessages.run', () => {
  it('sends no further message in a transaction that has lasted 100 ms', async () => {
    await scheduleDue(five('slow'));
    expect(await delivery(60).run()).toBe(5);
    const transactions = await sentByTransaction('slow');
    expect(transactions.flat()).toEqual(contentsOf(five('slow')));
    for (const contents of transactions) expect(contents.length).toBeLessThanOrEqual(2);
  });

  it('starts no further transaction when the worker is stopping, and leaves the other messages unsent', async () => {
    await scheduleDue(five('stopped'));
    let asked = 0;
    const settled = await delivery(60).run(() => (asked += 1) > 1);
    expect(await sentByTransaction('stopped')).toHaveLength(1);
    expect(await query('SELECT FROM scheduled_messages')).toHaveLength(5 - settled);
    expect(await delivery(0).run()).toBe(5 - settled);
    expect((await sentByTransaction('stopped')).flat()).toEqual(contentsOf(five('stopped')));
  });

  it('makes the author follow only the new topics of sent messages', async () => {
    const messages = ['a', 'b', 'c', 'd'].map((topic) => ({ topic, content: `policy in ${topic}` }));
    await scheduleDue(messages);
    expect(await delivery(0).run()).toBe(4);
    expect((await sentByTransaction('policy')).flat()).toEqual(contentsOf(messages));
    const followed = await query<{ topic: string }>(
      `SELECT topic FROM user_topics WHERE user_id = $1 AND channel_id = $2 AND visibility_policy = 3
         AND topic IN ('b', 'c', 'd') ORDER BY topic`,
      [hamlet.id, verona],
    );
    expect(followed.map(({ topic }) => topic)).toEqual(['b', 'c', 'd']);
  });

  it('sends messages of one topic in the order of their scheduled times, and emits events in the same order', async () => {
    const messages = Array.from({ length: 20 }, (_, n) => ({ topic: 'a', content: `ordered ${100 + n}` }));
    await scheduleDue(messages);
    await query("UPDATE scheduled_messages SET deliver_at = deliver_at + id * interval '1 millisecond'");
    const { body } = await hamlet.client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'false' },
    });
    expect(await delivery(0).run()).toBe(20);
    expect((await sentByTransaction('ordered')).flat()).toEqual(contentsOf(messages));
    await chat.runtime.eventLog.sweep();
    const polled = await hamlet.client.get<{ events: { message: { id: number; content: string } }[] }>(
      '/api/v1/events',
      { query: { queue_id: body.queue_id, last_event_id: -1, dont_block: true } },
    );
    expect(polled.body.events.map(({ message }) => message.content)).toEqual(contentsOf(messages));
  });
});

describe('ScheduledMessageWorker.stop', () => {
  it('waits for the running transaction, and sends no further messages', async () => {
    await scheduleDue(five('worker'));
    const { clock, database, logger } = chat.runtime;
    let begun = 0;
    const worker = new ScheduledMessageWorker({
      delivery: delivery(60, () => (begun += 1)),
      database,
      clock,
      logger,
      pollMs: 1_000,
    });
    worker.start();
    await waitFor(() => begun > 0);
    await worker.stop();
    const sent = (await sentByTransaction('worker')).flat();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(5);
    expect(await query('SELECT FROM scheduled_messages')).toHaveLength(5 - sent.length);
    const [left] = [begun];
    await delay(150);
    expect(begun).toBe(left);
  });
});
