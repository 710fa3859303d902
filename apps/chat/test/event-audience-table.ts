import { multipart, picture } from './upload-forms.js';

/** Form fields of a request, or the body of a response. */
type Json = Record<string, unknown>;

/**
 * Users whose event queues are compared: an owner, an administrator, members, a guest, and the owner of another
 * organization.
 */
export const watchedUsers = ['desdemona', 'iago', 'hamlet', 'cordelia', 'polonius', 'stranger'] as const;

/** Name of a user whose event queue is compared. */
export type WatchedUser = (typeof watchedUsers)[number];

/** Requests with which a row of the audience table causes events. */
export interface AudienceActions {
  id(user: WatchedUser): number;
  /** Sends a request and checks that the response is a success. */
  send(user: WatchedUser, method: 'post' | 'patch' | 'delete', path: string, fields?: Json): Promise<Json>;
  /** Sends files as a multipart form and checks that the response is a success. */
  sendFile(user: WatchedUser, path: string, form: ReturnType<typeof multipart>): Promise<Json>;
  /** Returns the id of a channel or user group by its name. */
  find(table: 'channels' | 'user_groups', name: string): Promise<number>;
  query(sql: string, values?: unknown[]): Promise<unknown>;
}

/** Event types with the same recipients, a change that causes the events, and users with and without the events. */
export interface AudienceRow {
  readonly events: readonly string[];
  readonly receiver: WatchedUser;
  readonly other: WatchedUser;
  cause(actions: AudienceActions): Promise<unknown>;
}

const draft = { type: '', to: [], topic: '', content: 'draft' };
const later = { scheduled_delivery_timestamp: 4_000_000_000 };

const own = (events: readonly string[], cause: AudienceRow['cause']): AudienceRow => ({
  events,
  receiver: 'hamlet',
  other: 'iago',
  cause,
});

const ofRealm = (events: readonly string[], cause: AudienceRow['cause']): AudienceRow => ({
  events,
  receiver: 'polonius',
  other: 'stranger',
  cause,
});

/** Sends a direct message from Iago to Hamlet and returns its id. */
async function sendDirect({ id, send }: AudienceActions, content = 'hello'): Promise<number> {
  const message = { type: 'direct', to: [id('hamlet')], content };
  return Number((await send('iago', 'post', 'messages', message))['id']);
}

/** Events about data that only one user sees. */
const personalRows: readonly AudienceRow[] = [
  own(['alert_words'], ({ send }) => send('hamlet', 'post', 'users/me/alert_words', { alert_words: ['ghost'] })),
  {
    ...own(['muted_users'], ({ send, id }) => send('hamlet', 'post', `users/me/muted_users/${id('polonius')}`)),
    other: 'polonius',
  },
  own(['drafts/add', 'drafts/update', 'drafts/remove'], async ({ send }) => {
    const { ids } = await send('hamlet', 'post', 'drafts', { drafts: [draft] });
    const path = `drafts/${String((ids as number[])[0])}`;
    await send('hamlet', 'patch', path, { draft: { ...draft, content: 'changed' } });
    await send('hamlet', 'delete', path);
  }),
  own(['saved_snippets/add', 'saved_snippets/update', 'saved_snippets/remove'], async ({ send }) => {
    const { saved_snippet_id: id } = await send('hamlet', 'post', 'saved_snippets', { title: 'a', content: 'b' });
    await send('hamlet', 'patch', `saved_snippets/${String(id)}`, { content: 'c' });
    await send('hamlet', 'delete', `saved_snippets/${String(id)}`);
  }),
  own(['navigation_view/add', 'navigation_view/update', 'navigation_view/remove'], async ({ send }) => {
    await send('hamlet', 'post', 'navigation_views', { fragment: 'inbox', is_pinned: true });
    await send('hamlet', 'patch', 'navigation_views/inbox', { is_pinned: false });
    await send('hamlet', 'delete', 'navigation_views/inbox');
  }),
  own(['onboarding_steps'], ({ send }) =>
    send('hamlet', 'post', 'users/me/onboarding_steps', { onboarding_step: 'intro_resolve_topic' }),
  ),
  own(['user_settings/update'], ({ send }) => send('hamlet', 'patch', 'settings', { web_font_size_px: 19 })),
  own(['scheduled_messages/add', 'scheduled_messages/update', 'scheduled_messages/remove'], async ({ send, id }) => {
    const message = { type: 'direct', to: [id('iago')], content: 'later', ...later };
    const { scheduled_message_id: scheduled } = await send('hamlet', 'post', 'scheduled_messages', message);
    await send('hamlet', 'patch', `scheduled_messages/${String(scheduled)}`, { content: 'changed' });
    await send('hamlet', 'delete', `scheduled_messages/${String(scheduled)}`);
  }),
  own(['reminders/add', 'reminders/remove'], async (actions) => {
    const form = { message_id: await sendDirect(actions), ...later };
    const { reminder_id: id } = await actions.send('hamlet', 'post', 'reminders', form);
    await actions.send('hamlet', 'delete', `reminders/${String(id)}`);
  }),
  own(['device/add', 'device/remove'], async ({ send }) => {
    const { device_id } = await send('hamlet', 'post', 'register_client_device');
    await send('hamlet', 'post', 'remove_client_device', { device_id });
  }),
  own(['user_topic'], async ({ send, find }) => {
    const form = { stream_id: await find('channels', 'Verona'), topic: 'audience', visibility_policy: 3 };
    await send('hamlet', 'post', 'user_topics', form);
  }),
  own(['update_message_flags/add', 'update_message_flags/remove'], async (actions) => {
    const form = { messages: [await sendDirect(actions)], flag: 'starred' };
    await actions.send('hamlet', 'post', 'messages/flags', { ...form, op: 'add' });
    await actions.send('hamlet', 'post', 'messages/flags', { ...form, op: 'remove' });
  }),
  own(['attachment/add', 'attachment/update', 'attachment/remove'], async ({ send, sendFile, id, query }) => {
    const { url } = await sendFile('hamlet', 'user_uploads', multipart([{ name: 'a.txt', content: 'text' }]));
    await send('hamlet', 'post', 'messages', { type: 'direct', to: [id('iago')], content: `[a](${String(url)})` });
    const rows = await query('SELECT max(id) AS id FROM attachments');
    await send('hamlet', 'delete', `attachments/${(rows as { id: number }[])[0]?.id}`);
  }),
];

