import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { ReadTopics } from './read-topics.query.js';
import { TopicListCache } from './topic-list-cache.js';
import { listTopicsWithReceivedMessages, readTopics } from './topics.repository.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

async function create(user: DemoUser, name: string, form: Record<string, string> = {}): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/channels/create', {
    form: { name, subscribers: `[${user.id}]`, ...form },
  });
  return body.id;
}

async function send(user: DemoUser, channelId: number, topic: string): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', {
    form: { type: 'channel', to: String(channelId), topic, content: 'x' },
  });
  return body.id;
}

async function topics(user: DemoUser, channelId: number, query: Record<string, boolean> = {}) {
  const { body } = await user.client.get<{ topics: { name: string; max_id: number }[]; msg: string }>(
    `/api/v1/users/me/${channelId}/topics`,
    { query },
  );
  return body;
}

async function idOf(stream: string): Promise<number> {
  return (await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream } })).body.stream_id;
}

describe('GET /users/me/{stream_id}/topics', () => {
  it('lists topics newest first, each once in any letter case and under its latest name', async () => {
    const id = await create(iago, 'topical');
    await send(iago, id, 'Lunch');
    const dinner = await send(iago, id, 'dinner');
    const lunch = await send(iago, id, 'LUNCH');
    const empty = await send(iago, id, '');
    expect((await topics(hamlet, id)).topics).toEqual([
      { name: 'general chat', max_id: empty },
      { name: 'LUNCH', max_id: lunch },
      { name: 'dinner', max_id: dinner },
    ]);
    expect((await topics(hamlet, id, { allow_empty_topic_name: true })).topics[0]).toEqual({ name: '', max_id: empty });
    expect((await topics(hamlet, await create(iago, 'without topics'))).topics).toEqual([]);
  });

  it('lists only topics with received messages in a channel with protected history', async () => {
    const form = { invite_only: 'true', history_public_to_subscribers: 'false' };
    const id = await create(iago, 'protected', form);
    await send(iago, id, 'before');
    await iago.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name": "protected"}]', principals: `[${hamlet.id}]` },
    });
    const after = await send(iago, id, 'after');
    expect((await topics(hamlet, id)).topics).toEqual([{ name: 'after', max_id: after }]);
    expect((await topics(iago, id)).topics.map(({ name }) => name)).toEqual(['after', 'before']);
  });

  it('responds for a hidden channel as for a nonexistent channel', async () => {
    expect((await topics(cordelia, await idOf('core team'))).msg).toBe('Invalid channel ID');
    expect((await topics(cordelia, 987_654_321_000)).msg).toBe('Invalid channel ID');
  });

  it('reads one index entry to find the newest message of each topic', async () => {
    const { database } = chat.runtime;
    const id = await create(iago, 'long');
    await database.query(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
       SELECT r.realm_id, $2, r.id, (SELECT min(id) FROM clients), t.topic_id
       FROM recipients r, generate_series(0, 4) topic, topic_of(r.id, 'topic ' || topic, 'topic ' || topic) t,
         generate_series(1, 10000) n WHERE r.channel_id = $1 ORDER BY n`,
      [id, iago.id],
    );
    await database.query('ANALYZE recipients, topics, messages');
    expect((await topics(iago, id)).topics).toHaveLength(5);
    await database.inTransaction(async (tx) => {
      const recording = new RecordingTx(tx);
      await readTopics(recording, id);
      const { touched, fetched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('messages')).toBeLessThanOrEqual(5);
      expect(fetched.get('messages') ?? 0).toBe(0);
    });
  });

  it('reads few received messages in a channel with protected history', async () => {
    const { database } = chat.runtime;
    const id = await create(hamlet, 'long and protected', {
      invite_only: 'true',
      history_public_to_subscribers: 'false',
    });
    await database.query(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
       SELECT r.realm_id, $2, r.id, (SELECT min(id) FROM clients), t.topic_id
       FROM generate_series(1, 5000), recipients r, generate_series(0, 5) topic,
         topic_of(r.id, 'topic ' || topic, 'topic ' || topic) t WHERE r.channel_id = $1`,
      [id, iago.id],
    );
    const receive = (condition: string) =>
      database.query(
        `INSERT INTO user_messages (user_id, message_id)
         SELECT $2, n.id FROM (SELECT m.id, t.topic, row_number() OVER (PARTITION BY t.id ORDER BY m.id DESC) AS place
           FROM recipients r JOIN messages m ON m.recipient_id = r.id JOIN topics t ON t.id = m.topic_id
           WHERE r.channel_id = $1) n WHERE ${condition}`,
        [id, hamlet.id],
      );
    // All messages of three topics, and all but the newest ones of the fourth.
    await receive("topic < 'topic 3' OR (topic = 'topic 3' AND place > 50)");
    await database.query('ANALYZE recipients, topics, messages, user_messages');
    const { rows } = await database.query<{ name: string; max_id: number }>(
      `SELECT t.topic AS name, max(m.id) AS max_id FROM recipients r JOIN messages m ON m.recipient_id = r.id
       JOIN topics t ON t.id = m.topic_id JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
       WHERE r.channel_id = $1 GROUP BY t.id ORDER BY max_id DESC`,
      [id, hamlet.id],
    );
    expect(rows).toHaveLength(4);
    expect((await topics(hamlet, id)).topics).toEqual(rows);
    await database.inTransaction(async (tx) => {
      const recording = new RecordingTx(tx);
      await listTopicsWithReceivedMessages(recording, id, hamlet.id);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('messages')).toBeLessThan(1000);
      expect(touched.get('user_messages')).toBeLessThan(1000);
    });
    await database.inTransaction(async (tx) => {
      // With few topics PostgreSQL expects the newest messages to include some of each topic.
      await tx.query('ALTER TABLE messages ALTER topic_id SET (n_distinct = 2)');
      await tx.query('ANALYZE messages');
      const recording = new RecordingTx(tx);
      await listTopicsWithReceivedMessages(recording, id, cordelia.id);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('messages')).toBeLessThanOrEqual(6 * 201);
      await tx.query('ALTER TABLE messages ALTER topic_id RESET (n_distinct)');
    });
    // A topic of which Hamlet has received only old messages.
    await receive("topic = 'topic 4' AND place > 4000");
    expect((await topics(hamlet, id)).topics.map(({ name }) => name).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((n) => `topic ${n}`),
    );
  });
});

