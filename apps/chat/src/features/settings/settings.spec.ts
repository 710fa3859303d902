import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let cordelia: DemoUser;
let groups: ReadonlyMap<string, number>;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, cordelia] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'cordelia'),
  ]);
  const { body } = await iago.client.get<{ user_groups: { id: number; name: string }[] }>('/api/v1/user_groups');
  groups = new Map(body.user_groups.map(({ id, name }) => [name, id]));
});
afterAll(() => cluster.stop());

async function change(user: DemoUser, form: Json, path = 'settings'): Promise<Json> {
  const fields = Object.entries(form).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return (await user.client.patch<Json>(`/api/v1/${path}`, { form: Object.fromEntries(fields) })).body;
}

async function settingsOf(user: DemoUser): Promise<Json> {
  const form = { fetch_event_types: '["user_settings"]', event_types: '[]' };
  return (await user.client.post<{ user_settings: Json }>('/api/v1/register', { form })).body.user_settings;
}

/** Map from each user setting to a value that differs from the default value. */
const others: Json = {
  twenty_four_hour_time: true,
  web_mark_read_on_scroll_policy: 3,
  web_channel_default_view: 3,
  starred_message_counts: false,
  receives_typing_notifications: false,
  web_suggest_update_timezone: false,
  fluid_layout_width: true,
  high_contrast_mode: true,
  web_font_size_px: 14,
  web_line_height_percent: 122,
  color_scheme: 2,
  enable_drafts_synchronization: false,
  translate_emoticons: true,
  display_emoji_reaction_users: false,
  web_home_view: 'all_messages',
  web_escape_navigates_to_home_view: false,
  left_side_userlist: true,
  emojiset: 'twitter',
  demote_inactive_streams: 3,
  user_list_style: 3,
  web_animate_image_previews: 'never',
  web_stream_unreads_count_display_policy: 1,
  hide_ai_features: true,
  web_inbox_show_channel_folders: false,
  web_navigate_to_sent_message: false,
  web_left_sidebar_show_channel_folders: false,
  web_left_sidebar_unreads_count_summary: false,
  enter_sends: true,
  timezone: 'Europe/Berlin',
  enable_stream_desktop_notifications: true,
  enable_stream_email_notifications: true,
  enable_stream_push_notifications: true,
  enable_stream_audible_notifications: true,
  notification_sound: 'ding',
  enable_desktop_notifications: false,
  enable_sounds: false,
  enable_followed_topic_desktop_notifications: false,
  enable_followed_topic_email_notifications: false,
  enable_followed_topic_push_notifications: false,
  enable_followed_topic_audible_notifications: false,
  enable_followed_topic_wildcard_mentions_notify: false,
  email_notifications_batching_period_seconds: 604_800,
  enable_offline_email_notifications: false,
  enable_offline_push_notifications: false,
  enable_online_push_notifications: false,
  pm_content_in_desktop_notifications: false,
  wildcard_mentions_notify: false,
  message_content_in_email_notifications: false,
  enable_digest_emails: false,
  enable_marketing_emails: false,
  enable_login_emails: false,
  desktop_icon_count_display: 4,
  realm_name_in_email_notifications_policy: 2,
  automatically_follow_topics_policy: 1,
  automatically_unmute_topics_in_muted_streams_policy: 4,
  automatically_follow_topics_where_mentioned: false,
  resolved_topic_notice_auto_read_policy: 'never',
  presence_enabled: false,
  send_private_typing_notifications: false,
  send_stream_typing_notifications: false,
  send_read_receipts: false,
  allow_private_data_export: true,
  email_address_visibility: 1,
};

/** Expected user settings of a new account (chat-4.1, docs/contract/chat.md 2.G). */
const initial: Json = {
  twenty_four_hour_time: false,
  web_channel_default_view: 1,
  starred_message_counts: true,
  receives_typing_notifications: true,
  web_suggest_update_timezone: true,
  fluid_layout_width: false,
  high_contrast_mode: false,
  web_font_size_px: 16,
  web_line_height_percent: 140,
  color_scheme: 1,
  enable_drafts_synchronization: true,
  translate_emoticons: false,
  display_emoji_reaction_users: true,
  default_language: 'en',
  web_home_view: 'inbox',
  web_escape_navigates_to_home_view: true,
  left_side_userlist: false,
  emojiset: 'google',
  demote_inactive_streams: 1,
  user_list_style: 2,
  web_animate_image_previews: 'on_hover',
  web_stream_unreads_count_display_policy: 2,
  hide_ai_features: false,
  web_inbox_show_channel_folders: true,
  timezone: '',
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  notification_sound: 'zulip',
  enable_desktop_notifications: true,
  enable_sounds: true,
  email_notifications_batching_period_seconds: 120,
  enable_offline_email_notifications: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: true,
};

