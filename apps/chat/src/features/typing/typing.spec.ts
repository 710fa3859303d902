import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { send } from '../../../test/event-queue-requests.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;
let denmark: number;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, cordelia, polonius] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
  const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
    query: { stream: 'Denmark' },
  });
  denmark = body.stream_id;
});
afterAll(() => cluster.stop());

const type = async (user: DemoUser, form: Record<string, string>) => {
  return (await user.client.post<Json>('/api/v1/typing', { form })).body;
};
const set = (user: DemoUser, settings: Json) => {
  const sql = 'UPDATE users SET settings = settings || $2 WHERE id = $1';
  return chat.runtime.database.query(sql, [user.id, JSON.stringify(settings)]);
};
const withChannels = { client_capabilities: '{"stream_typing_notifications": true, "empty_topic_name": true}' };
const watch = (user: DemoUser, form = {}) => openTestEventQueue(chat, user, ['typing'], form);

describe('POST /typing', () => {
  it('notifies all participants of a direct message with the email addresses that each can see', async () => {
    const [own, theirs, others] = await Promise.all([watch(hamlet), watch(iago), watch(cordelia)]);
    const to = JSON.stringify([iago.id]);
    expect(await type(hamlet, { op: 'start', to })).toEqual({ result: 'success', msg: '' });
    await type(hamlet, { op: 'stop', to, type: 'direct', topic: 'ignored', stream_id: '99999' });
    const start = {
      type: 'typing',
      op: 'start',
      message_type: 'direct',
      sender: { user_id: hamlet.id, email: hamlet.email },
      recipients: [
        { user_id: iago.id, email: iago.email },
        { user_id: hamlet.id, email: hamlet.email },
      ].toSorted((a, b) => a.user_id - b.user_id),
    };
    expect(await theirs.read()).toEqual([start, { ...start, op: 'stop' }]);
    const [seen] = await own.read();
    expect(seen?.['recipients']).toContainEqual({ user_id: iago.id, email: `user${iago.id}@zulipdev.com` });
    expect(await others.read()).toEqual([]);
  });

  it('notifies channel subscribers whose clients support typing notifications in channels', async () => {
    const [own, able, unable, outside] = await Promise.all([
      watch(hamlet, withChannels),
      watch(iago, withChannels),
      watch(iago),
      watch(cordelia, withChannels),
    ]);
    const form = { stream_id: String(denmark), topic: 'a topic', to: '[1]' };
    await type(hamlet, { ...form, op: 'start', type: 'stream' });
    await type(hamlet, { ...form, topic: '', op: 'stop', type: 'channel' });
    const common = { type: 'typing', message_type: 'stream', stream_id: denmark };
    expect(await able.read()).toMatchObject([
      { ...common, op: 'start', topic: 'a topic', sender: { user_id: hamlet.id } },
      { ...common, op: 'stop', topic: '' },
    ]);
    expect(await own.read()).toHaveLength(2);
    expect(await unable.read()).toEqual([]);
    expect(await outside.read()).toEqual([]);
  });

  it('sends no notification if the settings of the recipient or the sender disable notifications', async () => {
    const queue = await watch(cordelia, withChannels);
    await set(cordelia, { receives_typing_notifications: false });
    await type(hamlet, { op: 'start', to: JSON.stringify([cordelia.id]) });
    expect(await queue.read()).toEqual([]);
    await set(cordelia, { send_private_typing_notifications: false, send_stream_typing_notifications: false });
    const direct = await type(cordelia, { op: 'start', to: JSON.stringify([hamlet.id]) });
    expect(direct['msg']).toBe('User has disabled typing notifications for direct messages');
    const form = { op: 'start', type: 'stream', stream_id: String(denmark), topic: 'x' };
    expect((await type(cordelia, form))['msg']).toBe('User has disabled typing notifications for channel messages');
  });

  it('sends no notification in channels with more than 100 subscribers', async () => {
    const queue = await watch(iago, withChannels);
    await chat.runtime.database.query(
      `WITH crowd AS (
         INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
         SELECT 1, 'crowd' || n || '@example.com', 'crowd' || n || '@example.com', 'Crowd', 400
         FROM generate_series(1, 100) n RETURNING id)
       INSERT INTO subscriptions (user_id, channel_id, color) SELECT id, $1, '#000000' FROM crowd`,
      [denmark],
    );
    const form = { op: 'start', type: 'stream', stream_id: String(denmark), topic: 'x' };
    expect((await type(hamlet, form))['msg']).toBe('');
    expect(await queue.read()).toEqual([]);
  });

  it.each<[name: string, form: Record<string, string>, code: string, msg: string]>([
    ['no channel', { type: 'stream', topic: 'x' }, 'BAD_REQUEST', 'Missing stream_id'],
    ['no channel, by the newer name', { type: 'channel', topic: 'x' }, 'BAD_REQUEST', 'Missing stream_id'],
    ['one recipient who is not in a list', { to: '1' }, 'BAD_REQUEST', 'to is not a list'],
    ['no topic', { type: 'channel', stream_id: '1' }, 'BAD_REQUEST', 'Missing topic'],
    ['an unknown channel', { type: 'stream', stream_id: '99999', topic: 'x' }, 'BAD_REQUEST', 'Invalid channel ID'],
    ['nobody', { to: '[]' }, 'BAD_REQUEST', "Empty 'to' list"],
    ['no recipients', {}, 'REQUEST_VARIABLE_MISSING', "Missing 'to' argument"],
    ['an unknown recipient', { to: '[999999]' }, 'BAD_REQUEST', 'Invalid user ID 999999'],
    ['another operation', { op: 'pause', to: '[1]' }, 'BAD_REQUEST', 'Invalid op'],
    ['another type', { type: 'letter', to: '[1]' }, 'BAD_REQUEST', 'Invalid type'],
  ])('rejects an invalid notification: %s', async (_name, form, code, msg) => {
    expect(await type(hamlet, { op: 'start', ...form })).toMatchObject({ code, msg });
  });

  it('rejects guests who cannot read the channel', async () => {
    const form = { op: 'start', type: 'stream', stream_id: String(denmark), topic: 'x' };
    expect((await type(polonius, form))['msg']).toBe('Invalid channel ID');
  });
});

