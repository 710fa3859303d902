import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

const form = (values: Json) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const subscribe = async (user: DemoUser, values: Json) =>
  (await user.client.post<Json>('/api/v1/users/me/subscriptions', { form: form(values) })).body;

interface Message {
  id: number;
  content: string;
  subject: string;
  sender_full_name: string;
  flags: string[];
}

async function messages(user: DemoUser, narrow: unknown[]): Promise<Message[]> {
  const query = {
    anchor: 'newest',
    num_before: 20,
    num_after: 0,
    narrow: JSON.stringify(narrow),
    apply_markdown: false,
  };
  return (await user.client.get<{ messages: Message[] }>('/api/v1/messages', { query })).body.messages;
}

/** Creates a channel as the user Hamlet, with one message. Returns the id of the channel. */
async function channelWith(name: string, values: Json = {}): Promise<number> {
  await subscribe(hamlet, {
    subscriptions: [{ name }],
    principals: [hamlet.id, cordelia.id],
    send_new_subscription_messages: false,
    ...values,
  });
  await send(hamlet, { to: name, topic: 'first' });
  const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream: name } });
  return body.stream_id;
}

const notices = async (id: number) =>
  (await messages(cordelia, [{ operator: 'channel', operand: id }])).filter(
    ({ sender_full_name: name }) => name === 'Notification Bot',
  );

async function update(id: number, values: Json, user = hamlet): Promise<void> {
  const { body } = await user.client.patch<Json>(`/api/v1/streams/${id}`, { form: form(values) });
  expect(body['msg']).toBe('');
}

describe('PATCH /streams/{stream_id}: Notification Bot messages', () => {
  it('appear in one topic of the channel, and become visible together with the change', async () => {
    const id = await channelWith('rename me');
    const [hers, others] = [
      await openTestEventQueue(chat, cordelia, ['message']),
      await openTestEventQueue(chat, iago, ['message']),
    ];
    await update(id, { new_name: 'renamed' });
    const content = `@_**King Hamlet|${hamlet.id}** renamed this channel from **rename me** to **renamed**.`;
    expect(await notices(id)).toMatchObject([{ subject: 'channel events', content, flags: [] }]);
    expect(await hers.read()).toMatchObject([{ message: { display_recipient: 'renamed', subject: 'channel events' } }]);
    expect(await others.read()).toEqual([]);
  });

  it('announce changes of description, privacy, posting permission and retention', async () => {
    const id = await channelWith('changing');
    await update(id, { description: 'calls @**all** ```` in vain' });
    await update(id, { is_private: true });
    await update(id, { is_private: false });
    const { body } = await hamlet.client.get<{ user_groups: { id: number; name: string }[] }>('/api/v1/user_groups');
    const moderators = body.user_groups.find(({ name }) => name === 'role:moderators')?.id;
    await update(id, { can_send_message_group: { new: moderators } });
    await update(id, { message_retention_days: 30 }, desdemona);
    const seen = await notices(id);
    const [hamlets, hers] = [`@_**King Hamlet|${hamlet.id}**`, `@_**Desdemona|${desdemona.id}**`];
    expect(seen.map(({ content }) => content)).toEqual([
      `${hamlets} changed the description of this channel.\n\n**Before:** none\n\n` +
        '**Now:**\n\n`````quote\ncalls @**all** ```` in vain\n`````',
      `${hamlets} made this channel **private, with protected history**; it was **public**.`,
      `${hamlets} made this channel **public**; it was **private, with protected history**.`,
      `${hamlets} changed who may post in this channel: **moderators**, no longer **everybody**.`,
      `${hers} changed how long messages are kept in this channel: **for 30 days**, no longer **as long as the organization keeps them**.`,
    ]);
    expect(seen.every(({ flags }) => flags.length === 0)).toBe(true);
  });

  it('announce archiving and unarchiving', async () => {
    const id = await channelWith('sleeping');
    const queue = await openTestEventQueue(chat, cordelia, ['message', 'stream']);
    await hamlet.client.delete(`/api/v1/streams/${id}`);
    expect((await queue.read()).map(({ type, op }) => [type, op])).toEqual([
      ['message', undefined],
      ['stream', 'delete'],
    ]);
    await update(id, { is_archived: false });
    expect((await notices(id)).map(({ content }) => content)).toEqual([
      `@_**King Hamlet|${hamlet.id}** archived this channel.`,
      `@_**King Hamlet|${hamlet.id}** brought this channel back from the archive.`,
    ]);
  });

  it('use the empty topic in channels that allow no other topic, and do not appear in a channel without messages', async () => {
    const id = await channelWith('topicless', { topics_policy: 'empty_topic_only' });
    await update(id, { description: 'one topic' });
    expect((await notices(id)).map(({ subject }) => subject)).toEqual(['general chat']);
    await subscribe(hamlet, { subscriptions: [{ name: 'silent' }] });
    const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'silent' },
    });
    const queue = await openTestEventQueue(chat, hamlet, ['stream', 'message']);
    await update(body.stream_id, { description: 'still' });
    expect(await queue.read()).toMatchObject([{ property: 'description' }]);
  });

  it('do not appear when nothing has changed', async () => {
    const id = await channelWith('constant');
    await update(id, { description: '', is_private: false, message_retention_days: 'realm_default' }, desdemona);
    expect(await notices(id)).toEqual([]);
  });
});

