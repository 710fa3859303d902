import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface Channel {
  stream_id: number;
  name: string;
  subscribers?: number[];
  desktop_notifications?: boolean | null;
  can_administer_channel_group: unknown;
  can_send_message_group: unknown;
}

interface State {
  queue_id: string;
  last_event_id: number;
  max_message_id: number;
  idle_queue_timeout_secs: number;
  realm_users: { user_id: number; email: string; is_active: boolean }[];
  cross_realm_bots: { is_system_bot: boolean }[];
  realm_user_groups: { id: number; name: string; members: number[]; direct_subgroup_ids: number[] }[];
  realm_bots: { email: string; api_key: string }[];
  subscriptions: Channel[];
  unsubscribed: Channel[];
  never_subscribed: Channel[];
  streams: Channel[];
  unread_msgs: {
    count: number;
    pms: { other_user_id: number; unread_message_ids: number[] }[];
    streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
    huddles: { user_ids_string: string; unread_message_ids: number[] }[];
    mentions: number[];
  };
  recent_private_conversations: { max_message_id: number; user_ids: number[] }[];
  starred_messages: number[];
  msg: string;
  code: string;
}

async function register(user: DemoUser, form: Record<string, string> = {}) {
  return (await user.client.post<State>('/api/v1/register', { form })).body;
}

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', {
    form: { type: 'channel', to: 'Verona', topic: 'register', content: 'x', ...form },
  });
  return body.id;
}

const names = (channels: readonly Channel[]): string[] => channels.map((channel) => channel.name).toSorted();

/**
 * Snapshot fields that the Flutter client or the Terminal client requires: a client crashes if such a field is missing
 * (docs/contract/chat.md 4.5).
 */
const requiredFields = [
  'alert_words',
  'custom_profile_fields',
  'max_stream_name_length',
  'max_topic_length',
  'muted_users',
  'presences',
  'server_presence_ping_interval_seconds',
  'server_presence_offline_threshold_seconds',
  'realm_emoji',
  'user_topics',
  'realm_user_groups',
  'recent_private_conversations',
  'subscriptions',
  'unread_msgs',
  'starred_messages',
  'streams',
  'user_status',
  'user_settings',
  'realm_wildcard_mention_policy',
  'realm_name',
  'realm_waiting_period_threshold',
  'realm_allow_message_editing',
  'realm_enable_read_receipts',
  'realm_icon_url',
  'realm_presence_disabled',
  'realm_default_external_accounts',
  'max_file_upload_size_mib',
  'server_emoji_data_url',
  'realm_users',
  'event_queue_longpoll_timeout_seconds',
  'realm_non_active_users',
  'cross_realm_bots',
  'max_message_id',
  'realm_message_retention_days',
  'realm_date_created',
  'server_generation',
  'realm_linkifiers',
  'realm_filters',
  'server_supported_permission_settings',
  'realm_empty_topic_display_name',
  'has_zoom_token',
  'has_vcall_token',
];

