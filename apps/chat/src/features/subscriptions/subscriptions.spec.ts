import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

const path = '/api/v1/users/me/subscriptions';

async function subscribe(user: DemoUser, names: string[], form: Record<string, unknown> = {}) {
  const { status, body } = await user.client.post<Json>(path, {
    form: { subscriptions: JSON.stringify(names.map((name) => ({ name }))), ...texts(form) },
  });
  return { status, body };
}

async function unsubscribe(user: DemoUser, names: string[], form: Record<string, unknown> = {}) {
  const { body } = await user.client.delete<Json>(path, {
    form: { subscriptions: JSON.stringify(names), ...texts(form) },
  });
  return body;
}

function texts(form: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

async function idOf(name: string): Promise<number> {
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream: name } });
  return body.stream_id;
}

async function register(user: DemoUser, capabilities: Json = {}): Promise<string> {
  const { body } = await user.client.post<{ queue_id: string }>('/api/v1/register', {
    form: { fetch_event_types: '[]', client_capabilities: JSON.stringify(capabilities) },
  });
  return body.queue_id;
}

async function events(user: DemoUser, queueId: string): Promise<Json[]> {
  await chat.runtime.eventLog.sweep();
  const { body } = await user.client.get<{ events: Json[] }>('/api/v1/events', {
    query: { queue_id: queueId, last_event_id: -1, dont_block: true },
  });
  return body.events;
}

function kinds(list: Json[]): string[] {
  return list.map((event) => [event['type'], event['op']].filter((part) => part !== undefined).join('/'));
}