/** Events about the organization, which all of its users see. */
const realmRows: readonly AudienceRow[] = [
  ofRealm(['realm_user_settings_defaults/update'], ({ send }) =>
    send('iago', 'patch', 'realm/user_settings_defaults', { enter_sends: true }),
  ),
  ofRealm(['realm/update'], ({ send }) => send('iago', 'patch', 'realm', { name: 'Audience' })),
  ofRealm(['realm/update_dict'], async ({ send, find }) => {
    const group = await find('user_groups', 'role:moderators');
    await send('iago', 'patch', 'realm', { can_add_custom_emoji_group: { new: group } });
  }),
  ofRealm(['realm/update_image'], async ({ sendFile }) =>
    sendFile('iago', 'realm/icon', multipart([{ name: 'i.png', content: await picture(20, 20) }])),
  ),
  ofRealm(['realm_domains/add', 'realm_domains/change', 'realm_domains/remove'], async ({ send }) => {
    await send('desdemona', 'post', 'realm/domains', { domain: 'audience.test', allow_subdomains: false });
    await send('desdemona', 'patch', 'realm/domains/audience.test', { allow_subdomains: true });
    await send('desdemona', 'delete', 'realm/domains/audience.test');
  }),
  ofRealm(['realm_playgrounds'], ({ send }) =>
    send('iago', 'post', 'realm/playgrounds', {
      name: 'Audience',
      pygments_language: 'Python',
      url_template: 'https://play.test/{code}',
    }),
  ),
  ofRealm(['realm_linkifiers'], ({ send }) =>
    send('iago', 'post', 'realm/filters', { pattern: 'N(?P<n>[0-9]+)', url_template: 'https://n.test/{n}' }),
  ),
  ofRealm(['realm_emoji/add', 'realm_emoji/update_one'], async ({ send, sendFile }) => {
    const file = multipart([{ name: 'e.png', content: await picture(20, 20) }]);
    await sendFile('iago', 'realm/emoji/audience', file);
    await send('iago', 'delete', 'realm/emoji/audience');
  }),
  ofRealm(['custom_profile_fields'], ({ send }) =>
    send('iago', 'post', 'realm/profile_fields', { name: 'Audience', field_type: 1 }),
  ),
  ofRealm(['channel_folder/add', 'channel_folder/update', 'channel_folder/reorder'], async ({ send }) => {
    const create = (name: string) => send('iago', 'post', 'channel_folders/create', { name, description: '' });
    const ids = [await create('One'), await create('Two')].map((folder) => folder['channel_folder_id']);
    await send('iago', 'patch', `channel_folders/${String(ids[0])}`, { name: 'Changed' });
    await send('iago', 'patch', 'channel_folders', { order: ids.toReversed() });
  }),
  ofRealm(
    [
      'user_group/add',
      'user_group/update',
      'user_group/update_deactivated',
      'user_group/add_members',
      'user_group/remove_members',
      'user_group/add_subgroups',
      'user_group/remove_subgroups',
    ],
    async ({ send, id, find }) => {
      const group = { name: 'audience', description: '', members: [id('iago')] };
      const { group_id } = await send('iago', 'post', 'user_groups/create', group);
      const path = `user_groups/${String(group_id)}`;
      const moderators = await find('user_groups', 'role:moderators');
      await send('iago', 'patch', path, { description: 'changed' });
      await send('iago', 'post', `${path}/members`, { add: [id('hamlet')] });
      await send('iago', 'post', `${path}/members`, { delete: [id('hamlet')] });
      await send('iago', 'post', `${path}/subgroups`, { add: [moderators] });
      await send('iago', 'post', `${path}/subgroups`, { delete: [moderators] });
      await send('iago', 'post', `${path}/deactivate`);
    },
  ),
];

