import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chance } from '../../../test/random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { withEarlierSchema } from '../../../test/earlier-database-schema.js';
import { send } from '../../../test/event-queue-requests.js';
import { type ModelEdit, type ModelMessage, type ModelMove, TopicModel } from '../../../test/topic-reference-model.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let movers: DemoUser[];
let channels: number[];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const other = await cluster.start();
  movers = await Promise.all([signIn(chat, 'iago'), signIn(other, 'iago')]);
  channels = await Promise.all(['rows one', 'rows two'].map(createChannel));
});
afterAll(() => cluster.stop());

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);
const mover = (n: number): DemoUser => movers[n % 2] as DemoUser;

async function createChannel(name: string): Promise<number> {
  const form = { subscriptions: JSON.stringify([{ name }]) };
  expect((await mover(0).client.post('/api/v1/users/me/subscriptions', { form })).status).toBe(200);
  return Number((await query('SELECT id FROM channels WHERE name = $1', [name])).rows[0]?.['id']);
}

interface Fetched {
  id: number;
  subject: string;
  edit_history?: (ModelEdit & { timestamp: number; prev_rendered_content?: string })[];
  last_moved_timestamp?: number;
}

async function fetchChannel(user: DemoUser, channel: number): Promise<Fetched[]> {
  const narrow = JSON.stringify([{ operator: 'channel', operand: channel }]);
  const page = { anchor: 'newest', num_before: 1000, num_after: 0, narrow };
  return (await user.client.get<{ messages: Fetched[] }>('/api/v1/messages', { query: page })).body.messages;
}

/** Returns a message without the times of the message's edits, because {@link TopicModel} cannot predict the times. */
const shownOf = ({ id, subject, edit_history: edits, last_moved_timestamp: movedAt }: Fetched) => ({
  id,
  topic: subject,
  edits: (edits ?? []).map(({ timestamp: _at, prev_rendered_content: _html, ...edit }) => edit),
  isMoved: movedAt !== undefined,
});
const expectedOf = ({ id, topic, edits, isMoved }: ModelMessage) => ({ id, topic, edits, isMoved });