describe('POST /messages/{id}/typing', () => {
  const post = async (user: DemoUser, path: string, form: Record<string, string | number>) =>
    (await user.client.post<Json>(`/api/v1/${path}`, { form })).body;
  let verona: number;

  beforeAll(async () => {
    const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'Verona' },
    });
    verona = body.stream_id;
  });

  it('notifies channel recipients whose settings enable typing notifications, on this path and on the older path', async () => {
    const id = await send(hamlet, { topic: 'typing' });
    await set(cordelia, { receives_typing_notifications: false });
    const [enabled, disabled] = await Promise.all([
      openTestEventQueue(chat, iago, ['typing_edit_message']),
      openTestEventQueue(chat, cordelia, ['typing_edit_message']),
    ]);
    expect((await post(hamlet, `messages/${id}/typing`, { op: 'start' }))['msg']).toBe('');
    expect((await post(hamlet, 'message_edit_typing', { message_id: id, op: 'stop' }))['msg']).toBe('');
    const event = {
      type: 'typing_edit_message',
      sender_id: hamlet.id,
      message_id: id,
      recipient: { type: 'channel', channel_id: verona, topic: 'typing' },
    };
    expect(await enabled.read()).toEqual([
      { ...event, op: 'start' },
      { ...event, op: 'stop' },
    ]);
    expect(await disabled.read()).toEqual([]);
    await set(hamlet, { send_stream_typing_notifications: false });
    await post(hamlet, `messages/${id}/typing`, { op: 'start' });
    expect(await enabled.read()).toEqual([]);
  });

  it('notifies the participants of a direct message, and rejects users other than the sender of the message', async () => {
    const id = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    const queue = await openTestEventQueue(chat, iago, ['typing_edit_message']);
    await post(hamlet, `messages/${id}/typing`, { op: 'start' });
    const participants = [hamlet.id, iago.id].toSorted((a, b) => a - b);
    expect(await queue.read()).toMatchObject([{ recipient: { type: 'direct', user_ids: participants } }]);
    expect((await post(iago, `messages/${id}/typing`, { op: 'start' }))['msg']).toBe(
      "You don't have permission to edit this message",
    );
    expect((await post(cordelia, `messages/${id}/typing`, { op: 'start' }))['msg']).toBe('Invalid message(s)');
  });
});