/** Events about accounts. */
const userRows: readonly AudienceRow[] = [
  ofRealm(['presence'], async ({ send, id, query }) => {
    const long = "now() - interval '1 hour'";
    const sql = `UPDATE presences SET last_active_at = ${long}, last_connected_at = ${long} WHERE user_id = $1`;
    await query(sql, [id('iago')]);
    await send('iago', 'post', 'users/me/presence', { status: 'active' });
  }),
  ofRealm(['user_status'], ({ send }) => send('hamlet', 'post', 'users/me/status', { status_text: 'busy' })),
  ofRealm(['realm_user/update_profile'], ({ send }) =>
    send('hamlet', 'patch', 'users/me/profile_data', { data: [{ id: 1, value: 'x' }] }),
  ),
  ofRealm(['realm_user/update'], ({ send, id }) =>
    send('iago', 'patch', `users/${id('cordelia')}`, { full_name: 'Cordelia of France' }),
  ),
  ofRealm(['realm_user/update_avatar'], async ({ sendFile }) =>
    sendFile('hamlet', 'users/me/avatar', multipart([{ name: 'a.png', content: await picture(20, 20) }])),
  ),
  {
    events: ['realm_user/update_email'],
    receiver: 'iago',
    other: 'polonius',
    async cause({ send, query }) {
      const found = await query("SELECT id FROM users WHERE delivery_email_key = 'othello@example.com'");
      const path = `users/${(found as { id: number }[])[0]?.id}`;
      await send('desdemona', 'patch', path, { new_email: 'othello.of.venice@example.com' });
    },
  },
  {
    events: ['realm_user/update_email_visibility'],
    receiver: 'polonius',
    other: 'iago',
    async cause({ send }) {
      await send('hamlet', 'patch', 'settings', { email_address_visibility: 1 });
      await send('hamlet', 'patch', 'settings', { email_address_visibility: 3 });
    },
  },
  {
    events: ['realm_user/update_viewer_role'],
    receiver: 'cordelia',
    other: 'polonius',
    async cause({ send, id }) {
      await send('desdemona', 'patch', `users/${id('cordelia')}`, { role: 200 });
      await send('desdemona', 'patch', `users/${id('cordelia')}`, { role: 400 });
    },
  },
  ofRealm(['realm_user/add'], ({ send }) =>
    send('hamlet', 'post', 'bots', { full_name: 'First Robot', short_name: 'first' }),
  ),
  {
    events: ['realm_bot/add', 'realm_bot/update', 'realm_bot/update_secret', 'realm_bot/delete'],
    receiver: 'hamlet',
    other: 'polonius',
    async cause({ send, id }) {
      const bot = { full_name: 'Second Robot', short_name: 'second' };
      const path = `bots/${String((await send('hamlet', 'post', 'bots', bot))['user_id'])}`;
      await send('hamlet', 'patch', path, { default_all_public_streams: true });
      await send('hamlet', 'post', `${path}/api_key/regenerate`);
      await send('iago', 'patch', path, { bot_owner_id: id('cordelia') });
    },
  },
  {
    events: ['invites_changed'],
    receiver: 'desdemona',
    other: 'hamlet',
    cause: ({ send }) => send('iago', 'post', 'invites/multiuse'),
  },
  {
    events: ['realm_export'],
    receiver: 'desdemona',
    other: 'hamlet',
    cause: ({ send }) => send('iago', 'post', 'export/realm', { export_type: 'public' }),
  },
  {
    events: ['realm_export_consent'],
    receiver: 'iago',
    other: 'cordelia',
    cause: ({ send }) => send('hamlet', 'patch', 'settings', { allow_private_data_export: true }),
  },
];

const createChannel = ({ send, id }: AudienceActions, name: string, isPrivate: boolean) =>
  send('iago', 'post', 'channels/create', {
    name,
    subscribers: [id('iago'), id('hamlet')],
    invite_only: isPrivate,
  });