describe('ReadTopics.listChannelTopics', () => {
  it('checks the access to the channel in the same database snapshot that supplies the topics', async () => {
    const { database } = chat.runtime;
    const id = await create(hamlet, 'revoked', { invite_only: 'true', history_public_to_subscribers: 'true' });
    await send(hamlet, id, 'before');
    const actor = {
      id: hamlet.id,
      realmId: 1,
      realm: '1',
      kind: 'user',
      role: userRoleNumbers.member,
      deliveryEmail: '',
      fakeEmailDomain: '',
    } as const;
    const inTransaction: typeof database.inTransaction = async (run, options) => {
      await database.query('UPDATE subscriptions SET is_active = false WHERE channel_id = $1', [id]);
      return database.inTransaction(run, options);
    };
    const revoking: typeof database = Object.create(database, { inTransaction: { value: inTransaction } });
    const listing = new ReadTopics(revoking, new TopicListCache()).listChannelTopics(actor, id, false);
    await expect(listing).rejects.toThrow('Invalid channel ID');
  });
});

describe('POST /user_topics', () => {
  const set = (user: DemoUser, form: Record<string, string>) => user.client.post<Json>('/api/v1/user_topics', { form });

  it('emits a changed visibility policy once, only to clients of the user', async () => {
    const stream_id = await idOf('Verona');
    const [own, other] = [
      await openTestEventQueue(chat, hamlet, ['user_topic']),
      await openTestEventQueue(chat, iago, ['user_topic']),
    ];
    const form = { stream_id: String(stream_id), topic: ' Never Written ' };
    for (const policy of ['3', '3', '1', '0', '0']) {
      expect((await set(hamlet, { ...form, visibility_policy: policy })).status).toBe(200);
    }
    const event = { type: 'user_topic', stream_id, topic_name: 'Never Written', last_updated: expect.any(Number) };
    expect(await own.read()).toEqual([
      { ...event, visibility_policy: 3 },
      { ...event, visibility_policy: 1 },
      { ...event, visibility_policy: 0 },
    ]);
    expect(await other.read()).toEqual([]);
  });

  it('stores the policy of a topic, and snapshots return the policy in user_topics', async () => {
    const stream_id = await idOf('Verona');
    await set(hamlet, { stream_id: String(stream_id), topic: 'general chat', visibility_policy: '2' });
    const { body } = await hamlet.client.post<{ user_topics: Json[] }>('/api/v1/register', {
      form: { fetch_event_types: '["user_topic"]', client_capabilities: '{"empty_topic_name": true}' },
    });
    expect(body.user_topics).toContainEqual({
      stream_id,
      topic_name: '',
      visibility_policy: 2,
      last_updated: expect.any(Number),
    });
  });

  it('accepts a topic of any channel that the user can see', async () => {
    const form = { topic: 'x', visibility_policy: '1' };
    expect((await set(cordelia, { ...form, stream_id: String(await idOf('Denmark')) })).status).toBe(200);
    expect((await set(cordelia, { ...form, stream_id: String(await idOf('core team')) })).body).toMatchObject({
      msg: 'Invalid channel ID',
    });
    expect((await set(cordelia, { ...form, stream_id: '987654321000' })).status).toBe(400);
  });

  it.each([
    ['a policy that there is none of', { topic: 'x', visibility_policy: '4' }, 'Invalid visibility_policy'],
    ['a long topic', { topic: 'x'.repeat(61), visibility_policy: '1' }, 'topic is too long (limit: 60 characters)'],
    ['a null byte', { topic: 'a\u0000b', visibility_policy: '1' }, 'topic must not contain null bytes'],
  ])('rejects an invalid policy: %s', async (_name, form, msg) => {
    const { body } = await set(hamlet, { stream_id: String(await idOf('Verona')), ...form });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg });
  });
});

