import type { Tx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isChannelReadableSql } from '../access/channel-access.js';
import { ActiveSubscriberCache } from '../channels/index.js';
import { MessageReaders } from './index.js';
import { wholeNumbers } from '../../../test/random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let processes: [ChatProcess, ChatProcess];
let owners: DemoUser[];
let userIds: number[];
let channels: { id: number; name: string }[];

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(), await cluster.start()];
  owners = await Promise.all(processes.map((process) => signIn(process, 'desdemona')));
  const { rows } = await query<{ id: number }>('SELECT id FROM users WHERE bot_type IS NULL AND id <> $1 ORDER BY id', [
    owners[0]!.id,
  ]);
  userIds = rows.map(({ id }) => id);
  channels = (
    await query<{ id: number; name: string }>(
      'SELECT id, name FROM channels WHERE NOT is_web_public ORDER BY id LIMIT 3',
    )
  ).rows;
  for (const { name } of channels) await send(name);
});
afterAll(() => cluster.stop());

const query = <R>(sql: string, values?: unknown[]) => processes[0].runtime.database.query<R>(sql, values);

const send = (to: string) =>
  owners[0]!.client.post('/api/v1/messages', { form: { type: 'stream', to, topic: 'readers', content: 'hello' } });

/** Makes a random change that affects which users can read a channel, such as a subscription or a setting. */
async function change(owner: DemoUser, random: (bound: number) => number): Promise<void> {
  const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
  const { id, name } = pick(channels);
  const user = pick(userIds);
  const principals = JSON.stringify([user, pick(userIds)]);
  const { client } = owner;
  const kinds = [
    () =>
      client.post('/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([{ name }]), principals },
      }),
    () =>
      client.request('DELETE', '/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([name]), principals },
      }),
    () => client.patch(`/api/v1/users/${user}`, { form: { role: pick(['200', '400', '600']) } }),
    () => client.request('DELETE', `/api/v1/users/${user}`),
    () => client.post(`/api/v1/users/${user}/reactivate`),
    () =>
      client.patch(`/api/v1/streams/${id}`, {
        form: { is_private: pick(['true', 'false']), history_public_to_subscribers: pick(['true', 'false']) },
      }),
    () => send(name),
  ];
  await pick(kinds)();
}

const channelReadableCondition = isChannelReadableSql({ actor: 'u.id', isGuest: '(u.role = 600)' });

/**
 * SQL of the expected readers of a message. Selects the users who can read the message and either received it or, with
 * shared history, subscribe to its channel.
 */
const freshSql = `
  SELECT u.id, coalesce(um.flags, 129) AS flags FROM users u JOIN channels c ON c.id = $2
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = u.id AND s.is_active
  LEFT JOIN user_messages um ON um.message_id = $1 AND um.user_id = u.id AND um.flags >= 0
  WHERE u.is_active AND ${channelReadableCondition}
    AND (um.user_id IS NOT NULL OR (s.user_id IS NOT NULL AND (NOT c.is_private OR c.history_public_to_subscribers)))
  ORDER BY u.id`;

interface ReadMessage {
  id: number;
  channel: { id: number; is_private: boolean; history_public_to_subscribers: boolean };
}

const messagesSql = `SELECT m.id, json_build_object('id', c.id, 'is_private', c.is_private,
    'history_public_to_subscribers', c.history_public_to_subscribers) AS channel
  FROM messages m JOIN topics t ON t.id = m.topic_id JOIN recipients r ON r.id = m.recipient_id
  JOIN channels c ON c.id = r.channel_id
  WHERE c.id = ANY($1) AND t.topic_key = 'readers' ORDER BY m.id DESC LIMIT 6`;

/**
 * Checks that the cache returns the same readers of messages as an SQL query in the same database snapshot.
 */
async function compare(tx: Tx, readers: MessageReaders): Promise<void> {
  const { rows: messages } = await tx.query<ReadMessage>(messagesSql, [channels.map(({ id }) => id)]);
  for (const { id, channel } of messages) {
    const { rows: fresh } = await tx.query<{ id: number; flags: number }>(freshSql, [id, channel.id]);
    const listed = await readers.list(tx, id, channel);
    expect([...listed.ids]).toEqual(fresh.map((row) => row.id));
    const { users, byFlags } = await readers.listByFlags(tx, { messageIds: [id], flagsOf: id, channel });
    expect([...users.ids]).toEqual(fresh.map((row) => row.id));
    const flagsOf = byFlags.flatMap(([flags, ids]) => ids.map((user) => ({ id: user, flags })));
    expect(flagsOf.toSorted((a, b) => a.id - b.id)).toEqual(fresh);
  }
}