/** Map from each user setting with a few allowed values to the list of these values. */
const choices: Record<string, readonly (string | number)[]> = {
  web_channel_default_view: [1, 2, 3, 4],
  color_scheme: [1, 2, 3],
  web_home_view: ['recent', 'inbox', 'all_messages'],
  emojiset: ['text', 'google', 'twitter', 'google-blob'],
  demote_inactive_streams: [1, 2, 3],
  user_list_style: [1, 2, 3],
  web_animate_image_previews: ['always', 'on_hover', 'never'],
  web_stream_unreads_count_display_policy: [1, 2, 3],
};

describe('PATCH /settings', () => {
  it('returns the documented defaults for new users', async () => {
    expect(await settingsOf(await signIn(chat, 'prospero'))).toMatchObject(initial);
  });

  it.each(Object.entries(choices))('accepts each documented value of %s and no other', async (property, values) => {
    for (const value of values) {
      expect(await change(cordelia, { [property]: value })).toEqual({ result: 'success', msg: '' });
      expect((await settingsOf(cordelia))[property]).toBe(value);
    }
    for (const value of typeof values[0] === 'number' ? [0, values.length + 1] : ['other', '']) {
      expect(await change(cordelia, { [property]: value })).toMatchObject({ msg: `Invalid ${property}` });
    }
  });

  it.each(Object.entries(others))(
    'stores %s and emits the change once, only to clients of the user',
    async (property, value) => {
      const types = ['user_settings'];
      const [own, others] = await Promise.all([
        openTestEventQueue(chat, hamlet, types),
        openTestEventQueue(chat, iago, types),
      ]);
      expect(await change(hamlet, { [property]: value })).toEqual({ result: 'success', msg: '' });
      await change(hamlet, { [property]: value });
      expect((await settingsOf(hamlet))[property]).toEqual(value);
      expect(await own.read()).toEqual([{ type: 'user_settings', op: 'update', property, value }]);
      expect(await others.read()).toEqual([]);
    },
  );

  it('emits a changed language together with the native name of the language', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['user_settings']);
    await change(hamlet, { default_language: 'de' });
    const event = { property: 'default_language', value: 'de', language_name: 'Deutsch' };
    expect(await queue.read()).toEqual([{ type: 'user_settings', op: 'update', ...event }]);
  });

  it('accepts the older path of the endpoint and older names of values', async () => {
    await change(hamlet, { web_home_view: 'recent_topics' }, 'settings/display');
    expect((await settingsOf(hamlet))['web_home_view']).toBe('recent');
    await change(hamlet, { notification_sound: 'none' }, 'settings/notifications');
    expect((await settingsOf(hamlet))['notification_sound']).toBe('none');
  });

  const period = 'email_notifications_batching_period_seconds';
  it.each<[name: string, value: unknown, msg: string]>([
    ['web_channel_default_view', 5, 'Invalid web_channel_default_view'],
    ['web_font_size_px', 11, "Bad value for 'web_font_size_px': 11"],
    ['web_font_size_px', 21, "Bad value for 'web_font_size_px': 21"],
    ['web_line_height_percent', 99, "Bad value for 'web_line_height_percent': 99"],
    ['web_line_height_percent', 201, "Bad value for 'web_line_height_percent': 201"],
    ['color_scheme', 'dark', 'Argument "color_scheme" is not valid JSON.'],
    ['enter_sends', 1, 'enter_sends is not a boolean'],
    ['default_language', 'tlh', 'Invalid default_language'],
    ['emojiset', 'apple', 'Invalid emojiset'],
    ['web_home_view', 'nowhere', 'Invalid web_home_view'],
    ['timezone', 'Europe/Elsinore', 'timezone is not a recognized time zone'],
    ['notification_sound', 'gong', 'Invalid notification_sound'],
    [period, 604_801, `Bad value for '${period}': 604801`],
    [period, 0, `Bad value for '${period}': 0`],
  ])('rejects for %s an invalid value: %s', async (name, value, msg) => {
    expect((await change(hamlet, { [name]: value }))['msg']).toBe(msg);
  });

  it('accepts a request without settings, and reports unknown parameters as ignored', async () => {
    expect(await change(hamlet, {})).toEqual({ result: 'success', msg: '' });
    const options = { form: { dense_mode: 'true' }, unchecked: true } as const;
    const { body } = await hamlet.client.request<Json>('PATCH', '/api/v1/settings', options);
    expect(body['ignored_parameters_unsupported']).toEqual(['dense_mode']);
  });

  it('emits the time zone to all users', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    await change(cordelia, { timezone: 'Asia/Kolkata' });
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: cordelia.id, timezone: 'Asia/Kolkata' } },
    ]);
  });

  it('shows or hides the email address according to email_address_visibility', async () => {
    const shiva = await signIn(chat, 'shiva');
    const types = ['realm_user'];
    const [member, admin] = await Promise.all([
      openTestEventQueue(chat, shiva, types),
      openTestEventQueue(chat, iago, types),
    ]);
    await change(cordelia, { email_address_visibility: 1 });
    await change(cordelia, { email_address_visibility: 4 });
    const hidden = `user${cordelia.id}@zulipdev.com`;
    const persons = (events: Json[]) => events.map(({ person }) => person);
    const picture = { user_id: cordelia.id, avatar_source: 'G' };
    expect(persons(await member.read())).toMatchObject([
      { user_id: cordelia.id, delivery_email: cordelia.email },
      { user_id: cordelia.id, new_email: cordelia.email },
      picture,
      { user_id: cordelia.id, delivery_email: null },
      { user_id: cordelia.id, new_email: hidden },
      picture,
    ]);
    expect(persons(await admin.read())).toMatchObject([{ delivery_email: null }, { new_email: hidden }, picture]);
  });

  it('deletes drafts when draft synchronization is disabled', async () => {
    const zoe = await signIn(chat, 'ZOE');
    const drafts = JSON.stringify([{ type: '', to: [], topic: '', content: 'x' }]);
    const { body } = await zoe.client.post<{ ids: number[] }>('/api/v1/drafts', { form: { drafts } });
    const queue = await openTestEventQueue(chat, zoe, ['drafts']);
    await change(zoe, { enable_drafts_synchronization: false });
    expect(await queue.read()).toEqual([{ type: 'drafts', op: 'remove', draft_id: body.ids[0] }]);
    expect((await zoe.client.get<{ count: number }>('/api/v1/drafts')).body.count).toBe(0);
  });
});