describe('POST /register', () => {
  it('returns every snapshot field that clients require', async () => {
    const state = await register(iago, {
      apply_markdown: 'true',
      slim_presence: 'true',
      client_capabilities: '{"empty_topic_name": true, "archived_channels": true, "something_newer": true}',
    });
    expect(requiredFields.filter((key) => !(key in state))).toEqual([]);
    expect(state).toMatchObject({ last_event_id: -1, zulip_feature_level: 486, idle_queue_timeout_secs: 600 });
    expect(state).not.toHaveProperty('muted_topics');
    expect(state.realm_users.map((user) => user.user_id)).toContain(iago.id);
    expect(state.cross_realm_bots).toHaveLength(3);
    expect(state.realm_bots.map((bot) => bot.email)).toContain('default-bot@example.com');
    expect(state.realm_bots.every((bot) => bot.api_key.length === 32)).toBe(true);
  });

  it('returns only the fields of the requested event types, under either parameter name', async () => {
    const bare = ['code', 'idle_queue_timeout_secs', 'last_event_id', 'msg', 'queue_id', 'result'];
    const keys = async (form: Record<string, string>) =>
      Object.keys(await register(iago, form)).filter((key) => !bare.includes(key) && !key.startsWith('zulip_'));
    expect(await keys({ fetch_event_types: '[]' })).toEqual([]);
    expect(await keys({ event_types: '["starred_messages"]' })).toEqual(['starred_messages']);
    expect(await keys({ event_types: '["message"]', fetch_event_types: '["alert_words"]' })).toEqual(['alert_words']);
    expect(await keys({ fetch_event_types: '["muted_topics", "nothing_known"]' })).toEqual(['muted_topics']);
    expect(await keys({ fetch_event_types: '["realm_user"]' })).toContain('can_create_streams');
  });

  it.each(['true', 'partial'])(
    'runs at most seventeen SQL statements while nothing has changed (include_subscribers=%s)',
    async (subscribers) => {
      const logging = await cluster.start({ SLOW_QUERY_MS: '0' });
      const { client } = await signIn(logging, 'iago');
      const form = { include_subscribers: subscribers };
      await client.post('/api/v1/register', { form });
      const { headers } = await client.post('/api/v1/register', { form });
      const statements = cluster.log
        .map((line): { requestId?: string; sql?: string } => JSON.parse(line))
        .filter(({ requestId }) => requestId === headers['x-request-id'])
        .map(({ sql }) => sql ?? '');
      const begin = statements.findIndex((sql) => sql.includes('REPEATABLE READ'));
      const snapshot = statements.slice(begin + 1, statements.indexOf('COMMIT', begin));
      expect(begin).toBeGreaterThanOrEqual(0);
      expect(snapshot.length).toBeGreaterThan(5);
      expect(snapshot.length).toBeLessThanOrEqual(17);
      // The subscriptions of the realm are cached.
      expect(snapshot.filter((sql) => /_agg\(s\.user_id/.test(sql))).toEqual([]);
    },
  );

  it.each([
    ['seconds', { idle_queue_timeout: '60' }, 60],
    ['mobile', { idle_queue_timeout: 'mobile' }, 43_200],
    ['mobile as JSON', { idle_queue_timeout: '"mobile"' }, 43_200],
    ['more than a week', { idle_queue_timeout: '9999999' }, 604_800],
    ['less than a second', { idle_queue_timeout: '0' }, 1],
    ['the older name', { lifespan_secs: '120' }, 120],
  ])('sets the idle timeout of the event queue: %s', async (_name, form, seconds) => {
    expect((await register(iago, { fetch_event_types: '[]', ...form })).idle_queue_timeout_secs).toBe(seconds);
  });

  it.each([
    ['an operator that queues cannot filter by', { narrow: '[["has", "link"]]' }, 'Operator has not supported.'],
    ['a narrow of objects', { narrow: '[{"operator":"is","operand":"dm"}]' }, 'narrow[0] is not a list'],
    [
      'capabilities that are no booleans',
      { client_capabilities: '{"empty_topic_name": 1}' },
      'client_capabilities["empty_topic_name"] is not a boolean',
    ],
    ['another word for subscribers', { include_subscribers: 'some' }, 'Invalid include_subscribers'],
  ])('rejects an invalid request: %s', async (_name, form, msg) => {
    expect(await register(iago, form)).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('responds 401 without credentials', async () => {
    expect((await chat.client.post('/api/v1/register')).status).toBe(401);
  });
});

describe('POST /register: snapshot', () => {
  it('lists channels to users who can see them', async () => {
    const admin = await register(iago);
    expect(names(admin.subscriptions)).toContain('core team');
    const zoe = await register(await signIn(chat, 'ZOE'));
    expect(names([...zoe.streams, ...zoe.never_subscribed])).not.toContain('core team');
    expect(names(zoe.streams)).toContain('Rome');
    const guest = await register(polonius);
    expect(names(guest.subscriptions)).toEqual(['Verona', 'announce']);
    expect(names(guest.streams)).toEqual(['Rome', 'Verona', 'announce']);
  });

  it('lists subscribers of channels if they are requested and the user can see them', async () => {
    expect((await register(iago)).subscriptions[0]).not.toHaveProperty('subscribers');
    for (const include of ['true', 'partial']) {
      const { subscriptions, never_subscribed } = await register(iago, { include_subscribers: include });
      expect(subscriptions.find((channel) => channel.name === 'Verona')?.subscribers).toHaveLength(10);
      expect(never_subscribed.find((channel) => channel.name === 'Rome')?.subscribers).toHaveLength(1);
    }
  });

  it('represents inherited subscription settings by null, or by the effective value for older clients', async () => {
    const knowing = await register(iago, { client_capabilities: '{"notification_settings_null": true}' });
    expect(knowing.subscriptions[0]?.desktop_notifications).toBeNull();
    expect((await register(iago)).subscriptions[0]?.desktop_notifications).toBe(false);
  });

  it('returns named groups by id and anonymous groups by their members', async () => {
    const { streams, realm_user_groups } = await register(iago);
    const everyone = realm_user_groups.find((group) => group.name === 'role:everyone');
    expect(streams[0]).toMatchObject({
      can_send_message_group: everyone?.id,
      can_administer_channel_group: { direct_members: [iago.id], direct_subgroups: [] },
    });
    expect(realm_user_groups.map((group) => group.name)).toHaveLength(8);
    expect(everyone?.members).toEqual([polonius.id]);
  });

  it('returns unread messages grouped by conversation', async () => {
    const { database } = chat.runtime;
    await database.query('UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1', [iago.id]);
    const zoe = await signIn(chat, 'ZOE');
    const mention = await send(hamlet, { content: '@**Iago**' });
    const other = await send(hamlet, { topic: 'REGISTER' });
    const pair = await send(hamlet, { type: 'direct', to: `[${iago.id}]` });
    const group = await send(hamlet, { type: 'direct', to: `[${iago.id},${zoe.id}]` });
    const { unread_msgs: unread, recent_private_conversations: recent, max_message_id } = await register(iago);
    expect(unread).toMatchObject({
      count: 4,
      pms: [{ other_user_id: hamlet.id, sender_id: hamlet.id, unread_message_ids: [pair] }],
      streams: [{ topic: 'REGISTER', unread_message_ids: [mention, other] }],
      huddles: [
        {
          user_ids_string: [hamlet.id, iago.id, zoe.id].toSorted((a, b) => a - b).join(','),
          unread_message_ids: [group],
        },
      ],
      mentions: [mention],
      old_unreads_missing: false,
    });
    expect(recent[0]).toEqual({ max_message_id: group, user_ids: [hamlet.id, zoe.id].toSorted((a, b) => a - b) });
    expect(recent[1]).toEqual({ max_message_id: pair, user_ids: [hamlet.id] });
    expect(max_message_id).toBe(group);
  });

  it('lists unread messages of muted conversations without counting them', async () => {
    const { database } = chat.runtime;
    await database.query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy)
       SELECT $1, id, 'register', 'register', 1 FROM channels WHERE name = 'Verona'
       ON CONFLICT (user_id, channel_id, topic_key) DO UPDATE SET visibility_policy = 1`,
      [iago.id],
    );
    const { unread_msgs: unread } = await register(iago);
    expect(unread.count).toBe(2);
    expect(unread.streams).toHaveLength(1);
    expect(unread.mentions).toHaveLength(1);
    const topics = await register(iago, { fetch_event_types: '["muted_topics"]' });
    expect(topics).toMatchObject({ muted_topics: [['Verona', 'register', expect.any(Number)]] });
  });
});

describe('POST /register with concurrent messages', () => {
  it('returns each message exactly once, in the snapshot or as an event', async () => {
    const sending = (async () => {
      const ids: number[] = [];
      for (let count = 0; count < 30; count += 1) ids.push(await send(hamlet, { topic: 'race' }));
      return ids;
    })();
    const registrations = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 12));
        return register(iago, { fetch_event_types: '["message"]' });
      }),
    );
    const ids = await sending;
    await chat.runtime.eventLog.sweep();
    for (const { queue_id, max_message_id } of registrations) {
      const { body } = await iago.client.get<{ events: { message: { id: number } }[] }>('/api/v1/events', {
        query: { queue_id, last_event_id: -1, dont_block: true },
      });
      const received = body.events.map((event) => event.message.id);
      expect(received).toEqual(ids.filter((id) => id > max_message_id));
    }
  });
});

describe('POST /register after a role change', () => {
  it("shows the email addresses that the user's role at the time of the snapshot may see", async () => {
    const own = { email_address_visibility: '3' };
    expect((await hamlet.client.patch<State>('/api/v1/settings', { form: own })).body.msg).toBe('');
    const addressSeen = async () => {
      const { realm_users: users } = await register(iago, { fetch_event_types: '["realm_user"]' });
      return users.find(({ user_id: id }) => id === hamlet.id);
    };
    expect(await addressSeen()).toMatchObject({ delivery_email: 'hamlet@example.com' });
    // A change that commits after the credentials of the request were looked up, without invalidating caches.
    const setRole = (role: number) =>
      chat.runtime.database.query('UPDATE users SET role = $2 WHERE id = $1', [iago.id, role]);
    await setRole(400);
    try {
      expect(await addressSeen()).toMatchObject({ delivery_email: null });
    } finally {
      await setRole(200);
    }
  });
});
