import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '@switchboard/database';
import { isLongTestRun } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TopicListCache } from './topic-list-cache.js';
import { wholeNumbers } from '../../../test/random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let users: DemoUser[];

beforeAll(async () => {
  cluster = await chatCluster();
  const processes = [await cluster.start(), await cluster.start()];
  [chat, other] = processes as [ChatProcess, ChatProcess];
  users = await Promise.all(processes.map((process) => signIn(process, 'iago')));
});
afterAll(() => cluster.stop());

const query = <R>(sql: string, values?: unknown[]) => chat.runtime.database.query<R>(sql, values);

async function createChannel(name: string): Promise<number> {
  const form = { subscriptions: JSON.stringify([{ name }]) };
  await users[0]!.client.post('/api/v1/users/me/subscriptions', { form });
  const { rows } = await query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
  return rows[0]!.id;
}

const send = (user: DemoUser, to: number, topic: string) =>
  user.client.post<{ id: number }>('/api/v1/messages', { form: { type: 'channel', to, topic, content: 'x' } });

const freshSql = `
  SELECT DISTINCT ON (m.topic_id) m.topic_id AS id, m.id AS "maxId",
    coalesce(CASE WHEN m.topic_since = t.last_renaming_id THEN m.topic END, t.topic) AS name
  FROM messages m JOIN topics t ON t.id = m.topic_id JOIN recipients r ON r.id = m.recipient_id
  WHERE r.channel_id = $1 ORDER BY m.topic_id, m.id DESC`;

const inSnapshot = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  chat.runtime.database.inTransaction(run, { isolation: 'repeatable read' });

/** Checks that the cached topics of a channel equal the topics that a query returns in the same database snapshot. */
const compare = (lists: TopicListCache, channelId: number): Promise<void> =>
  inSnapshot((tx) => compareIn(tx, lists, channelId));

async function compareIn(tx: Tx, lists: TopicListCache, channelId: number): Promise<void> {
  const list = await lists.listChannelTopics(tx, channelId);
  const { rows: fresh } = await tx.query<{ id: number; maxId: number; name: string }>(freshSql, [channelId]);
  const listed = list.topics.map(({ id, maxId, name }) => ({ id, maxId, name }));
  expect(listed).toEqual(fresh.toSorted((a, b) => b.maxId - a.maxId));
}