describe('POST /users/me/subscriptions', () => {
  it('subscribes to existing channels, creates missing channels, and returns each channel with its result', async () => {
    const { status, body } = await subscribe(cordelia, ['Venice', 'made by cordelia', 'Verona']);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        subscribed: { [cordelia.id]: expect.arrayContaining(['Venice', 'made by cordelia']) },
        already_subscribed: { [cordelia.id]: ['Verona'] },
      },
    });
    expect(body).not.toHaveProperty('unauthorized');
  });

  it('finds channels by name in any letter case', async () => {
    const { body } = await subscribe(cordelia, ['vERONA']);
    expect(body['already_subscribed']).toEqual({ [cordelia.id]: ['Verona'] });
  });

  it('creates a channel with all requested properties', async () => {
    const form = {
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: '30',
      topics_policy: 'disable_empty_topic',
      can_send_message_group: { direct_members: [desdemona.id], direct_subgroups: [] },
      subscriptions: [{ name: 'full', description: 'A *full*\nchannel', color: '#abcdef' }],
    };
    expect((await subscribe(desdemona, [], form)).status).toBe(200);
    const { body } = await desdemona.client.get<{ subscriptions: Json[] }>(path);
    expect(body.subscriptions.find(({ name }) => name === 'full')).toMatchObject({
      description: 'A *full* channel',
      rendered_description: expect.stringContaining('<em>full</em>'),
      creator_id: desdemona.id,
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: 30,
      topics_policy: 'disable_empty_topic',
      can_send_message_group: { direct_members: [desdemona.id], direct_subgroups: [] },
      can_administer_channel_group: { direct_members: [desdemona.id], direct_subgroups: [] },
      color: '#abcdef',
      is_muted: false,
      in_home_view: true,
      subscriber_count: 1,
    });
  });

  it.each([
    ['an empty name', [' '], {}, "Channel name can't be empty."],
    ['a long name', ['x'.repeat(61)], {}, 'Channel name too long (limit: 60 characters).'],
    ['a name with a control character', ['a\u0007b'], {}, 'Invalid character in channel name, at position 2.'],
    ['nobody', ['Verona'], { principals: [987_654_321_000] }, 'No such user'],
    ['an unknown address', ['Verona'], { principals: ['nobody@example.com'] }, 'No such user'],
    ['both kinds of privacy', ['n1'], { invite_only: true, is_web_public: true }, /both private and web-public/],
    ['a public channel without history', ['n2'], { history_public_to_subscribers: false }, /Only private channels/],
    ['a private default channel', ['n3'], { invite_only: true, is_default_stream: true }, /cannot be made default/],
    ['an unknown folder', ['n4'], { folder_id: 987_654_321_000 }, 'Invalid channel folder ID'],
    ['a bad retention', ['n5'], { message_retention_days: 'soon' }, 'Bad value for message_retention_days'],
    ['a bad policy', ['n6'], { topics_policy: 'none' }, 'Invalid topics_policy'],
    ['an unknown group', ['n7'], { can_send_message_group: 987_654_321 }, 'Invalid user group'],
    ['a private channel', ['core team'], { principals: [] }, 'Unable to access channel (core team).'],
  ])('rejects an invalid request: %s', async (name, names, form, msg) => {
    const { body } = await subscribe(name === 'a private channel' ? cordelia : desdemona, names, form);
    expect(body).toMatchObject({
      result: 'error',
      code: 'BAD_REQUEST',
      msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
    });
  });

  it.each([
    ['keeping messages for a time', { message_retention_days: '5' }, 'UNAUTHORIZED_PRINCIPAL'],
    ['channels that new people join', { is_default_stream: true }, 'UNAUTHORIZED_PRINCIPAL'],
    ['web-public channels', { is_web_public: true }, 'BAD_REQUEST'],
    ['who deletes messages', { can_delete_own_message_group: 1 }, 'BAD_REQUEST'],
  ])('rejects %s for users without permission', async (_name, form, code) => {
    expect((await subscribe(hamlet, ['not by hamlet'], form)).body).toMatchObject({ result: 'error', code });
    const { rowCount } = await chat.runtime.database.query("SELECT 1 FROM channels WHERE name = 'not by hamlet'");
    expect(rowCount).toBe(0);
  });

  it('returns inaccessible channels as unauthorized, and rejects unknown channels for guests', async () => {
    const form = { authorization_errors_fatal: false };
    const { body } = await subscribe(cordelia, ['core team', 'Denmark'], form);
    expect(body).toMatchObject({ subscribed: { [cordelia.id]: ['Denmark'] }, unauthorized: ['core team'] });
    expect((await subscribe(polonius, ['Scotland'])).body).toMatchObject({
      msg: 'Unable to access channel (Scotland).',
    });
    expect((await subscribe(polonius, ['a new one'])).body).toMatchObject({ msg: 'Not allowed for guest users' });
    expect((await subscribe(polonius, ['Rome'])).body).toMatchObject({ subscribed: { [polonius.id]: ['Rome'] } });
    await unsubscribe(polonius, ['Rome']);
  });

  it('subscribes other users by id and by address if the requester has the permission', async () => {
    const byId = await subscribe(iago, ['Venice'], { principals: [hamlet.id, polonius.id] });
    expect(byId.body['subscribed']).toEqual({ [hamlet.id]: ['Venice'], [polonius.id]: ['Venice'] });
    const byAddress = await subscribe(iago, ['Venice'], { principals: ['HAMLET@example.com'] });
    expect(byAddress.body['already_subscribed']).toEqual({ [hamlet.id]: ['Venice'] });
    expect((await subscribe(polonius, ['Verona'], { principals: [hamlet.id] })).body).toMatchObject({
      code: 'UNAUTHORIZED_PRINCIPAL',
      msg: 'Insufficient permission',
    });
    await unsubscribe(iago, ['Venice'], { principals: [hamlet.id, polonius.id] });
  });

  it('emits a new channel to all users except guests, the subscriptions to subscribers, and peer_add events to other users', async () => {
    const queues = await Promise.all([hamlet, iago, polonius].map((user) => register(user)));
    await subscribe(hamlet, ['events public']);
    const [own, others, guests] = await Promise.all([
      events(hamlet, queues[0]!),
      events(iago, queues[1]!),
      events(polonius, queues[2]!),
    ]);
    expect(kinds(own!)).toEqual(['stream/create', 'subscription/add']);
    expect(own![0]).toMatchObject({ streams: [{ name: 'events public', subscriber_count: 0 }] });
    expect(own![1]).toMatchObject({
      subscriptions: [
        { name: 'events public', subscribers: [hamlet.id], subscriber_count: 1, color: expect.any(String) },
      ],
    });
    expect(kinds(others!)).toEqual(['stream/create', 'subscription/peer_add']);
    expect(others![1]).toMatchObject({ stream_ids: [await idOf('events public')], user_ids: [hamlet.id] });
    expect(guests).toEqual([]);
  });

  it('hides a private channel from all but subscribers and administrators', async () => {
    const users = [hamlet, iago, cordelia, polonius];
    const queues = await Promise.all(users.map((user) => register(user)));
    await subscribe(hamlet, ['events private'], { invite_only: true, principals: [hamlet.id, polonius.id] });
    const seen = await Promise.all(users.map((user, index) => events(user, queues[index]!)));
    expect(seen.map(kinds)).toEqual([
      ['stream/create', 'subscription/add'],
      ['stream/create', 'subscription/peer_add'],
      [],
      ['stream/create', 'subscription/add', 'message'],
    ]);
  });

  it('announces each new public channel once if the realm has an announcement channel', async () => {
    const place = await idOf('announce');
    const newest = async () => {
      const narrow = JSON.stringify([{ operator: 'channel', operand: place }]);
      const { body } = await iago.client.get<{
        messages: { content: string; subject: string; sender_full_name: string }[];
      }>('/api/v1/messages', {
        query: { anchor: 'newest', num_before: 1, num_after: 0, narrow, apply_markdown: false },
      });
      return body.messages.at(-1);
    };
    await subscribe(hamlet, ['told one', 'told two'], { announce: true });
    expect(await newest()).toMatchObject({
      content: `@_**King Hamlet|${hamlet.id}** made new channels: #**told one**, #**told two**.`,
      subject: 'new channels',
      sender_full_name: 'Notification Bot',
    });
    await subscribe(hamlet, ['untold'], { announce: true, invite_only: true });
    await subscribe(hamlet, ['told one'], { announce: true });
    await subscribe(hamlet, ['not to be told']);
    expect((await newest())?.content).toContain('told two');
    await hamlet.client.post('/api/v1/channels/create', {
      form: { name: 'told three', subscribers: '[]', announce: 'true' },
    });
    expect((await newest())?.content).toContain('made a new channel: #**told three**');
  });

  it('shows a channel to a subscribed guest, and hides it after unsubscribing', async () => {
    const queueId = await register(polonius);
    await subscribe(iago, ['Scotland'], { principals: [polonius.id] });
    await unsubscribe(iago, ['Scotland'], { principals: [polonius.id] });
    const seen = await events(polonius, queueId);
    const told = seen.filter(({ type }) => type !== 'message');
    expect(kinds(told)).toEqual(['stream/create', 'subscription/add', 'subscription/remove', 'stream/delete']);
    expect(told[3]).toMatchObject({ stream_ids: [await idOf('Scotland')] });
  });

  it('returns effective settings to clients that do not support inherited settings', async () => {
    const [older, newer] = [await register(cordelia), await register(cordelia, { notification_settings_null: true })];
    await subscribe(cordelia, ['notifying']);
    const added = async (queueId: string) => (await events(cordelia, queueId))[1]?.['subscriptions'];
    expect(await added(older)).toMatchObject([{ desktop_notifications: false, wildcard_mentions_notify: true }]);
    expect(await added(newer)).toMatchObject([{ desktop_notifications: null, wildcard_mentions_notify: null }]);
  });
});

