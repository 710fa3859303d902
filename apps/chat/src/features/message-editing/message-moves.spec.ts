import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let shiva: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, shiva, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'shiva'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(name, id);
});
afterAll(() => cluster.stop());

const idOf = (name: string): number => channels.get(name) ?? 0;
const withoutNotification = { send_notification_to_new_thread: false };
let made = 0;
const newTopic = (): string => `topic ${(made += 1)}`;

interface ResponseBody {
  msg: string;
  code?: string;
}

async function move(
  user: DemoUser,
  id: number,
  form: Record<string, string | number | boolean>,
): Promise<ResponseBody> {
  const { body } = await user.client.patch<ResponseBody>(`/api/v1/messages/${id}`, { form });
  return body;
}

interface Message {
  id: number;
  content: string;
  subject: string;
  stream_id: number;
  sender_full_name: string;
  flags: string[];
  edit_history?: Record<string, unknown>[];
  last_moved_timestamp?: number;
}

async function show(user: DemoUser, id: number): Promise<Message> {
  return (await user.client.get<{ message: Message }>(`/api/v1/messages/${id}`)).body.message;
}

async function topic(user: DemoUser, channel: string, name: string): Promise<Message[]> {
  const narrow = JSON.stringify([
    { operator: 'channel', operand: channel },
    { operator: 'topic', operand: name },
  ]);
  const query = { anchor: 'oldest', num_before: 0, num_after: 100, narrow };
  return (await user.client.get<{ messages: Message[] }>('/api/v1/messages', { query })).body.messages;
}

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

async function setPermission(setting: string, group: string): Promise<void> {
  await query(
    'UPDATE realm_permissions SET group_id = (SELECT id FROM user_groups WHERE name = $2) WHERE setting = $1',
    [setting, group],
  );
}

async function sendThreeMessages(user: DemoUser, form: Record<string, string>): Promise<[number, number, number]> {
  return [await send(user, form), await send(user, form), await send(user, form)];
}