describe('PATCH /settings: full_name', () => {
  it('changes the name for all users, unless the organization disables name changes', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    expect((await change(hamlet, { full_name: ' Prince Hamlet ' }))['msg']).toBe('');
    expect(await queue.read()).toMatchObject([{ person: { user_id: hamlet.id, full_name: 'Prince Hamlet' } }]);
    await change(iago, { name_changes_disabled: true }, 'realm');
    const refused = 'Name changes are disabled in this organization.';
    expect((await change(hamlet, { full_name: 'King' }))['msg']).toBe(refused);
    expect((await change(iago, { full_name: 'Honest Iago' }))['msg']).toBe('');
    expect((await change(hamlet, { full_name: 'Prince Hamlet' }))['msg']).toBe('');
  });
});

describe('PATCH /settings: password', () => {
  const signInWith = async (password: string) => {
    const form = { username: cordelia.email, password };
    return (await chat.client.post<Json>('/api/v1/fetch_api_key', { form })).status;
  };

  it('replaces the password and ends browser sessions', async () => {
    const sent = { old_password: 'switchboard-demo', new_password: 'something else entirely' };
    expect((await change(cordelia, sent))['msg']).toBe('');
    expect(await signInWith('switchboard-demo')).toBe(401);
    expect(await signInWith('something else entirely')).toBe(200);
    const sql = 'SELECT 1 FROM sessions WHERE user_id = $1';
    expect((await chat.runtime.database.query(sql, [cordelia.id])).rowCount).toBe(0);
    expect((await change(cordelia, sent))['msg']).toBe('Wrong password!');
  });

  it.each<[form: Json, msg: string]>([
    [{ new_password: 'something else entirely' }, "Missing 'old_password' argument"],
    [{ old_password: 'x', new_password: 'short' }, 'New password is too weak!'],
    [{ old_password: 'x', new_password: 'password1' }, 'New password is too weak!'],
    [{ old_password: 'x', new_password: 'password1'.repeat(10) }, 'New password is too weak!'],
    [{ old_password: 'x', new_password: 'x'.repeat(101) }, 'The password is too long.'],
  ])('rejects an invalid change of the password (%#)', async (form, msg) => {
    expect((await change(cordelia, form))['msg']).toBe(msg);
  });
});

