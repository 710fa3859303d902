import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { openTestEventQueue } from './test-event-queue.js';
import { send } from './event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

type Json = Record<string, unknown>;

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

const groupOfUsers = (...users: DemoUser[]) => ({ direct_members: users.map(({ id }) => id), direct_subgroups: [] });

async function call(user: DemoUser, method: 'get' | 'post' | 'patch' | 'delete', path: string, form: Json = {}) {
  const fields = Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const options = method === 'get' ? { query: fields } : { form: fields };
  return (await user.client[method]<Json>(`/api/v1/${path}`, options)).body;
}

/** Creates a private channel of the user Iago with shared history and the given permissions. */
async function createChannel(name: string, form: Json = {}): Promise<number> {
  const options = { invite_only: true, history_public_to_subscribers: true, ...form };
  const body = await call(iago, 'post', 'channels/create', { name, subscribers: [iago.id], ...options });
  expect(body['msg']).toBe('');
  return Number(body['id']);
}

const success = { result: 'success' };

describe('administrator who does not subscribe to a private channel', () => {
  it('can change the channel properties and list the subscribers, but can change neither privacy nor subscribers', async () => {
    const id = await createChannel('metadata', {
      can_administer_channel_group: groupOfUsers(hamlet),
      can_remove_subscribers_group: groupOfUsers(),
    });
    const queue = await openTestEventQueue(chat, hamlet, ['stream']);
    expect(await call(hamlet, 'patch', `streams/${id}`, { description: 'By its administrator' })).toMatchObject(
      success,
    );
    expect(await queue.read()).toMatchObject([{ op: 'update', property: 'description', stream_id: id }]);
    const { never_subscribed } = await call(hamlet, 'post', 'register', {
      fetch_event_types: ['subscription'],
      event_types: [],
    });
    expect((never_subscribed as Json[]).map((channel) => channel['stream_id'])).toContain(id);
    const refused = { result: 'error' };
    expect(await call(hamlet, 'patch', `streams/${id}`, { is_private: false })).toMatchObject(refused);
    const subscriptions = [{ name: 'metadata' }];
    const principals = [cordelia.id];
    expect(await call(hamlet, 'post', 'users/me/subscriptions', { subscriptions, principals })).toMatchObject(refused);
    await call(iago, 'post', 'users/me/subscriptions', { subscriptions, principals });
    const removal = { subscriptions: ['metadata'], principals };
    expect(await call(hamlet, 'delete', 'users/me/subscriptions', removal)).toMatchObject({ removed: ['metadata'] });
  });
});