describe('PATCH /messages/{id}: topic', () => {
  it.each([
    ['change_one', [1]],
    ['change_later', [1, 2]],
    ['change_all', [0, 1, 2]],
  ])('moves the expected messages with %s', async (mode, indexes) => {
    const [before, after] = [newTopic(), newTopic()];
    const ids = await sendThreeMessages(hamlet, { topic: before });
    await send(hamlet, { topic: newTopic() });
    const queue = await openTestEventQueue(chat, cordelia, ['update_message']);
    expect(await move(hamlet, ids[1], { topic: after, propagate_mode: mode, ...withoutNotification })).toMatchObject({
      msg: '',
    });
    const moved = indexes.map((index) => ids[index]);
    expect(await queue.read()).toEqual([
      {
        type: 'update_message',
        user_id: hamlet.id,
        rendering_only: false,
        message_id: ids[1],
        message_ids: moved,
        flags: [],
        edit_timestamp: expect.any(Number),
        stream_id: idOf('Verona'),
        stream_name: 'Verona',
        propagate_mode: mode,
        orig_subject: before,
        subject: after,
        topic_links: [],
      },
    ]);
    expect((await topic(hamlet, 'Verona', after)).map(({ id }) => id)).toEqual(moved);
    const message = await show(cordelia, ids[1]);
    expect(message).toMatchObject({
      subject: after,
      last_moved_timestamp: expect.any(Number),
      edit_history: [{ user_id: hamlet.id, timestamp: expect.any(Number), prev_topic: before, topic: after }],
    });
    expect(message).not.toHaveProperty('last_edit_timestamp');
  });

  it('rejects a topic with control characters with BAD_REQUEST', async () => {
    const [id] = await sendThreeMessages(hamlet, { topic: newTopic() });
    const refused = { code: 'BAD_REQUEST', msg: 'Invalid character in topic, at position 8!' };
    expect(await move(hamlet, id, { topic: 'editing\nfun', ...withoutNotification })).toMatchObject(refused);
  });

  it('posts a notification to the new topic, and on request to the old topic', async () => {
    const [before, after] = [newTopic(), newTopic()];
    const ids = await sendThreeMessages(hamlet, { topic: before });
    await move(hamlet, ids[2], { topic: after, send_notification_to_old_thread: true });
    const [notice, note] = [(await topic(iago, 'Verona', after)).at(-1), (await topic(iago, 'Verona', before)).at(-1)];
    expect(notice).toMatchObject({ sender_full_name: 'Notification Bot', content: expect.stringContaining(before) });
    expect(note).toMatchObject({ sender_full_name: 'Notification Bot', content: expect.stringContaining(after) });
  });

  it('renames a topic by letter case only', async () => {
    const before = newTopic();
    const [id] = await sendThreeMessages(hamlet, { topic: before });
    await move(hamlet, id, { topic: before.toUpperCase(), propagate_mode: 'change_all', ...withoutNotification });
    expect((await topic(hamlet, 'Verona', before)).map(({ subject }) => subject)).toEqual(
      Array.from({ length: 3 }, () => before.toUpperCase()),
    );
  });

  it('requires the permission to move messages, from a setting of the realm or of the channel', async () => {
    const id = await send(hamlet, { topic: newTopic() });
    await setPermission('can_move_messages_between_topics_group', 'role:moderators');
    expect(await move(cordelia, id, { topic: newTopic() })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: "You don't have permission to move this message",
    });
    expect((await move(shiva, id, { topic: newTopic() })).msg).toBe('');
    await query(
      `UPDATE channels SET can_move_messages_within_channel_group_id =
         (SELECT id FROM user_groups WHERE name = 'role:everyone') WHERE id = $1`,
      [idOf('Verona')],
    );
    expect((await move(polonius, id, { topic: newTopic() })).msg).toBe('');
    await query(
      `UPDATE channels SET can_move_messages_within_channel_group_id =
         (SELECT id FROM user_groups WHERE name = 'role:nobody') WHERE id = $1`,
      [idOf('Verona')],
    );
    await setPermission('can_move_messages_between_topics_group', 'role:everyone');
  });

  it('rejects moves after the time limit except by moderators, and reports how many messages can be moved', async () => {
    const before = newTopic();
    const ids = await sendThreeMessages(hamlet, { topic: before });
    await query("UPDATE messages SET date_sent = now() - interval '8 days' WHERE id = $1", [ids[0]]);
    expect((await move(hamlet, ids[0], { topic: newTopic() })).msg).toBe(
      "The time limit for editing this message's topic has passed.",
    );
    const form = { topic: newTopic(), propagate_mode: 'change_all', ...withoutNotification };
    expect(await move(hamlet, ids[1], form)).toEqual({
      result: 'error',
      code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      msg: 'You may move only the 2 newest of 3 messages.',
      first_message_id_allowed_to_move: ids[1],
      total_messages_in_topic: 3,
      total_messages_allowed_to_move: 2,
    });
    expect((await move(shiva, ids[1], form)).msg).toBe('');
  });

  it('rejects direct messages', async () => {
    const id = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    expect((await move(hamlet, id, { topic: 'x' })).msg).toBe('Direct messages cannot have topics.');
    expect((await move(hamlet, id, { stream_id: idOf('Verona') })).msg).toBe(
      'Direct messages cannot be moved to channels.',
    );
  });
});

