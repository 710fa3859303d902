import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChannelAudiences } from './index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

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

function texts(form: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

async function create(user: DemoUser, name: string, form: Json = {}): Promise<number> {
  const { body } = await user.client.post<{ id: number; msg: string }>('/api/v1/channels/create', {
    form: texts({ name, subscribers: [user.id], ...form }),
  });
  expect(body.msg).toBe('');
  return body.id;
}

async function update(user: DemoUser, id: number, form: Json): Promise<Json> {
  return (await user.client.patch<Json>(`/api/v1/streams/${id}`, { form: texts(form) })).body;
}

async function archive(user: DemoUser, id: number): Promise<Json> {
  return (await user.client.delete<Json>(`/api/v1/streams/${id}`)).body;
}

async function show(user: DemoUser, id: number): Promise<Json> {
  return (await user.client.get<{ stream: Json }>(`/api/v1/streams/${id}`)).body.stream;
}

async function names(user: DemoUser, query: Record<string, boolean>): Promise<string[]> {
  const { body } = await user.client.get<{ streams: { name: string }[] }>('/api/v1/streams', { query });
  return body.streams.map(({ name }) => name);
}

async function idOf(name: string): Promise<number> {
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream: name } });
  return body.stream_id;
}

describe('GET /streams', () => {
  const none = { include_public: false, include_subscribed: false };

  it('lists public and subscribed channels, sorted by name', async () => {
    const listed = await names(cordelia, {});
    expect(listed).toEqual(expect.arrayContaining(['Denmark', 'Rome', 'Verona']));
    expect(listed).toEqual(listed.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(listed).not.toContain('core team');
    expect(await names(hamlet, {})).toContain('core team');
  });

  it('lists further channels for each `include_` parameter', async () => {
    expect(await names(cordelia, none)).toEqual([]);
    expect(await names(cordelia, { ...none, include_web_public: true })).toEqual(['Rome']);
    expect(await names(hamlet, { ...none, include_subscribed: true })).toContain('core team');
    expect(await names(cordelia, { ...none, include_all: true })).toContain('Denmark');
    expect(await names(cordelia, { ...none, include_all_active: true })).toContain('Denmark');
    expect(await names(desdemona, { ...none, include_default: true })).toEqual(['Denmark', 'Venice', 'Verona']);
    expect(await names(cordelia, { ...none, include_can_access_content: true })).not.toContain('core team');
    const bot = await botOf(hamlet);
    expect(await names(bot, { ...none, include_owner_subscribed: true })).toEqual(['Verona']);
  });

  it('returns to guests only their subscribed channels and web-public channels', async () => {
    expect(await names(polonius, { include_all: true })).toEqual(['announce', 'Rome', 'Verona']);
  });

  it('marks default channels if requested', async () => {
    const { body } = await iago.client.get<{ streams: Json[] }>('/api/v1/streams', {
      query: { include_default: true },
    });
    expect(body.streams.find(({ name }) => name === 'Venice')).toMatchObject({ is_default: true });
    expect(body.streams.find(({ name }) => name === 'Rome')).toMatchObject({ is_default: false });
  });

  /** Creates a bot of a user. The bot subscribes only to the channel Verona. */
  async function botOf(owner: DemoUser): Promise<DemoUser> {
    const { database } = chat.runtime;
    const bot = await signIn(chat, 'default-bot');
    await database.query('UPDATE users SET bot_owner_id = $2 WHERE id = $1', [bot.id, owner.id]);
    await database.query(
      `UPDATE subscriptions SET is_active = (channel_id = (SELECT id FROM channels WHERE name = 'Verona'))
       WHERE user_id = $1 AND channel_id <> (SELECT id FROM channels WHERE name = 'core team')`,
      [owner.id],
    );
    await database.query(
      "UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND channel_id = (SELECT id FROM channels WHERE name = 'core team')",
      [owner.id],
    );
    return bot;
  }
});

describe('GET /streams/{stream_id}', () => {
  it('returns every documented field and no others', async () => {
    const stream = await show(cordelia, await idOf('Verona'));
    expect(stream).toMatchObject({
      name: 'Verona',
      description: 'A city in Italy',
      rendered_description: expect.stringContaining('A city in Italy'),
      creator_id: iago.id,
      invite_only: false,
      is_web_public: false,
      is_archived: false,
      history_public_to_subscribers: true,
      folder_id: null,
      stream_post_policy: 1,
      topics_policy: 'inherit',
      can_administer_channel_group: { direct_members: [iago.id], direct_subgroups: [] },
    });
  });

  it('finds a channel by case-insensitive name, unless it is hidden', async () => {
    const find = (user: DemoUser, stream: string) =>
      user.client.get<Json>('/api/v1/get_stream_id', { query: { stream } }).then(({ body }) => body);
    expect(await find(cordelia, 'vERONA')).toMatchObject({ stream_id: await idOf('Verona') });
    expect(await find(cordelia, 'core team')).toMatchObject({ msg: "Invalid channel name 'core team'" });
    expect(await find(cordelia, 'nowhere')).toMatchObject({ msg: "Invalid channel name 'nowhere'" });
  });

  it.each([
    ['a hidden channel', () => idOf('core team')],
    ['no channel', () => Promise.resolve(987_654_321_000)],
  ])('treats %s as a nonexistent channel', async (_name, channel) => {
    const id = await channel();
    const refused = { code: 'BAD_REQUEST', msg: 'Invalid channel ID' };
    expect((await cordelia.client.get(`/api/v1/streams/${id}`)).body).toMatchObject(refused);
    expect((await cordelia.client.get(`/api/v1/streams/${id}/members`)).body).toMatchObject(refused);
    expect(await update(cordelia, id, { description: 'x' })).toMatchObject(refused);
    expect(await archive(cordelia, id)).toMatchObject(refused);
  });

  it('lists subscribers at /members to users who can see the channel', async () => {
    const { body } = await iago.client.get<Json>(`/api/v1/streams/${await idOf('core team')}/members`);
    expect(body['subscribers']).toEqual([iago.id, desdemona.id].toSorted((a, b) => a - b));
  });

  it('rejects an id that is not a number', async () => {
    expect((await iago.client.get('/api/v1/streams/verona')).body).toMatchObject({ msg: 'Invalid stream_id' });
  });
});

describe('POST /channels/create', () => {
  it('creates a channel, and rejects the name of an existing channel', async () => {
    const id = await create(cordelia, 'created', { description: 'new' });
    expect(await show(iago, id)).toMatchObject({ name: 'created', subscriber_count: 1, description: 'new' });
    const again = await iago.client.post('/api/v1/channels/create', { form: { name: 'CREATED', subscribers: '[]' } });
    expect(again.body).toMatchObject({ code: 'BAD_REQUEST', msg: "Channel 'CREATED' already exists" });
  });

  it('rejects guests', async () => {
    const { body } = await polonius.client.post('/api/v1/channels/create', { form: { name: 'x', subscribers: '[]' } });
    expect(body).toMatchObject({ msg: 'Not allowed for guest users' });
  });

  it('creates one channel for concurrent requests with the same name', async () => {
    const responses = await Promise.all(
      [iago, cordelia, desdemona, iago, cordelia].map((user) =>
        user.client.post<Json>('/api/v1/channels/create', {
          form: { name: 'wanted by all', subscribers: `[${user.id}]` },
        }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
    const joined = await Promise.all(
      [iago, cordelia, desdemona].map((user) =>
        user.client.post<Json>('/api/v1/users/me/subscriptions', {
          form: { subscriptions: JSON.stringify([{ name: 'joined B' }, { name: 'Joined a' }]) },
        }),
      ),
    );
    expect(joined.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await show(iago, await idOf('joined a'))).toMatchObject({ subscriber_count: 3 });
  });
});

describe('PATCH /streams/{stream_id}', () => {
  it('emits each change under the documented property name', async () => {
    const id = await create(iago, 'changing');
    const queue = await openTestEventQueue(chat, cordelia, ['stream']);
    expect(await update(iago, id, { new_name: 'Changed', description: 'now\n*this*' })).toMatchObject({ msg: '' });
    expect(await update(iago, id, { topics_policy: 'empty_topic_only' })).toMatchObject({ msg: '' });
    expect(await update(desdemona, id, { message_retention_days: 'unlimited' })).toMatchObject({ msg: '' });
    expect(await queue.read()).toMatchObject([
      { op: 'update', stream_id: id, property: 'name', value: 'Changed', name: 'changing' },
      { property: 'description', value: 'now *this*', rendered_description: expect.stringContaining('<em>this</em>') },
      { property: 'topics_policy', value: 'empty_topic_only', name: 'Changed' },
      { property: 'message_retention_days', value: -1 },
    ]);
    expect(await update(iago, id, { description: 'now *this*' })).toMatchObject({ msg: '' });
    expect(await queue.read()).toEqual([]);
  });

  it('changes permission groups, and checks the `old` value if it is given', async () => {
    const id = await create(iago, 'permitting');
    const queue = await openTestEventQueue(chat, cordelia, ['stream']);
    const { rows } = await chat.runtime.database.query<{ name: string; id: number }>(
      "SELECT name, id FROM user_groups WHERE name IN ('role:administrators', 'role:moderators', 'role:everyone')",
    );
    const group = (name: string) => rows.find((row) => row.name === `role:${name}`)?.id ?? 0;
    const change = { new: group('administrators'), old: group('moderators') };
    expect(await update(iago, id, { can_send_message_group: change })).toMatchObject({ code: 'EXPECTATION_MISMATCH' });
    const agreed = { ...change, old: group('everyone') };
    expect(await update(iago, id, { can_send_message_group: agreed })).toMatchObject({ msg: '' });
    expect(await queue.read()).toMatchObject([
      { property: 'can_send_message_group', value: group('administrators') },
      { property: 'stream_post_policy', value: 2 },
      { property: 'is_announcement_only', value: true },
    ]);
    expect(await show(cordelia, id)).toMatchObject({ stream_post_policy: 2, is_announcement_only: true });
  });

  it.each([
    ['the name that it has', { new_name: 'refusing' }, 'Channel already has that name.'],
    ['a name that is taken', { new_name: 'vEnice' }, "Channel name 'vEnice' is already taken."],
    ['no name', { new_name: ' ' }, "Channel name can't be empty."],
    ['a long description', { description: 'x'.repeat(1025) }, 'description is too long (limit: 1024 characters)'],
    ['a public channel without history', { history_public_to_subscribers: false }, /Only private channels/],
    ['both kinds of privacy', { is_private: true, is_web_public: true }, /both private and web-public/],
    ['a private default channel', { is_private: true, is_default_stream: true }, /cannot be made default/],
    ['an unknown folder', { folder_id: 987_654_321_000 }, 'Invalid channel folder ID'],
    ['archiving', { is_archived: true }, 'Invalid is_archived'],
  ])('rejects an invalid change: %s', async (_name, form, msg) => {
    const id = (await idOf('refusing')) ?? (await create(iago, 'refusing'));
    expect(await update(iago, id, form)).toMatchObject({
      code: 'BAD_REQUEST',
      msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
    });
  });

  it('requires a channel or organization administrator', async () => {
    const id = await create(cordelia, 'administered');
    expect(await update(hamlet, id, { description: 'mine' })).toMatchObject({ code: 'CANNOT_ADMINISTER_CHANNEL' });
    expect(await archive(hamlet, id)).toMatchObject({ code: 'CANNOT_ADMINISTER_CHANNEL' });
    expect(await update(cordelia, id, { description: 'mine' })).toMatchObject({ msg: '' });
    expect(await update(iago, id, { description: 'ours' })).toMatchObject({ msg: '' });
    expect(await update(iago, id, { message_retention_days: '3' })).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
  });

  it('rejects a change of privacy by users who cannot read the channel', async () => {
    const id = await create(cordelia, 'confidential', { invite_only: true });
    expect(await update(iago, id, { is_private: false })).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await update(iago, id, { description: 'known of' })).toMatchObject({ msg: '' });
  });

  it('emits a creation to users who gain access to the channel, and a deletion to users who lose access', async () => {
    const id = await create(cordelia, 'opening', { invite_only: true });
    const [subscriber, member] = [
      await openTestEventQueue(chat, cordelia, ['stream', 'subscription']),
      await both(hamlet),
    ];
    const guest = await both(polonius);
    expect(await update(cordelia, id, { is_private: false })).toMatchObject({ msg: '' });
    expect(await member.read()).toMatchObject([
      { type: 'stream', op: 'create', streams: [{ stream_id: id, invite_only: false, subscriber_count: 0 }] },
      { type: 'subscription', op: 'peer_add', stream_ids: [id], user_ids: [cordelia.id] },
    ]);
    expect(await update(cordelia, id, { is_private: true })).toMatchObject({ msg: '' });
    expect(await member.read()).toMatchObject([{ type: 'stream', op: 'delete', stream_ids: [id] }]);
    expect(await subscriber.read()).toMatchObject([
      { op: 'update', property: 'invite_only', value: false, history_public_to_subscribers: true },
      { op: 'update', property: 'invite_only', value: true, history_public_to_subscribers: false },
    ]);
    expect(await guest.read()).toEqual([]);
  });

  const both = (user: DemoUser) => openTestEventQueue(chat, user, ['stream', 'subscription']);
});

describe('DELETE /streams/{stream_id}', () => {
  it('emits an update to clients that support archived channels, and a deletion to other clients', async () => {
    const id = await create(cordelia, 'archived');
    const knowing = await openTestEventQueue(chat, hamlet, ['stream', 'subscription'], {
      client_capabilities: '{"archived_channels": true}',
    });
    const others = await openTestEventQueue(chat, hamlet, ['stream', 'subscription']);
    const subscriber = await openTestEventQueue(chat, cordelia, ['stream', 'subscription']);
    expect(await archive(iago, id)).toMatchObject({ msg: '' });
    expect(await archive(iago, id)).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await knowing.read()).toMatchObject([{ op: 'update', property: 'is_archived', value: true }]);
    expect(await others.read()).toMatchObject([{ op: 'delete', stream_ids: [id] }]);
    expect(await names(hamlet, {})).not.toContain('archived');
    expect(await names(hamlet, { exclude_archived: false })).toContain('archived');
    await subscriber.read();

    expect(await update(iago, id, { is_archived: false })).toMatchObject({ msg: '' });
    expect(await knowing.read()).toMatchObject([{ op: 'update', property: 'is_archived', value: false }]);
    expect(await others.read()).toMatchObject([{ op: 'create' }, { op: 'peer_add', user_ids: [cordelia.id] }]);
    expect(await subscriber.read()).toMatchObject([
      { op: 'create' },
      { op: 'add', subscriptions: [{ stream_id: id, subscribers: [cordelia.id] }] },
    ]);
  });

  it('makes the channel reject new messages and subscriptions', async () => {
    const id = await create(cordelia, 'closed for ever');
    await archive(iago, id);
    const form = { type: 'channel', to: 'closed for ever', topic: 't', content: 'x' };
    expect((await cordelia.client.post('/api/v1/messages', { form })).status).toBe(400);
    const joined = await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name": "closed for ever"}]' },
    });
    expect(joined.body).toMatchObject({ msg: 'Unable to access channel (closed for ever).' });
  });
});