describe('PATCH /settings: target_users and defaults of new users', () => {
  it('changes settings of given users and of all active members of groups', async () => {
    const othello = await signIn(chat, 'othello');
    const queue = await openTestEventQueue(chat, othello, ['user_settings']);
    const target = { user_ids: [othello.id], group_ids: [groups.get('role:moderators')] };
    const sent = { target_users: target, color_scheme: 3, web_font_size_px: 20 };
    expect(await change(iago, sent)).toEqual({ result: 'success', msg: '' });
    expect(await queue.read()).toMatchObject([
      { property: 'color_scheme', value: 3 },
      { property: 'web_font_size_px', value: 20 },
    ]);
    // Owners and administrators belong to the group of moderators through its subgroups; members do not.
    const reached = ['othello', 'shiva', 'iago', 'desdemona'];
    const sizes = await Promise.all(reached.map(async (name) => settingsOf(await signIn(chat, name))));
    expect(sizes.map((settings) => settings['web_font_size_px'])).toEqual([20, 20, 20, 20]);
    expect((await settingsOf(await signIn(chat, 'prospero')))['web_font_size_px']).toBe(16);
  });

  it('changes settings of deactivated users given by id, but not of deactivated members of a group', async () => {
    const [zoe, aaron] = await Promise.all([signIn(chat, 'ZOE'), signIn(chat, 'AARON')]);
    const members = JSON.stringify([zoe.id, aaron.id]);
    const group = { name: 'two of them', description: '', members };
    const made = await iago.client.post<{ group_id: number }>('/api/v1/user_groups/create', { form: group });
    await iago.client.delete(`/api/v1/users/${zoe.id}`);
    const sent = { target_users: { group_ids: [made.body.group_id] }, web_line_height_percent: 150 };
    expect(await change(iago, sent)).toEqual({ result: 'success', msg: '' });
    const named = { target_users: { user_ids: [zoe.id, aaron.id] }, web_font_size_px: 18 };
    expect(await change(iago, named)).toEqual({ result: 'success', msg: '' });
    await iago.client.post(`/api/v1/users/${zoe.id}/reactivate`, { form: {} });
    expect(await settingsOf(aaron)).toMatchObject({ web_line_height_percent: 150, web_font_size_px: 18 });
    const back = await settingsOf(await signIn(chat, 'ZOE'));
    expect(back).toMatchObject({ web_line_height_percent: 140, web_font_size_px: 18 });
  });

  it('skips settings that users have edited themselves, with skip_if_already_edited', async () => {
    const [prospero, aaron] = await Promise.all([signIn(chat, 'prospero'), signIn(chat, 'AARON')]);
    await change(prospero, { user_list_style: 1 });
    const user_ids = [prospero.id, aaron.id];
    const sparing = { user_ids, skip_if_already_edited: true };
    await change(iago, { target_users: sparing, user_list_style: 3 });
    expect((await settingsOf(prospero))['user_list_style']).toBe(1);
    expect((await settingsOf(aaron))['user_list_style']).toBe(3);
    await change(iago, { target_users: sparing, user_list_style: 2 });
    expect((await settingsOf(aaron))['user_list_style']).toBe(2);
    await change(iago, { target_users: { user_ids }, user_list_style: 3 });
    expect((await settingsOf(prospero))['user_list_style']).toBe(3);
  });

  it('changes the time zone of users, and emits it to all users', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm_user']);
    const target_users = { user_ids: [cordelia.id] };
    expect((await change(iago, { target_users, timezone: 'Nowhere' }))['code']).toBe('BAD_REQUEST');
    expect(await change(iago, { target_users, timezone: 'Europe/Rome' })).toEqual({ result: 'success', msg: '' });
    expect((await settingsOf(cordelia))['timezone']).toBe('Europe/Rome');
    expect(await queue.read()).toMatchObject([{ person: { user_id: cordelia.id, timezone: 'Europe/Rome' } }]);
  });

  it.each([
    'email',
    'new_password',
    'email_address_visibility',
    'enable_digest_emails',
    'enable_login_emails',
    'enable_marketing_emails',
    'presence_enabled',
    'send_private_typing_notifications',
    'send_stream_typing_notifications',
    'send_read_receipts',
    'allow_private_data_export',
  ])('rejects a change of %s for other users', async (name) => {
    const value = name === 'email_address_visibility' ? 1 : true;
    expect(await change(iago, { target_users: { user_ids: [cordelia.id] }, [name]: value })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: `Unsupported parameter combination: ${name}, target_users`,
    });
  });

  it.each<[name: string, form: Json, msg: string]>([
    ['unknown users', { target_users: { user_ids: [999_999] } }, 'Invalid user ID 999999'],
    ['unknown groups', { target_users: { group_ids: [999_999] } }, 'Invalid user group'],
    ['other keys', { target_users: { users: [1] } }, 'Unexpected keys in target_users: users'],
    [
      'what is personal',
      { target_users: { user_ids: [] }, full_name: 'All Alike' },
      'Unsupported parameter combination: full_name, target_users',
    ],
  ])('rejects target_users with %s', async (_name, form, msg) => {
    expect(await change(iago, { color_scheme: 2, ...form })).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it.each(['member hamlet', 'moderator shiva', 'guest polonius'])(
    'rejects target_users in a request of the %s',
    async (user) => {
      const sent = { target_users: { user_ids: [hamlet.id] }, color_scheme: 2 };
      const before = await settingsOf(hamlet);
      const sender = await signIn(chat, user.split(' ')[1] ?? '');
      expect(await change(sender, sent)).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
      expect(await settingsOf(hamlet)).toEqual(before);
    },
  );

  it.each(['administrator iago', 'owner desdemona'])('accepts target_users in a request of the %s', async (user) => {
    const sender = await signIn(chat, user.split(' ')[1] ?? '');
    const size = user.startsWith('owner') ? 18 : 14;
    const sent = { target_users: { user_ids: [cordelia.id] }, web_font_size_px: size };
    expect(await change(sender, sent)).toEqual({ result: 'success', msg: '' });
    expect(await settingsOf(cordelia)).toMatchObject({ web_font_size_px: size });
  });

  it('changes defaults for new users by PATCH /realm/user_settings_defaults', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm_user_settings_defaults']);
    const path = 'realm/user_settings_defaults';
    const sent = { left_side_userlist: true, email_address_visibility: 4, emojiset: 'google' };
    expect(await change(iago, sent, path)).toEqual({ result: 'success', msg: '' });
    expect(await change(iago, {}, path)).toEqual({ result: 'success', msg: '' });
    expect((await change(hamlet, sent, path))['code']).toBe('UNAUTHORIZED_PRINCIPAL');
    const common = { type: 'realm_user_settings_defaults', op: 'update' };
    expect((await queue.read()).toSorted((a, b) => (String(a['property']) < String(b['property']) ? -1 : 1))).toEqual([
      { ...common, property: 'email_address_visibility', value: 4 },
      { ...common, property: 'left_side_userlist', value: true },
    ]);
    await chat.runtime.database.query('UPDATE users SET can_create_users = true WHERE id = $1', [iago.id]);
    const form = { email: 'fortinbras@example.com', password: 'long enough', full_name: 'Fortinbras' };
    expect((await iago.client.post<Json>('/api/v1/users', { form })).body['msg']).toBe('');
    const begun = { left_side_userlist: true, email_address_visibility: 4 };
    expect(await settingsOf(await signIn(chat, 'fortinbras'))).toMatchObject(begun);
    const fetched = await hamlet.client.post<Json>('/api/v1/register', {
      form: { fetch_event_types: '["realm_user_settings_defaults"]', event_types: '[]' },
    });
    expect(fetched.body['realm_user_settings_defaults']).toMatchObject(sent);
  });

  it('derives the clock format of new users from their language when twenty_four_hour_time is null', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm_user_settings_defaults']);
    const path = 'realm/user_settings_defaults';
    expect(await change(iago, { twenty_four_hour_time: null }, path)).toEqual({ result: 'success', msg: '' });
    expect(await change(iago, { twenty_four_hour_time: null }, path)).toEqual({ result: 'success', msg: '' });
    expect(await queue.read()).toMatchObject([{ property: 'twenty_four_hour_time', value: null }]);
    const fetched = await hamlet.client.post<Json>('/api/v1/register', {
      form: { fetch_event_types: '["realm_user_settings_defaults"]', event_types: '[]' },
    });
    expect(fetched.body['realm_user_settings_defaults']).toMatchObject({ twenty_four_hour_time: null });
    await chat.runtime.database.query('UPDATE users SET can_create_users = true WHERE id = $1', [iago.id]);
    const form = { email: 'osric@example.com', password: 'long enough', full_name: 'Osric' };
    expect((await iago.client.post<Json>('/api/v1/users', { form })).body['msg']).toBe('');
    expect(await settingsOf(await signIn(chat, 'osric'))).toMatchObject({ twenty_four_hour_time: false });
    const own = await change(hamlet, { twenty_four_hour_time: null });
    expect(own).toMatchObject({ result: 'error', code: 'BAD_REQUEST' });
  });
});