describe('PATCH /messages/{id}: resolving a topic', () => {
  it('accepts a topic of any age, posts a notification, and does not mark the messages as moved', async () => {
    const name = newTopic();
    const [id] = await sendThreeMessages(hamlet, { topic: name });
    await query("UPDATE messages SET date_sent = now() - interval '30 days' WHERE id = $1", [id]);
    const form = { propagate_mode: 'change_all' };
    expect((await move(cordelia, id, { topic: `✔ ${name}`, ...form })).msg).toBe('');
    const message = await show(hamlet, id);
    expect(message).not.toHaveProperty('last_moved_timestamp');
    expect(message.edit_history).toMatchObject([{ prev_topic: name, topic: `✔ ${name}` }]);
    const notice = (await topic(iago, 'Verona', `✔ ${name}`)).at(-1);
    expect(notice?.content).toMatch(/has marked this topic as resolved\./);
    expect((await move(cordelia, id, { topic: name, ...form })).msg).toBe('');
    expect((await topic(iago, 'Verona', name)).at(-1)?.content).toMatch(/has marked this topic as unresolved\./);
  });

  it('requires the permission to resolve topics from a setting of the realm', async () => {
    const name = newTopic();
    const id = await send(hamlet, { topic: name });
    await setPermission('can_resolve_topics_group', 'role:moderators');
    const form = { topic: `✔ ${name}`, propagate_mode: 'change_all' };
    expect((await move(hamlet, id, form)).msg).toBe("You don't have permission to move this message");
    expect((await move(shiva, id, form)).msg).toBe('');
    await setPermission('can_resolve_topics_group', 'role:everyone');
  });
});

describe('PATCH /messages/{id}: notification of a resolved topic', () => {
  it('starts as read or unread according to the setting and topic policy of each user', async () => {
    const name = newTopic();
    const id = await send(hamlet, { topic: name });
    await query('UPDATE users SET settings = settings || $2::jsonb WHERE id = $1', [
      iago.id,
      JSON.stringify({ resolved_topic_notice_auto_read_policy: 'never' }),
    ]);
    const queue = await openTestEventQueue(chat, cordelia, ['message']);
    await move(shiva, id, { topic: `✔ ${name}`, propagate_mode: 'change_all' });
    const flags = async (user: DemoUser) => (await topic(user, 'Verona', `✔ ${name}`)).at(-1)?.flags;
    expect(await flags(cordelia)).toEqual(['read']);
    expect(await flags(hamlet)).toEqual([]);
    expect(await flags(iago)).toEqual([]);
    expect(await queue.read()).toMatchObject([{ flags: ['read'] }]);
  });
});