describe('DELETE and PATCH /users/me/subscriptions', () => {
  it('return the channels that the user left, and the channels to which the user did not subscribe', async () => {
    await subscribe(cordelia, ['leaving']);
    expect(await unsubscribe(cordelia, ['leaving', 'Scotland'])).toMatchObject({
      removed: ['leaving'],
      not_removed: ['Scotland'],
    });
  });

  it('respond for hidden channels as for nonexistent channels', async () => {
    expect(await unsubscribe(cordelia, ['core team'])).toMatchObject({ msg: 'Channel(s) (core team) do not exist' });
    expect(await unsubscribe(cordelia, ['nowhere'])).toMatchObject({ msg: 'Channel(s) (nowhere) do not exist' });
  });

  it('unsubscribe other users if the requester has the permission', async () => {
    await subscribe(iago, ['putting out'], { principals: [hamlet.id, cordelia.id] });
    expect(await unsubscribe(cordelia, ['putting out'], { principals: [hamlet.id] })).toMatchObject({
      msg: 'Insufficient permission',
    });
    expect(await unsubscribe(iago, ['putting out'], { principals: [hamlet.id] })).toMatchObject({
      removed: ['putting out'],
    });
  });

  it('emit the removal to the user and to other subscribers', async () => {
    await subscribe(hamlet, ['left behind']);
    const [own, other] = [await register(hamlet), await register(cordelia)];
    await unsubscribe(hamlet, ['left behind']);
    const id = await idOf('left behind');
    expect(await events(hamlet, own)).toMatchObject([
      { type: 'subscription', op: 'remove', subscriptions: [{ stream_id: id, name: 'left behind' }] },
    ]);
    expect(await events(cordelia, other)).toMatchObject([
      { type: 'subscription', op: 'peer_remove', stream_ids: [id], user_ids: [hamlet.id] },
    ]);
  });

  it('mark unread messages of the channel as read', async () => {
    await subscribe(hamlet, ['abandoned'], { principals: [hamlet.id, cordelia.id] });
    await hamlet.client.post('/api/v1/messages', {
      form: { type: 'channel', to: 'abandoned', topic: 't', content: 'hello' },
    });
    await unsubscribe(cordelia, ['abandoned']);
    await subscribe(cordelia, ['abandoned']);
    const { body } = await cordelia.client.post<{ unread_msgs: { streams: { stream_id: number }[] } }>(
      '/api/v1/register',
      { form: { fetch_event_types: '["message", "update_message_flags"]' } },
    );
    const id = await idOf('abandoned');
    expect(body.unread_msgs.streams.filter(({ stream_id: channel }) => channel === id)).toEqual([]);
  });

  it('subscribe and unsubscribe in one request, or change nothing when one channel is invalid', async () => {
    const both = (form: Json) => cordelia.client.patch<Json>(path, { form: texts(form) });
    expect((await both({ add: [{ name: 'Scotland' }], delete: ['Denmark'] })).body).toMatchObject({
      subscribed: { [cordelia.id]: ['Scotland'] },
      removed: ['Denmark'],
    });
    const failed = await both({ add: [{ name: 'never made' }], delete: ['nowhere'] });
    expect(failed.body).toMatchObject({ msg: 'Channel(s) (nowhere) do not exist' });
    expect(await idOf('never made')).toBeUndefined();
    expect((await both({})).body).toMatchObject({
      msg: 'Nothing to do. Specify at least one of "add" or "delete".',
    });
  });
});