/** Events about channels and subscriptions. */
const channelRows: readonly AudienceRow[] = [
  {
    events: ['default_streams', 'default_stream_groups'],
    receiver: 'hamlet',
    other: 'polonius',
    async cause(actions) {
      const { send, find } = actions;
      await createChannel(actions, 'grouped audience', false);
      const group = { group_name: 'audience', description: '', stream_names: ['grouped audience'] };
      await send('iago', 'post', 'default_stream_groups/create', group);
      await send('iago', 'delete', 'default_streams', { stream_id: await find('channels', 'Denmark') });
    },
  },
  {
    events: ['stream/create', 'subscription/add', 'stream/update', 'subscription/remove', 'stream/delete'],
    receiver: 'hamlet',
    other: 'cordelia',
    async cause(actions) {
      const { send, id } = actions;
      const { id: channel } = await createChannel(actions, 'private audience', true);
      await send('iago', 'patch', `streams/${String(channel)}`, { description: 'changed' });
      const form = { subscriptions: ['private audience'], principals: [id('hamlet')] };
      await send('iago', 'delete', 'users/me/subscriptions', form);
    },
  },
  own(['subscription/update'], async ({ send, find }) => {
    const form = { property: 'color', value: '#123456' };
    await send('hamlet', 'patch', `users/me/subscriptions/${await find('channels', 'Verona')}`, form);
  }),
  {
    events: ['subscription/peer_add', 'subscription/peer_remove'],
    receiver: 'iago',
    other: 'polonius',
    async cause(actions) {
      const { send } = actions;
      await createChannel(actions, 'public audience', false);
      await send('cordelia', 'post', 'users/me/subscriptions', { subscriptions: [{ name: 'public audience' }] });
      await send('cordelia', 'delete', 'users/me/subscriptions', { subscriptions: ['public audience'] });
    },
  },
  {
    events: ['typing/start_channel', 'typing/stop_channel'],
    receiver: 'hamlet',
    other: 'cordelia',
    async cause(actions) {
      const { id: channel } = await createChannel(actions, 'typed audience', true);
      const form = { type: 'channel', stream_id: channel, topic: 'typing' };
      await actions.send('iago', 'post', 'typing', { ...form, op: 'start' });
      await actions.send('iago', 'post', 'typing', { ...form, op: 'stop' });
    },
  },
];

const ofConversation = (events: readonly string[], cause: AudienceRow['cause']): AudienceRow => ({
  events,
  receiver: 'hamlet',
  other: 'desdemona',
  cause,
});

/** Events about messages of a direct conversation. */
const messageRows: readonly AudienceRow[] = [
  ofConversation(['message', 'update_message', 'delete_message'], async (actions) => {
    const path = `messages/${await sendDirect(actions)}`;
    await actions.send('iago', 'patch', path, { content: 'changed' });
    await actions.send('iago', 'delete', path);
  }),
  ofConversation(['reaction/add', 'reaction/remove'], async (actions) => {
    const path = `messages/${await sendDirect(actions)}/reactions`;
    await actions.send('iago', 'post', path, { emoji_name: 'smile' });
    await actions.send('iago', 'delete', path, { emoji_name: 'smile' });
  }),
  ofConversation(['submessage'], async (actions) => {
    const form = { message_id: await sendDirect(actions, '/poll When?\nnow'), msg_type: 'widget' };
    const content = '{"type":"new_option","idx":1,"option":"later"}';
    await actions.send('iago', 'post', 'submessage', { ...form, content });
  }),
  ofConversation(['typing/start_direct', 'typing/stop_direct'], async ({ send, id }) => {
    await send('iago', 'post', 'typing', { op: 'start', to: [id('hamlet')] });
    await send('iago', 'post', 'typing', { op: 'stop', to: [id('hamlet')] });
  }),
  ofConversation(['typing_edit_message/start', 'typing_edit_message/stop'], async (actions) => {
    const path = `messages/${await sendDirect(actions)}/typing`;
    await actions.send('iago', 'post', path, { op: 'start' });
    await actions.send('iago', 'post', path, { op: 'stop' });
  }),
];

/** All rows of the audience table. */
export const audienceRows: readonly AudienceRow[] = [
  ...personalRows,
  ...realmRows,
  ...userRows,
  ...channelRows,
  ...messageRows,
];

/** Event types that the table cannot cause, with the reason and the spec file that tests their recipients. */
export const audiencesElsewhere: Readonly<Record<string, string>> = {
  has_zoom_token: 'needs a video provider: video-calls.spec.ts',
  has_webex_token: 'needs a video provider: webex.spec.ts',
  restart: 'reaches all queues of all organizations: event-queues.spec.ts',
  'realm/deactivated': 'ends the organization: realm-deactivation.spec.ts',
};