describe('PATCH /messages/{id}: channel', () => {
  it('retains messages of users who can read the new channel, and removes messages of other users', async () => {
    const name = newTopic();
    const id = await send(hamlet, { topic: name });
    const types = ['update_message', 'delete_message', 'message'];
    const bulk = { client_capabilities: JSON.stringify({ bulk_message_deletion: true }) };
    const [his, hers, guests] = await Promise.all([
      openTestEventQueue(chat, hamlet, types),
      openTestEventQueue(chat, cordelia, types, bulk),
      openTestEventQueue(chat, polonius, types),
    ]);
    expect(
      (await move(hamlet, id, { stream_id: idOf('core team'), propagate_mode: 'change_all', ...withoutNotification }))
        .msg,
    ).toBe('');
    expect(await his.read()).toMatchObject([
      {
        type: 'update_message',
        message_ids: [id],
        stream_id: idOf('Verona'),
        new_stream_id: idOf('core team'),
        orig_subject: name,
      },
    ]);
    const gone = { type: 'delete_message', message_type: 'stream', stream_id: idOf('Verona'), topic: name };
    expect(await hers.read()).toEqual([{ ...gone, message_ids: [id] }]);
    expect(await guests.read()).toEqual([{ ...gone, message_id: id }]);
    expect(await show(hamlet, id)).toMatchObject({
      stream_id: idOf('core team'),
      edit_history: [{ prev_stream: idOf('Verona'), stream: idOf('core team') }],
    });
    expect(await show(cordelia, id)).toBeUndefined();
    const { rows } = await query('SELECT 1 FROM user_messages WHERE message_id = $1 AND user_id = ANY($2)', [
      id,
      [cordelia.id, polonius.id],
    ]);
    expect(rows).toEqual([]);
  });

  it('marks messages as read for users who do not subscribe to the new channel', async () => {
    const id = await send(hamlet, { topic: newTopic(), content: '@**Iago**' });
    const flags = async () => [(await show(cordelia, id)).flags, (await show(iago, id)).flags];
    await move(iago, id, { stream_id: idOf('Denmark'), ...withoutNotification });
    expect(await flags()).toEqual([['read'], ['mentioned']]);
    await move(iago, id, { stream_id: idOf('Verona'), ...withoutNotification });
    expect(await flags()).toEqual([['read'], ['mentioned']]);
  });

  it('emits the flags of the message in the request, not the flags of another moved message', async () => {
    const topic = newTopic();
    const first = await send(hamlet, { topic });
    const second = await send(hamlet, { topic, content: '@**Iago**' });
    await iago.client.post('/api/v1/messages/flags', { form: { messages: `[${first}]`, op: 'add', flag: 'read' } });
    const queue = await openTestEventQueue(chat, iago, ['update_message']);
    await move(shiva, second, { topic: newTopic(), propagate_mode: 'change_all', ...withoutNotification });
    const [event] = await queue.read();
    expect(event).toMatchObject({ message_id: second, message_ids: [first, second], flags: ['mentioned'] });
  });

  it('hides the destination from users who could not read the old channel', async () => {
    const id = await send(hamlet, { to: 'core team', topic: newTopic() });
    const queue = await openTestEventQueue(chat, cordelia, ['update_message', 'delete_message']);
    expect((await move(hamlet, id, { stream_id: idOf('Verona'), ...withoutNotification })).msg).toBe('');
    expect(await queue.read()).toEqual([]);
    expect(await show(cordelia, id)).toMatchObject({ stream_id: idOf('Verona'), flags: ['read', 'historical'] });
  });

  it('emits the oldest messages of the old channel and the new channel', async () => {
    const ids = (
      await query(
        'SELECT min(m.id) AS id FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id = $1',
        [idOf('Verona')],
      )
    ).rows;
    const oldest = Number(ids[0]?.['id']);
    const queue = await openTestEventQueue(chat, iago, ['stream']);
    expect((await move(iago, oldest, { stream_id: idOf('Denmark'), ...withoutNotification })).msg).toBe('');
    expect(await queue.read()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ op: 'update', stream_id: idOf('Verona'), property: 'first_message_id' }),
      ]),
    );
  });

  it('requires permission to move messages out of the old channel and to post in the new channel', async () => {
    const id = await send(hamlet, { topic: newTopic() });
    expect((await move(polonius, id, { stream_id: idOf('Denmark') })).msg).toBe(
      "You don't have permission to move this message",
    );
    expect(await move(cordelia, id, { stream_id: idOf('core team') })).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
    expect(await move(cordelia, id, { stream_id: 999_999 })).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
    await query('UPDATE channels SET is_archived = true WHERE id = $1', [idOf('Venice')]);
    expect((await move(cordelia, id, { stream_id: idOf('Venice') })).msg).toBe(
      "Not authorized to send to channel 'Venice'",
    );
    await query('UPDATE channels SET is_archived = false WHERE id = $1', [idOf('Venice')]);
  });
});