describe('table `topics`', { timeout: 60_000 }, () => {
  const model = new TopicModel();
  const random = chance(22);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const names = ['alpha', 'Alpha', 'ALPHA', 'beta', 'Beta', 'gamma', 'delta'];
  const message = (): ModelMessage => pick([...model.messages.values()]);

  async function sendSome(step: number): Promise<void> {
    await Promise.all(
      [0, 1, 2].map(async (n) => {
        const [channel, topic, content] = [pick(channels), pick(names), `message ${step}.${n}`];
        const id = await send(mover(step + n), { to: String(channel), topic, content });
        model.add(id, channel, topic, content);
      }),
    );
  }

  async function patch(step: number, id: number, form: Record<string, string | number | boolean>): Promise<void> {
    const { body } = await mover(step).client.patch<{ msg: string }>(`/api/v1/messages/${id}`, { form });
    expect(body.msg).toBe('');
  }

  async function move(step: number, wanted: Omit<ModelMove, 'actor'>): Promise<void> {
    const { id, mode, topic, channel } = wanted;
    const before = model.get(id);
    const moves = (topic ?? before.topic) !== before.topic || (channel ?? before.channel) !== before.channel;
    await patch(step, id, {
      propagate_mode: mode,
      ...(topic !== undefined && { topic }),
      ...(channel !== undefined && { stream_id: channel }),
      send_notification_to_new_thread: false,
    });
    if (!moves) return;
    model.move({ ...wanted, actor: mover(0).id });
    // Marking a topic as resolved or unresolved posts a Notification Bot message.
    await addNotices(step, before.channel);
  }

  async function addNotices(step: number, channel: number): Promise<void> {
    for (const { id, subject } of await fetchChannel(mover(step), channel)) {
      if (!model.messages.has(id)) model.add(id, channel, subject, '');
    }
  }

  async function resolve(step: number): Promise<void> {
    const { id, topic } = message();
    const wanted = topic.startsWith('✔ ') ? topic.slice(2) : `✔ ${topic}`;
    await move(step, { id, mode: 'change_all', topic: wanted });
  }

  const steps: ((step: number) => Promise<void>)[] = [
    sendSome,
    (step) => move(step, { id: message().id, mode: 'change_all', topic: pick([...names, `new ${step}`]) }),
    (step) => move(step, { id: message().id, mode: pick(['change_one', 'change_later']), topic: pick(names) }),
    (step) => move(step, { id: message().id, mode: 'change_all', channel: pick(channels) }),
    (step) => move(step, { id: message().id, mode: 'change_one', channel: pick(channels), topic: pick(names) }),
    resolve,
    async (step) => {
      const { id } = pick([...model.messages.values()].filter(({ content }) => content !== ''));
      await patch(step, id, { content: `edited ${step}` });
      model.edit(id, mover(0).id, `edited ${step}`);
    },
    async (step) => {
      const { id, content, topic: before } = pick([...model.messages.values()].filter((one) => one.content !== ''));
      const [mode, topic] = [pick(['change_one', 'change_all'] as const), pick([...names, `other ${step}`])];
      if (topic === before) return;
      await patch(step, id, { content: `both ${step}`, topic, propagate_mode: mode });
      model.move({ id, actor: mover(0).id, mode, topic });
      const edited = model.get(id);
      Object.assign(edited.edits[0] ?? {}, { prev_content: content });
      edited.content = `both ${step}`;
      await addNotices(step, edited.channel);
    },
    async (step) => {
      const { id } = message();
      expect((await mover(step).client.delete(`/api/v1/messages/${id}`)).status).toBe(200);
      model.remove(id);
    },
    async (step) => {
      if (step % 4 !== 0) return;
      const { channel, topic } = message();
      const form = { topic_name: topic };
      expect((await mover(step).client.post(`/api/v1/streams/${channel}/delete_topic`, { form })).status).toBe(200);
      for (const { id } of model.inTopic(channel, topic)) model.remove(id);
    },
  ];

  async function compare(): Promise<void> {
    for (const channel of channels) {
      const shown = await fetchChannel(mover(1), channel);
      expect(shown.map(shownOf)).toEqual(model.messagesOfChannel(channel).map(expectedOf));
      const { topics } = (await mover(0).client.get<{ topics: unknown }>(`/api/v1/users/me/${channel}/topics`)).body;
      expect(topics).toEqual(model.topics(channel));
    }
  }

  it('equals a naive model after random sends, moves, renames, edits and deletions', async () => {
    for (let step = 0; step < 8; step += 1) await sendSome(step);
    for (let step = 0; step < 90; step += 1) {
      if (model.messages.size < 10) await sendSome(step);
      await pick(steps)(step);
      if (step % 15 === 14) await compare();
    }
    const { rows } = await query('SELECT last_value AS renamings FROM topic_renamings_id_seq');
    expect(rows[0]?.['renamings']).toBeGreaterThan(5);
    const isEmpty = 'NOT EXISTS (SELECT FROM messages WHERE topic_id = t.id)';
    expect((await query(`SELECT topic FROM topics t WHERE ${isEmpty}`)).rows).toEqual([]);
  });

  it('has a row for the topic of each channel message, and none for direct messages', async () => {
    const people = JSON.stringify([mover(0).id]);
    await mover(0).client.post('/api/v1/messages', { form: { type: 'direct', to: people, content: 'alone' } });
    await send(mover(0), { to: String(channels[0]), topic: '' });
    const { rows } = await query(
      `SELECT count(*) FILTER (WHERE r.channel_id IS NOT NULL AND t.id IS NULL) AS lost,
         count(*) FILTER (WHERE r.channel_id IS NULL AND m.topic_id IS NOT NULL) AS direct,
         count(*) FILTER (WHERE t.topic_key = '') > 0 AS empty
       FROM messages m JOIN recipients r ON r.id = m.recipient_id
       LEFT JOIN topics t ON t.id = m.topic_id AND t.recipient_id = m.recipient_id`,
    );
    expect(rows).toEqual([{ lost: 0, direct: 0, empty: true }]);
  });
});

describe('migrations of topics', { timeout: 60_000 }, () => {
  it('assign an id to each topic and a topic to each message', async () => {
    await withEarlierSchema('messages_without_search', async ({ client, migrate }) => {
      // Some topics have an entry in the search index; the empty topic has none.
      await client.query('INSERT INTO recipients (id, realm_id, channel_id) VALUES (1, 1, 1)');
      await client.query(
        "INSERT INTO recipients (id, realm_id, participants_key, participant_ids) VALUES (2, 1, 'own', '{1}')",
      );
      await client.query(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, client_id, topic, topic_key, content,
           rendered_content, rendered_version)
         SELECT n, 1, 1, CASE WHEN n % 5 = 4 THEN 2 ELSE 1 END, 1, topic, lower(topic), 'x', 'x', 1
         FROM generate_series(1, 5000) n, LATERAL (SELECT (ARRAY['Lunch', 'lunch', 'tea', '', ''])[n % 5 + 1] AS topic) t`,
      );
      await client.query("INSERT INTO topics (recipient_id, topic_key, topic) VALUES (1, 'lunch', 'Lunch')");
      await client.query('INSERT INTO message_texts (message_id, content) SELECT id, content FROM messages');
      await migrate();
      const { rows } = await client.query(
        `SELECT m.recipient_id, t.topic_key, m.topic, count(*)::int FROM messages m LEFT JOIN topics t ON t.id = m.topic_id
         GROUP BY 1, 2, 3 ORDER BY m.recipient_id, t.topic_key, m.topic COLLATE "C"`,
      );
      expect(rows).toEqual([
        { recipient_id: 1, topic_key: '', topic: '', count: 1000 },
        { recipient_id: 1, topic_key: 'lunch', topic: 'Lunch', count: 1000 },
        { recipient_id: 1, topic_key: 'lunch', topic: 'lunch', count: 1000 },
        { recipient_id: 1, topic_key: 'tea', topic: 'tea', count: 1000 },
        { recipient_id: 2, topic_key: null, topic: '', count: 1000 },
      ]);
    });
  });
});