describe('PATCH /users/me/subscriptions/muted_topics', () => {
  const mute = (user: DemoUser, form: Record<string, string>) =>
    user.client.patch<Json>('/api/v1/users/me/subscriptions/muted_topics', { form }).then(({ body }) => body);

  it('mutes or unmutes a topic of a channel given by id or name', async () => {
    const id = await idOf('Verona');
    const queue = await openTestEventQueue(chat, iago, ['muted_topics']);
    for (const op of ['add', 'add', 'remove', 'remove']) {
      expect(await mute(iago, { stream_id: String(id), topic: 'noise', op })).toMatchObject({ msg: '' });
    }
    expect(await mute(iago, { stream: 'verona', topic: 'louder', op: 'add' })).toMatchObject({ msg: '' });
    expect((await queue.read()).map((event) => event['muted_topics'])).toEqual([
      [['Verona', 'noise', expect.any(Number)]],
      [],
      [['Verona', 'louder', expect.any(Number)]],
    ]);
  });

  it('accepts the display name of the empty topic, and rejects topics that are too long', async () => {
    const mine = async () => {
      const form = { fetch_event_types: '["user_topic"]', client_capabilities: '{"empty_topic_name": true}' };
      const { body } = await cordelia.client.post<{ user_topics: Json[] }>('/api/v1/register', { form });
      return body.user_topics.filter((topic) => topic['visibility_policy'] === 1).map((topic) => topic['topic_name']);
    };
    const form = { stream: 'Verona', op: 'add' };
    for (const topic of ['general chat', '(no topic)']) {
      expect(await mute(cordelia, { ...form, topic })).toEqual({ result: 'success', msg: '' });
      expect(await mine()).toContain('');
      expect(await mute(cordelia, { ...form, op: 'remove', topic: '' })).toEqual({ result: 'success', msg: '' });
      expect(await mine()).not.toContain('');
    }
    expect(await mute(cordelia, { ...form, topic: 'x'.repeat(60) })).toEqual({ result: 'success', msg: '' });
    expect(await mute(cordelia, { ...form, topic: 'x'.repeat(61) })).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('emits user_topic instead of muted_topics to clients that request both', async () => {
    const queue = await openTestEventQueue(chat, iago, ['muted_topics', 'user_topic']);
    await mute(iago, { stream: 'Verona', topic: 'both', op: 'add' });
    expect(await queue.read()).toMatchObject([{ type: 'user_topic', topic_name: 'both', visibility_policy: 1 }]);
  });

  it('requires exactly one parameter for the channel, and a channel visible to the user', async () => {
    const form = { topic: 'x', op: 'add' };
    expect(await mute(iago, form)).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'stream_id' });
    expect(await mute(iago, { ...form, stream: 'Verona', stream_id: '1' })).toMatchObject({
      code: 'REQUEST_CONFUSING_VAR',
    });
    expect(await mute(cordelia, { ...form, stream: 'core team' })).toMatchObject({
      msg: "Invalid channel name 'core team'",
    });
    expect(await mute(iago, { ...form, stream: 'Verona', op: 'toggle' })).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await mute(iago, { ...form, stream_id: '987654' })).toMatchObject({ msg: 'Invalid channel ID' });
  });
});