describe('POST /users/me/subscriptions for other users: Notification Bot messages', () => {
  const direct = (user: DemoUser) => messages(user, [{ operator: 'is', operand: 'dm' }]);
  const newest = async (user: DemoUser) => (await direct(user)).at(-1);

  it('inform each user about the channels that another user subscribed them to', async () => {
    const queue = await openTestEventQueue(chat, cordelia, ['message']);
    const response = await subscribe(iago, {
      subscriptions: [{ name: 'new one' }],
      principals: [iago.id, cordelia.id],
    });
    expect(response).toMatchObject({ msg: '', new_subscription_messages_sent: true });
    const content = `@_**Iago|${iago.id}** subscribed you to the channel #**new one**.`;
    expect(await newest(cordelia)).toMatchObject({ sender_full_name: 'Notification Bot', content });
    expect(await queue.read()).toMatchObject([{ message: { type: 'private' }, flags: [] }]);
    const before = (await direct(iago)).length;
    await subscribe(iago, {
      subscriptions: [{ name: 'secret' }],
      principals: [iago.id, cordelia.id],
      invite_only: true,
    });
    await subscribe(iago, {
      subscriptions: [{ name: 'new one' }, { name: 'secret' }],
      principals: [cordelia.id, hamlet.id],
    });
    expect((await newest(cordelia))?.content).toContain('subscribed you to the channel **secret**.');
    expect((await newest(hamlet))?.content).toBe(
      `@_**Iago|${iago.id}** subscribed you to these channels:\n\n* #**new one**\n* **secret**`,
    );
    expect(await direct(iago)).toHaveLength(before);
  });

  it('inform users about a channel that another user created with them as subscribers', async () => {
    await iago.client.post('/api/v1/channels/create', {
      form: { name: 'made', subscribers: JSON.stringify([iago.id, hamlet.id]) },
    });
    expect((await newest(hamlet))?.content).toContain('subscribed you to the channel #**made**.');
  });

  it('do not appear if the client disables them, for bots, or for too many new subscribers', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      'SELECT id FROM users WHERE bot_type IS NOT NULL AND NOT is_system_bot AND is_active LIMIT 1',
    );
    const before = await chat.runtime.database.query('SELECT max(id) AS id FROM messages');
    const quiet = await subscribe(iago, {
      subscriptions: [{ name: 'quiet' }],
      principals: [cordelia.id],
      send_new_subscription_messages: false,
    });
    expect(quiet).not.toHaveProperty('new_subscription_messages_sent');
    const toBot = await subscribe(iago, { subscriptions: [{ name: 'quiet' }], principals: [rows[0]?.id ?? 0] });
    expect(toBot).toMatchObject({ new_subscription_messages_sent: true });
    const { rows: crowd } = await chat.runtime.database.query<{ id: number }>(
      `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
       SELECT realm_id, 'crowd' || n || '@example.com', 'crowd' || n || '@example.com', 'Crowd ' || n, role
       FROM users, generate_series(1, 101) n WHERE users.id = $1 RETURNING id`,
      [hamlet.id],
    );
    const many = await subscribe(iago, {
      subscriptions: [{ name: 'crowded' }],
      principals: crowd.map(({ id }) => id),
    });
    expect(many).toMatchObject({ msg: '', new_subscription_messages_sent: false });
    expect((await chat.runtime.database.query('SELECT max(id) AS id FROM messages')).rows).toEqual(before.rows);
  });
});