/** Locks a channel like the code that sends messages, inserts a message, and commits when `wait` resolves. */
async function sendSlowly(channelId: number, topic: string, wait: () => Promise<unknown>): Promise<void> {
  await chat.runtime.database.inTransaction(async (tx) => {
    const { rows } = await tx.query<{ id: number }>('SELECT id FROM recipients WHERE channel_id = $1 FOR SHARE', [
      channelId,
    ]);
    await tx.query(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id, topic_since)
       SELECT r.realm_id, $2, r.id, (SELECT min(id) FROM clients), t.topic_id, t.topic_since
       FROM recipients r, topic_of(r.id, $3, $3) t WHERE r.id = $1`,
      [rows[0]!.id, users[0]!.id, topic],
    );
    await wait();
  });
}

/** Inserts topics by SQL, with an equal number of messages in each topic. */
async function addTopics(channelId: number, count: number, messagesPerTopic: number): Promise<void> {
  await query(
    `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
     SELECT r.realm_id, $2, r.id, (SELECT min(id) FROM clients), t.topic_id
     FROM recipients r, generate_series(1, $3) n, topic_of(r.id, 'topic ' || n, 'topic ' || n) t, generate_series(1, $4)
     WHERE r.channel_id = $1`,
    [channelId, users[0]!.id, count, messagesPerTopic],
  );
  await query('ANALYZE recipients, topics, messages');
}

/** Number of random changes that each client makes. */
const changesPerUser = isLongTestRun() ? 30 : 12;

function deferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Returns functions that randomly change the topics of two channels. */
function randomChanges(user: DemoUser, channels: readonly number[], random: (bound: number) => number) {
  const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
  const name = () => pick(['lunch', 'LUNCH', 'Dinner', 'tea', 'soup', '']);
  const message = async (): Promise<number> => {
    const { rows } = await query<{ id: number }>(
      `SELECT m.id FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id = ANY($1)
       ORDER BY m.id DESC LIMIT 12`,
      [channels],
    );
    return pick(rows)?.id ?? 0;
  };
  const edit = async (form: Record<string, string | number>) =>
    user.client.patch(`/api/v1/messages/${await message()}`, { form });
  const mode = () => pick(['change_one', 'change_later', 'change_all']);
  return [
    () => send(user, pick(channels), name()),
    () => send(user, pick(channels), name()),
    () => sendSlowly(pick(channels), 'tea', () => sleep(random(60))),
    async () => user.client.request('DELETE', `/api/v1/messages/${await message()}`),
    () => edit({ topic: name(), propagate_mode: mode() }),
    () => edit({ stream_id: pick(channels), propagate_mode: mode() }),
    () => edit({ content: 'edited' }),
    () => user.client.post(`/api/v1/streams/${pick(channels)}/delete_topic`, { form: { topic_name: name() } }),
  ];
}

describe('TopicListCache.listChannelTopics', { timeout: 60_000 }, () => {
  it('returns the same topics as an SQL query in the same database snapshot, during random changes in two processes', async () => {
    const channels = [await createChannel('random one'), await createChannel('random two')];
    for (const id of channels) for (const topic of ['lunch', 'tea', 'soup']) await send(users[0]!, id, topic);
    const lists = [new TopicListCache({ smallestKept: 1 }), new TopicListCache({ smallestKept: 1 })];
    const work = { isDone: false };
    const changing = Promise.all(
      [...users, ...users].map(async (user, at) => {
        const random = wholeNumbers(22 + at);
        const changes = randomChanges(user, channels, random);
        for (let count = 0; count < changesPerUser; count += 1) await changes[random(changes.length)]!();
      }),
    ).finally(() => (work.isDone = true));
    const reading = lists.map(async (cache) => {
      while (!work.isDone) for (const id of channels) await compare(cache, id);
      for (const id of channels) await compare(cache, id);
    });
    await Promise.all([changing, ...reading]);
    for (const { metrics } of lists) expect(metrics.hits).toBeGreaterThan(metrics.misses);
  });

  it('includes a message that is committed after messages with larger ids', async () => {
    const id = await createChannel('slow sender');
    const lists = new TopicListCache({ smallestKept: 1 });
    for (const topic of ['fast', 'slow']) await send(users[0]!, id, topic);
    await expect.poll(async () => (await compare(lists, id), lists.metrics.hits)).toBeGreaterThan(0);
    const missesBefore = lists.metrics.misses;
    const [inserted, compared] = [deferred(), deferred()];
    const sending = sendSlowly(id, 'slow', () => {
      inserted.resolve();
      return compared.promise;
    });
    await inserted.promise;
    for (let count = 0; count < 5; count += 1) {
      await send(users[0]!, id, 'fast');
      await compare(lists, id);
    }
    compared.resolve();
    await sending;
    await compare(lists, id);
    expect(lists.metrics.misses - missesBefore).toBeLessThanOrEqual(lists.metrics.hits);
  });

  it('reads only version numbers while nothing changes, and only the changed topic after a deletion', async () => {
    const id = await createChannel('many topics');
    await addTopics(id, 600, 3);
    const lists = new TopicListCache();
    const { body } = await send(users[0]!, id, 'topic 7');
    await expect.poll(async () => (await compare(lists, id), lists.metrics.hits)).toBeGreaterThan(2);
    const read = async () =>
      inSnapshot(async (tx) => {
        const recording = new RecordingTx(tx);
        await lists.listChannelTopics(recording, id);
        const costs = [];
        for (const statement of recording.statements) costs.push(await measurePlanCost(tx, statement));
        return costs.map(({ touched }) => touched.get('messages') ?? 0);
      });
    expect(await read()).toEqual([0]);
    await users[0]!.client.request('DELETE', `/api/v1/messages/${body.id}`);
    expect(await read()).toEqual([0, 1]);
    await compare(lists, id);
  });

  it('ignores a cached list that is newer than the database snapshot of the transaction', async () => {
    const id = await createChannel('two snapshots');
    const lists = new TopicListCache({ smallestKept: 1 });
    for (const topic of ['one', 'two']) await send(users[0]!, id, topic);
    await expect.poll(async () => (await compare(lists, id), lists.metrics.hits)).toBeGreaterThan(0);
    await other.runtime.database.inTransaction(
      async (tx) => {
        await tx.query('SELECT 1');
        for (const topic of ['one', 'three']) await send(users[0]!, id, topic);
        await compare(lists, id);
        await compareIn(tx, lists, id);
      },
      { isolation: 'repeatable read' },
    );
    const { hits } = lists.metrics;
    await compare(lists, id);
    expect(lists.metrics.hits).toBe(hits + 1);
  });

  it('reads and caches many topics in several portions', async () => {
    const id = await createChannel('several parts');
    await addTopics(id, 11_000, 1);
    const list = await inSnapshot(async (tx) => {
      const recording = new RecordingTx(tx);
      const read = await new TopicListCache().listChannelTopics(recording, id);
      expect(recording.statements.map(({ returned }) => returned)).toContain(3);
      return read;
    });
    const { chunks } = await list.toJson('');
    const texts = Array.from(chunks, String);
    expect(texts).toHaveLength(7);
    const listed = list.topics.map(({ name, maxId }) => ({ name, max_id: maxId }));
    expect(JSON.parse(texts.join(''))).toEqual(listed);
    expect(listed.map(({ name }) => name)).toEqual(Array.from({ length: 11_000 }, (_, n) => `topic ${11_000 - n}`));
  });

  it('does not cache lists of few topics', async () => {
    const id = await createChannel('few topics');
    const lists = new TopicListCache();
    await send(users[0]!, id, 'only');
    for (let count = 0; count < 3; count += 1) await compare(lists, id);
    expect(lists.metrics).toEqual({ byteLength: 0, hits: 0, misses: 3 });
  });
});