describe('PATCH /messages/{id}: concurrent moves', () => {
  it('lose no message that is sent concurrently, and give users only messages of channels that they can read', async () => {
    const name = newTopic();
    const id = await send(hamlet, { topic: name });
    const [, ...sent] = await Promise.all([
      move(hamlet, id, { stream_id: idOf('core team'), propagate_mode: 'change_all', ...withoutNotification }),
      ...Array.from({ length: 6 }, () => send(cordelia, { topic: name })),
    ]);
    const { rows } = await query(
      `SELECT m.id, r.channel_id, array_agg(um.user_id) AS users FROM messages m JOIN recipients r ON r.id = m.recipient_id
       JOIN user_messages um ON um.message_id = m.id WHERE m.id = ANY($1) GROUP BY m.id, r.channel_id`,
      [[id, ...sent]],
    );
    expect(rows).toHaveLength(7);
    for (const row of rows) {
      const isSecret = row['channel_id'] === idOf('core team');
      expect(row['users']).toEqual(
        isSecret ? expect.not.arrayContaining([cordelia.id]) : expect.arrayContaining([cordelia.id]),
      );
    }
  });

  it('add an entry per change to the edit history when content and topic change concurrently', async () => {
    const id = await send(hamlet, { content: 'one', topic: newTopic() });
    const responses = await Promise.all([
      move(hamlet, id, { content: 'two' }),
      move(iago, id, { topic: newTopic(), ...withoutNotification }),
      move(shiva, id, { stream_id: idOf('Denmark'), ...withoutNotification }),
    ]);
    expect(responses.map(({ msg }) => msg)).toEqual(['', '', '']);
    const { edit_history: history = [] } = await show(hamlet, id);
    expect(history).toHaveLength(3);
    expect(history.filter((entry) => 'prev_content' in entry)).toHaveLength(1);
    expect(history.filter((entry) => 'prev_stream' in entry)).toHaveLength(1);
    expect(history.filter((entry) => 'prev_topic' in entry)).toHaveLength(1);
  });
});

describe('PATCH /messages/{id}: visibility policy of the topic', () => {
  interface UserTopic {
    stream_id: number;
    topic_name: string;
    visibility_policy: number;
  }
  const see = (user: DemoUser, channel: string, name: string, policy: number) =>
    user.client.post('/api/v1/user_topics', {
      form: { stream_id: idOf(channel), topic: name, visibility_policy: policy },
    });
  const seen = async (user: DemoUser, names: readonly string[]): Promise<UserTopic[]> => {
    const form = { event_types: '[]', fetch_event_types: JSON.stringify(['user_topic']) };
    const { body } = await user.client.post<{ user_topics: UserTopic[] }>('/api/v1/register', { form });
    return body.user_topics
      .filter(({ topic_name: name }) => names.includes(name))
      .map(({ stream_id, topic_name, visibility_policy }) => ({ stream_id, topic_name, visibility_policy }));
  };

  it('moves to the new topic when all messages move, but not when only some messages move', async () => {
    const [before, after] = [newTopic(), newTopic()];
    const ids = await sendThreeMessages(hamlet, { topic: before });
    await see(cordelia, 'Verona', before, 1);
    await see(iago, 'Verona', before, 1);
    await see(iago, 'Verona', after, 3);
    await move(hamlet, ids[0], { topic: newTopic(), ...withoutNotification });
    expect(await seen(cordelia, [before])).toMatchObject([{ topic_name: before }]);
    const queue = await openTestEventQueue(chat, cordelia, ['user_topic']);
    await move(hamlet, ids[1], { topic: after, propagate_mode: 'change_all', ...withoutNotification });
    const muted = { stream_id: idOf('Verona'), topic_name: after, visibility_policy: 1 };
    expect(await seen(cordelia, [before, after])).toEqual([muted]);
    expect(await seen(iago, [before, after])).toEqual([{ ...muted, visibility_policy: 3 }]);
    expect(await queue.read()).toMatchObject([{ topic_name: before, visibility_policy: 0 }, muted]);
  });

  it('disappears when the user cannot read the new channel', async () => {
    const name = newTopic();
    const id = await send(hamlet, { topic: name });
    await see(cordelia, 'Verona', name, 3);
    await move(hamlet, id, { stream_id: idOf('core team'), ...withoutNotification });
    expect(await seen(cordelia, [name])).toEqual([]);
    expect(await seen(hamlet, [name])).toEqual([
      { stream_id: idOf('core team'), topic_name: name, visibility_policy: 3 },
    ]);
  });
});