describe('POST /users/me/subscriptions/properties', () => {
  const set = (user: DemoUser, data: Json[]) =>
    user.client.post<Json>(`${path}/properties`, { form: { subscription_data: JSON.stringify(data) } });

  it('emits each changed property, and emits is_muted also under the older name in_home_view', async () => {
    const id = await idOf('Verona');
    const queueId = await register(hamlet);
    const data = [
      { stream_id: id, property: 'is_muted', value: true },
      { stream_id: id, property: 'color', value: '#123456' },
      { stream_id: id, property: 'pin_to_top', value: true },
      { stream_id: id, property: 'push_notifications', value: false },
    ];
    expect((await set(hamlet, data)).status).toBe(200);
    const { body } = await hamlet.client.get<{ subscriptions: Json[] }>(path);
    expect(body.subscriptions.find(({ stream_id: channel }) => channel === id)).toMatchObject({
      is_muted: true,
      in_home_view: false,
      color: '#123456',
      pin_to_top: true,
      push_notifications: false,
    });
    expect((await events(hamlet, queueId)).map(({ property, value }) => [property, value])).toEqual([
      ['is_muted', true],
      ['in_home_view', false],
      ['color', '#123456'],
      ['pin_to_top', true],
      ['push_notifications', false],
    ]);
  });

  it('accepts the older property in_home_view, and the older endpoint for one property of one channel', async () => {
    const id = await idOf('Verona');
    expect((await set(hamlet, [{ stream_id: id, property: 'in_home_view', value: true }])).status).toBe(200);
    const one = await hamlet.client.patch<Json>(`${path}/${id}`, { form: { property: 'color', value: '#654321' } });
    expect(one.status).toBe(200);
    const { body } = await hamlet.client.get<{ subscriptions: Json[] }>(path);
    expect(body.subscriptions.find(({ stream_id: channel }) => channel === id)).toMatchObject({
      is_muted: false,
      color: '#654321',
    });
  });

  it.each([
    ['an unknown property', { property: 'volume', value: true }, 'Unknown subscription property: volume'],
    ['a value of another type', { property: 'is_muted', value: 'yes' }, 'is_muted is not a boolean'],
    ['a colour that is none', { property: 'color', value: 'red' }, 'color is not a valid hex color code'],
  ])('rejects an invalid property: %s', async (_name, change, msg) => {
    const data = [{ stream_id: await idOf('Verona'), ...change }];
    expect((await set(hamlet, data)).body).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('requires a subscription to the channel', async () => {
    const id = await idOf('errors');
    await unsubscribe(hamlet, ['errors']);
    expect((await set(hamlet, [{ stream_id: id, property: 'is_muted', value: true }])).body).toMatchObject({
      msg: `Not subscribed to channel ID ${id}`,
    });
    expect((await set(hamlet, [{ stream_id: 987_654_321_000, property: 'is_muted', value: true }])).status).toBe(400);
  });
});

describe('GET /users/{user_id}/subscriptions/{stream_id}', () => {
  it('returns the subscription status to users who can see the channel', async () => {
    const id = await idOf('core team');
    const status = (user: DemoUser, of: number) =>
      user.client.get<Json>(`/api/v1/users/${of}/subscriptions/${id}`).then(({ body }) => body);
    expect(await status(iago, hamlet.id)).toMatchObject({ is_subscribed: true });
    expect(await status(iago, cordelia.id)).toMatchObject({ is_subscribed: false });
    expect(await status(cordelia, hamlet.id)).toMatchObject({ msg: 'Invalid channel ID' });
    expect(await status(iago, 987_654)).toMatchObject({ msg: 'No such user' });
    const channels = (user: DemoUser) =>
      user.client
        .get<{ subscribed_channel_ids: number[] }>(`/api/v1/users/${hamlet.id}/channels`)
        .then(({ body }) => body.subscribed_channel_ids);
    expect(await channels(iago)).toContain(id);
    expect(await channels(cordelia)).not.toContain(id);
  });

  it('returns the same status that the subscriber lists of GET /users/me/subscriptions imply', async () => {
    const { body } = await polonius.client.get<{ subscriptions: Json[] }>(path, {
      query: { include_subscribers: 'true' },
    });
    const verona = body.subscriptions.find(({ name }) => name === 'Verona');
    expect(verona?.['subscribers']).toEqual(expect.arrayContaining([polonius.id, hamlet.id]));
  });
});