describe('POST and DELETE /default_streams', () => {
  it('emit one default_streams event to all users except guests', async () => {
    const id = await idOf('Scotland');
    const [member, guest] = [await openTestEventQueue(chat, hamlet, ['default_streams']), await guestQueue()];
    const form = { stream_id: String(id) };
    for (let time = 0; time < 2; time += 1) await iago.client.post('/api/v1/default_streams', { form });
    const [{ default_streams: added } = {}, ...more] = await member.read();
    expect(added).toContain(id);
    expect(more).toEqual([]);
    await iago.client.delete('/api/v1/default_streams', { form });
    const [{ default_streams: left } = {}] = await member.read();
    expect(left).not.toContain(id);
    expect(await guest.read()).toEqual([]);
  });

  it('require an administrator and a public channel', async () => {
    const set = async (user: DemoUser, name: string) => {
      const form = { stream_id: String(await idOf(name)) };
      return (await user.client.post<Json>('/api/v1/default_streams', { form })).body;
    };
    expect(await set(cordelia, 'Rome')).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
    expect(await set(iago, 'core team')).toMatchObject({ msg: 'Private channels cannot be made default.' });
    const { body } = await iago.client.post('/api/v1/default_streams', { form: { stream_id: '987654321000' } });
    expect(body).toMatchObject({ msg: 'Invalid channel ID' });
  });

  const guestQueue = () => openTestEventQueue(chat, polonius, ['default_streams']);
});

describe('listChannelAudiences', () => {
  it('returns the same list of viewers for all public channels, extended by guests who subscribe to a channel', async () => {
    const ids = [
      await create(iago, 'seen alike'),
      await create(hamlet, 'seen alike too'),
      await create(iago, 'seen by a guest', { subscribers: [iago.id, polonius.id] }),
    ];
    const { database } = chat.runtime;
    const { rows } = await database.query<{ id: number; realm_id: number; is_guest: boolean }>(
      'SELECT id, realm_id, role = 600 AS is_guest FROM users WHERE is_active ORDER BY id',
    );
    const audiences = await listChannelAudiences(database, rows[0]?.realm_id ?? 0, ids);
    const [first, second, withGuest] = ids.map((id) => audiences.get(id)?.viewers);
    expect(first).toEqual(rows.filter((row) => !row.is_guest).map(({ id }) => id));
    expect(second).toBe(first);
    expect(withGuest).toEqual([...(first ?? []), polonius.id].toSorted((a, b) => a - b));
  });
});
