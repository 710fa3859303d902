import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealmOwnerAccount } from '../admin/accounts.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

interface State extends Record<string, unknown> {
  streams: { name: string; is_archived: boolean }[];
  subscriptions: { name: string; is_archived: boolean }[];
  realm_user_groups: { name: string; deactivated: boolean }[];
  realm_users: { user_id: number; full_name: string }[];
  user_topics: { topic_name: string }[];
  muted_topics: [string, string, number][];
  unread_msgs: { streams: { topic: string }[] };
}

async function register(user: DemoUser, form: Record<string, string> = {}): Promise<State> {
  return (await user.client.post<State>('/api/v1/register', { form })).body;
}

const envelope = ['idle_queue_timeout_secs', 'last_event_id', 'msg', 'queue_id', 'result'];
const permanentFields = [...envelope, 'zulip_feature_level', 'zulip_merge_base', 'zulip_version'];

const additionalFields = ['available_notification_sounds', 'emojiset_choices', 'timezone'];

/** Expected snapshot fields for each fetch type that has several fields (docs/contract/chat.md 4.2). */
const fieldsOf: [string[], string[]][] = [
  [['alert_words'], ['alert_words']],
  [['attachment'], []],
  [['custom_profile_fields'], ['custom_profile_field_types', 'custom_profile_fields']],
  [['default_streams'], ['realm_default_streams']],
  [['default_stream_groups'], ['realm_default_stream_groups']],
  [['drafts'], ['drafts']],
  [['scheduled_messages'], ['scheduled_messages']],
  [['reminders'], ['max_reminder_note_length', 'reminders']],
  [['saved_snippets'], ['saved_snippets']],
  [['navigation_views'], ['navigation_views']],
  [['channel_folders'], ['channel_folders']],
  [['onboarding_steps'], ['navigation_tour_video_url', 'onboarding_steps']],
  [['message'], ['max_message_id']],
  [['update_message_flags'], []],
  [
    ['message', 'update_message_flags'],
    ['max_message_id', 'unread_msgs'],
  ],
  [['starred_messages'], ['starred_messages']],
  [['muted_topics'], ['muted_topics']],
  [['user_topic'], ['user_topics']],
  [['muted_topics', 'user_topic'], ['user_topics']],
  [['muted_users'], ['muted_users']],
  [['user_status'], ['user_status']],
  [['presence'], ['presence_last_update_id', 'presences', 'server_timestamp']],
  [['recent_private_conversations'], ['recent_private_conversations']],
  [['subscription'], ['never_subscribed', 'subscriptions', 'unsubscribed']],
  [['stream'], ['streams']],
  [['realm_bot'], ['realm_bots']],
  [['realm_embedded_bots'], ['realm_embedded_bots']],
  [['realm_incoming_webhook_bots'], ['realm_incoming_webhook_bots']],
  [['realm_user_groups'], ['realm_user_groups']],
  [['user_group'], []],
  [['realm_emoji'], ['realm_emoji']],
  [['realm_linkifiers'], ['realm_linkifiers']],
  [['realm_filters'], ['realm_filters']],
  [['realm_playgrounds'], ['realm_playgrounds']],
  [['realm_domains'], ['realm_domains']],
  [['realm_user_settings_defaults'], ['realm_user_settings_defaults']],
  [['user_settings'], ['user_settings']],
  [['update_display_settings'], additionalFields],
  [['update_global_notifications'], additionalFields],
  [['stop_words'], ['stop_words']],
  [['video_calls'], ['has_vcall_token', 'has_webex_token', 'has_zoom_token']],
  [['giphy'], ['giphy_api_key']],
  [['device'], ['devices', 'push_devices']],
  [['zulip_version', 'not_thought_of_yet'], []],
];

describe('POST /register: fetch_event_types', () => {
  it('returns only the snapshot fields of the requested event types', async () => {
    for (const [types, fields] of fieldsOf) {
      const state = await register(iago, { fetch_event_types: JSON.stringify(types) });
      const names = Object.keys(state).filter((name) => !permanentFields.includes(name));
      expect({ types, names: names.toSorted() }).toEqual({ types, names: fields });
      expect(Object.keys(state)).toEqual(expect.arrayContaining(permanentFields));
    }
  });

  it('returns all fields by default, except fields for older clients', async () => {
    const state = await register(iago);
    const newer = fieldsOf
      .flatMap(([, fields]) => fields)
      .filter((name) => ![...additionalFields, 'muted_topics'].includes(name));
    expect(newer.filter((name) => !(name in state))).toEqual([]);
    expect([...additionalFields, 'muted_topics'].filter((name) => name in state)).toEqual([]);
  });
});