describe('member of can_add_subscribers_group of a private channel', () => {
  it('can add subscribers to the channel and use its messages', async () => {
    const name = 'content';
    const id = await createChannel(name, { can_add_subscribers_group: groupOfUsers(hamlet) });
    const subscriptions = [{ name }];
    expect(
      await call(hamlet, 'post', 'users/me/subscriptions', { subscriptions, principals: [cordelia.id] }),
    ).toMatchObject(success);
    const first = await send(iago, { to: name, topic: 'shared' });
    expect(await call(hamlet, 'get', `messages/${first}`)).toMatchObject({ message: { id: first } });
    const narrow = [{ operator: 'channel', operand: id }];
    const page = { narrow, anchor: 'newest', num_before: 10, num_after: 0 };
    expect((await call(hamlet, 'get', 'messages', page))['messages']).toContainEqual(
      expect.objectContaining({ id: first }),
    );
    expect(await call(hamlet, 'post', `messages/${first}/reactions`, { emoji_name: 'smile' })).toMatchObject(success);
    expect(await call(hamlet, 'get', `messages/${first}/read_receipts`)).not.toMatchObject({
      msg: 'Invalid message(s)',
    });
    const flags = { narrow, op: 'add', flag: 'starred', anchor: 'newest', num_before: 10, num_after: 0 };
    expect(await call(hamlet, 'post', 'messages/flags/narrow', flags)).toMatchObject({
      updated_count: expect.any(Number),
      result: 'success',
    });
  });

  it('receives no delete_message for an unreadable message', async () => {
    const name = 'protected';
    const id = await createChannel(name, { can_administer_channel_group: groupOfUsers(hamlet) });
    const queue = await openTestEventQueue(chat, hamlet, ['delete_message']);
    const hidden = await send(iago, { to: name, topic: 'secret' });
    expect(await call(iago, 'delete', `messages/${hidden}`)).toMatchObject(success);
    expect(await queue.read()).toEqual([]);
    expect(await call(hamlet, 'get', `users/me/${id}/topics`)).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('archived channel', () => {
  it('retains readable messages and accepts a change of its privacy', async () => {
    const name = 'closed';
    const id = await createChannel(name);
    const message = await send(iago, { to: name, topic: 'kept' });
    expect(await call(iago, 'delete', `streams/${id}`)).toMatchObject(success);
    expect(await call(iago, 'get', `messages/${message}`)).toMatchObject({ message: { id: message } });
    expect(await call(iago, 'get', `users/me/${id}/topics`)).toMatchObject({
      topics: expect.arrayContaining([expect.objectContaining({ name: 'kept' })]),
    });
    expect(await call(iago, 'get', `streams/${id}`)).toMatchObject({ stream: { is_archived: true } });
    expect(await call(iago, 'patch', `streams/${id}`, { is_private: false })).toMatchObject(success);
    const { never_subscribed } = await call(hamlet, 'post', 'register', {
      fetch_event_types: ['subscription'],
      event_types: [],
      client_capabilities: { archived_channels: true, notification_settings_null: true },
    });
    expect((never_subscribed as Json[]).map((channel) => channel['stream_id'])).toContain(id);
  });
});

describe('deactivated group', () => {
  it('accepts changes of members and subgroups', async () => {
    const create = (name: string) => call(iago, 'post', 'user_groups/create', { name, description: '', members: [] });
    const [group, inner] = [await create('retired'), await create('inner')].map((body) => body['group_id']);
    expect(await call(iago, 'post', `user_groups/${group}/deactivate`)).toMatchObject(success);
    for (const op of ['add', 'delete']) {
      expect(await call(iago, 'post', `user_groups/${group}/members`, { [op]: [hamlet.id] })).toMatchObject(success);
      expect(await call(iago, 'post', `user_groups/${group}/subgroups`, { [op]: [inner] })).toMatchObject(success);
    }
  });
});

describe('events with message_ids', () => {
  it('list the ids in ascending order: update_message and delete_message', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await send(iago, { to: 'Verona', topic: 'ascending' }));
    const queue = await openTestEventQueue(chat, iago, ['update_message', 'delete_message'], {
      client_capabilities: JSON.stringify({ bulk_message_deletion: true, notification_settings_null: true }),
    });
    await call(iago, 'patch', `messages/${ids[2]}`, { topic: 'ascended', propagate_mode: 'change_all' });
    const { streams } = await call(iago, 'get', 'streams');
    const verona = (streams as Json[]).find((channel) => channel['name'] === 'Verona')?.['stream_id'];
    await call(iago, 'post', `streams/${verona}/delete_topic`, { topic_name: 'ascended' });
    const events = (await queue.read()).filter((event) => (event['message_ids'] as number[]).length > 1);
    expect(events.map((event) => [event['type'], event['message_ids']])).toEqual([
      ['update_message', ids],
      // The Notification Bot's message about the move is deleted too.
      ['delete_message', [...ids, expect.any(Number)]],
    ]);
  });
});

describe('topic links in messages', () => {
  it('contain the newest message of the topic, and name the general chat for the empty topic', async () => {
    const older = await send(iago, { to: 'Verona', topic: '' });
    const newest = await send(iago, { to: 'Verona', topic: '' });
    const { rendered } = await call(hamlet, 'post', 'messages/render', { content: '#**Verona>** #**Verona>@5**' });
    expect(rendered).toContain(`/with/${newest}"`);
    expect(rendered).not.toContain(`/with/${older}"`);
    expect(rendered).toContain('<em>general chat</em>');
  });
});

describe('images in Markdown messages', () => {
  it('appear as links to uploads and external addresses instead of images', async () => {
    const content = '![a picture](https://example.com/a.png) ![b](/user_uploads/1/ab/b.png)';
    const { rendered } = await call(hamlet, 'post', 'messages/render', { content });
    expect(rendered).toContain('<a href="https://example.com/a.png">a picture</a>');
    expect(rendered).toContain('<a href="/user_uploads/1/ab/b.png">b</a>');
    expect(rendered).not.toContain('<img');
  });
});

describe('POST /users/{user_id}/status', () => {
  it('sets the status of a user when the requester is a bot with administrator role', async () => {
    const bot = await call(iago, 'post', 'bots', { full_name: 'Status', short_name: 'status' });
    await call(iago, 'patch', `bots/${String(bot['user_id'])}`, { role: 200 });
    const authorization = `Basic ${Buffer.from(`status-bot@example.com:${String(bot['api_key'])}`).toString('base64')}`;
    const { body } = await chat.client.post<Json>(`/api/v1/users/${hamlet.id}/status`, {
      headers: { authorization },
      form: { status_text: 'by a bot' },
    });
    expect(body).toMatchObject(success);
    expect(await call(hamlet, 'get', `users/${hamlet.id}/status`)).toMatchObject({
      status: { status_text: 'by a bot' },
    });
  });
});