describe('MessageReaders.list', () => {
  it('returns the same users as an SQL query in the same database snapshot, during random changes in two processes', async () => {
    const memories = processes.map(() => new ActiveSubscriberCache({ smallestKept: 0 }));
    const work = { isDone: false };
    const changing = Promise.all(
      owners.map(async (owner, at) => {
        const random = wholeNumbers(22 + at);
        for (let count = 0; count < 25; count += 1) await change(owner, random);
      }),
    ).finally(() => (work.isDone = true));
    const reading = processes.map(async ({ runtime }, at) => {
      const readers = new MessageReaders(memories[at]!);
      while (!work.isDone) {
        await runtime.database.inTransaction((tx) => compare(tx, readers), { isolation: 'repeatable read' });
      }
      await runtime.database.inTransaction((tx) => compare(tx, readers), { isolation: 'repeatable read' });
    });
    await Promise.all([changing, ...reading]);
    for (const { metrics } of memories) {
      expect(metrics.hits).toBeGreaterThan(0);
      expect(metrics.misses).toBeGreaterThan(0);
    }
  });
});

describe('MessageReaders.hasTooManyRecipients', () => {
  it('returns true if reading all recipient rows of the messages would be too expensive', async () => {
    const readers = new MessageReaders(new ActiveSubscriberCache());
    const id = channels[0]?.id ?? 0;
    const shared = { id, is_private: false, history_public_to_subscribers: false };
    await processes[0].runtime.database.inTransaction(async (tx) => {
      const {
        rows: [message],
      } = await tx.query<ReadMessage>(messagesSql, [[id]]);
      const areMany = (channel: typeof shared, count: number) =>
        readers.hasTooManyRecipients(tx, channel, count, message?.id ?? 0);
      expect(await areMany(shared, 200_000)).toBe(true);
      expect(await areMany(shared, 2)).toBe(false);
      expect(await areMany({ ...shared, is_private: true }, 200_000)).toBe(false);
    });
  });
});

describe('ActiveSubscriberCache.list', () => {
  const list = async (memory: ActiveSubscriberCache, channelId: number) =>
    (await processes[0].runtime.database.inTransaction((tx) => memory.list(tx, channelId))).ids;

  it('does not cache subscribers read by a transaction that has changed subscriptions', async () => {
    const { database } = processes[0].runtime;
    const { id } = channels[0]!;
    const memory = new ActiveSubscriberCache({ smallestKept: 0 });
    const before = await list(memory, id);
    const rolledBack = database.inTransaction(async (tx) => {
      await tx.query('UPDATE subscriptions SET is_active = NOT is_active WHERE channel_id = $1', [id]);
      expect((await memory.list(tx, id)).ids).not.toEqual(before);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await list(memory, id)).toEqual(before);
  });

  it('evicts the least recently used channel when the memory is full', async () => {
    const [first = 0, second = 0] = channels.map(({ id }) => id);
    await query('UPDATE subscriptions SET is_active = true WHERE channel_id = ANY($1)', [[first, second]]);
    const sizes = new ActiveSubscriberCache({ smallestKept: 0 });
    for (const id of [first, second]) expect((await list(sizes, id)).length).toBeGreaterThan(0);
    // The limit is one byte too small for both channels together.
    const limitBytes = sizes.metrics.byteLength - 1;
    const memory = new ActiveSubscriberCache({ smallestKept: 0, limitBytes });
    await list(memory, first);
    await list(memory, first);
    expect(memory.metrics.hits).toBe(1);
    await list(memory, second);
    await list(memory, first);
    expect(memory.metrics.hits).toBe(1);
    expect(memory.metrics.byteLength).toBeLessThanOrEqual(limitBytes);
  });

  it('does not cache channels with few subscribers', async () => {
    const memory = new ActiveSubscriberCache();
    await list(memory, channels[0]!.id);
    await list(memory, channels[0]!.id);
    expect(memory.metrics).toEqual({ byteLength: 0, hits: 0, misses: 2 });
  });
});