describe('POST /register: embedded bots and stop words', () => {
  it('returns empty lists, because the server runs no such bots and searches find every word', async () => {
    const state = await register(iago, { fetch_event_types: '["realm_embedded_bots", "stop_words"]' });
    expect(state).toMatchObject({ realm_embedded_bots: [], stop_words: [] });
  });
});

describe('POST /register: client_capabilities', () => {
  const capable = (name: string) => ({ client_capabilities: JSON.stringify({ [name]: true }) });

  it('includes archived channels with archived_channels', async () => {
    await chat.runtime.database.query("UPDATE channels SET is_archived = true WHERE name = 'Denmark'");
    const [older, newer] = [await register(iago), await register(iago, capable('archived_channels'))];
    const names = ({ streams }: State) => streams.map(({ name }) => name);
    expect(names(older)).not.toContain('Denmark');
    expect(names(newer)).toContain('Denmark');
    expect(newer.subscriptions.find(({ name }) => name === 'Denmark')?.is_archived).toBe(true);
    await chat.runtime.database.query("UPDATE channels SET is_archived = false WHERE name = 'Denmark'");
  });

  it('includes deactivated groups with include_deactivated_groups', async () => {
    await chat.runtime.database.query(
      `INSERT INTO user_groups (realm_id, kind, name, description, deactivated, can_add_members_group_id,
         can_join_group_id, can_leave_group_id, can_manage_group_id, can_mention_group_id, can_remove_members_group_id)
       SELECT realm_id, 'named', 'past', '', true, id, id, id, id, id, id FROM user_groups WHERE name = 'role:nobody'`,
    );
    const names = ({ realm_user_groups: groups }: State) => groups.map(({ name }) => name);
    expect(names(await register(iago))).not.toContain('past');
    expect(names(await register(iago, capable('include_deactivated_groups')))).toContain('past');
  });

  it('omits users hidden from a guest with user_list_incomplete, instead of returning placeholders', async () => {
    const { database } = chat.runtime;
    const permission = (group: string) =>
      database.query(
        `UPDATE realm_permissions p SET group_id = g.id FROM user_groups g
         WHERE p.setting = 'can_access_all_users_group' AND g.realm_id = p.realm_id AND g.name = $1`,
        [group],
      );
    const polonius = await signIn(chat, 'polonius');
    await createRealmOwnerAccount(chat.runtime, {
      realm: undefined,
      email: 'stranger@example.com',
      fullName: 'Stranger',
      password: undefined,
    });
    const named = ({ realm_users: users }: State, name: string) => users.filter((user) => user.full_name === name);
    await permission('role:members');
    expect(named(await register(iago), 'Stranger')).toHaveLength(1);
    const older = await register(polonius);
    expect(named(older, 'Stranger')).toEqual([]);
    expect(named(older, 'Unknown user')).toHaveLength(1);
    const newer = await register(polonius, capable('user_list_incomplete'));
    expect(newer.realm_users).toHaveLength(older.realm_users.length - 1);
    expect(named(newer, 'Unknown user')).toEqual([]);
    await permission('role:everyone');
  });

  it('returns the empty topic as an empty string with empty_topic_name', async () => {
    await send(hamlet, { topic: '' });
    await chat.runtime.database.query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy)
       SELECT $1, id, '', '', 1 FROM channels WHERE name = 'Verona'`,
      [iago.id],
    );
    const topics = async (form: Record<string, string>) => {
      const { unread_msgs: unread, user_topics: policies } = await register(iago, form);
      const { muted_topics: muted } = await register(iago, { ...form, fetch_event_types: '["muted_topics"]' });
      const unreadTopics = unread.streams.map(({ topic }) => topic);
      return [unreadTopics, policies.map(({ topic_name: topic }) => topic), muted.map(([, topic]) => topic)];
    };
    for (const list of await topics({})) {
      expect(list).toContain('general chat');
      expect(list).not.toContain('');
    }
    for (const list of await topics(capable('empty_topic_name'))) {
      expect(list).toContain('');
      expect(list).not.toContain('general chat');
    }
  });
});

describe('POST /register: server_emoji_data_url', () => {
  it('returns an absolute URL that serves the names of Unicode emoji without credentials', async () => {
    const { server_emoji_data_url: url } = await register(hamlet, { fetch_event_types: '["realm"]' });
    const { origin, pathname } = new URL(String(url));
    expect(String(url)).toBe(`${origin}${pathname}`);
    const { status, body, headers } = await chat.client.get<{ code_to_names: Record<string, string[]> }>(pathname);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual(['code_to_names']);
    expect(body.code_to_names['1f419']).toContain('octopus');
    expect(body.code_to_names['1f642']?.[0]).toBe('smile');
  });
});
