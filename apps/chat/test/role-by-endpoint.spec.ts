import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
const people = new Map<Role, DemoUser>();
/** A group of somebody who takes no part here. */
let groupId = 0;
/** A bot of somebody who takes no part here. */
let botId = 0;

/** Who asks: one account of the demo realm for each role, and a bot that has the role of a member. */
const accounts = {
  owner: 'desdemona',
  administrator: 'iago',
  moderator: 'shiva',
  member: 'hamlet',
  guest: 'polonius',
  bot: 'default-bot',
} as const;
type Role = keyof typeof accounts;
const roles: Role[] = ['owner', 'administrator', 'moderator', 'member', 'guest', 'bot'];

interface Refusal {
  readonly code: string;
  readonly msg: string;
}

const notAdmin: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const notOwner: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
const notGuest: Refusal = { code: 'BAD_REQUEST', msg: 'Not allowed for guest users' };
const notBot: Refusal = { code: 'BAD_REQUEST', msg: 'This endpoint does not accept bot requests.' };
const notManager: Refusal = { code: 'CANNOT_ADMINISTER_CHANNEL', msg: 'You do not administer this channel.' };
const insufficient: Refusal = { code: 'BAD_REQUEST', msg: 'Insufficient permission' };

/** One endpoint: what those are answered who may use it, and how others are refused. */
interface Endpoint {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Under /api/v1; `{group}` and `{bot}` stand for ids. */
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  /**
   * The `msg` of an answer to those who may: empty for success. Where success would change what other rows see, the
   * request names something that is not there.
   */
  readonly allowed: string;
  /** Who asks; everybody unless the others would succeed. */
  readonly asks?: readonly Role[];
  readonly refused?: Partial<Record<Role, Refusal>>;
}

const admins = { moderator: notAdmin, member: notAdmin, guest: notAdmin, bot: notAdmin };
const nobody = 'No such user';
const noGroup = 'Invalid user group';
const noBot = 'No such bot';
const noChannel = 'Invalid channel ID';
const noMessage = 'Invalid message(s)';
const others = (refusal: Refusal) => ({
  administrator: refusal,
  moderator: refusal,
  member: refusal,
  guest: notGuest,
  bot: refusal,
});

/** Every endpoint with the rights of chat-contract 2 and 6.4. Slices add theirs. */
const endpoints: Endpoint[] = [
  { method: 'get', path: 'users', allowed: '' },
  { method: 'get', path: 'users/me', allowed: '' },
  { method: 'get', path: 'users/999999', allowed: nobody },
  { method: 'patch', path: 'users/999999', form: { full_name: 'X Y' }, allowed: nobody, refused: admins },
  { method: 'patch', path: 'users/nobody%40example.com', form: { role: '400' }, allowed: nobody, refused: admins },
  { method: 'delete', path: 'users/999999', allowed: nobody, refused: admins },
  {
    method: 'delete',
    path: 'users/me',
    allowed: 'Cannot deactivate the only organization owner.',
    asks: ['owner', 'bot'],
    refused: { bot: notBot },
  },
  { method: 'post', path: 'users/999999/reactivate', allowed: nobody, refused: admins },
  { method: 'get', path: 'invites', allowed: '', refused: { guest: notGuest, bot: notBot } },
  {
    method: 'post',
    path: 'invites',
    form: { invitee_emails: '-', stream_ids: '[999999]' },
    allowed: 'Invalid channel ID',
    refused: { guest: notGuest, bot: notBot },
  },
  {
    method: 'post',
    path: 'invites/multiuse',
    form: { stream_ids: '[999999]' },
    allowed: 'Invalid channel ID',
    refused: { moderator: insufficient, member: insufficient, guest: notGuest, bot: notBot },
  },
  {
    method: 'delete',
    path: 'invites/999999',
    allowed: 'No such invitation',
    refused: { guest: notGuest, bot: notBot },
  },
  {
    method: 'delete',
    path: 'invites/multiuse/999999',
    allowed: 'No such invitation',
    refused: { guest: notGuest, bot: notBot },
  },
  {
    method: 'post',
    path: 'invites/999999/resend',
    allowed: 'No such invitation',
    refused: { guest: notGuest, bot: notBot },
  },
  { method: 'get', path: 'realm/domains', allowed: '', refused: admins },
  {
    method: 'post',
    path: 'realm/domains',
    form: { domain: 'x', allow_subdomains: 'true' },
    allowed: 'Invalid domain',
    refused: { administrator: notOwner, moderator: notOwner, member: notOwner, guest: notOwner, bot: notOwner },
  },
  {
    method: 'patch',
    path: 'realm/domains/none.test',
    form: { allow_subdomains: 'true' },
    allowed: 'No entry found for domain none.test.',
    refused: { administrator: notOwner, moderator: notOwner, member: notOwner, guest: notOwner, bot: notOwner },
  },
  {
    method: 'delete',
    path: 'realm/domains/none.test',
    allowed: 'No entry found for domain none.test.',
    refused: { administrator: notOwner, moderator: notOwner, member: notOwner, guest: notOwner, bot: notOwner },
  },
  {
    method: 'post',
    path: 'users',
    form: { email: 'a@example.com', password: 'long enough', full_name: 'A B' },
    allowed: 'User not authorized to create users',
  },
  { method: 'get', path: 'drafts', allowed: '' },
  { method: 'delete', path: 'drafts/999999', allowed: 'Draft does not exist' },
  { method: 'get', path: 'saved_snippets', allowed: '' },
  { method: 'get', path: 'navigation_views', allowed: '' },
  { method: 'patch', path: 'settings', form: { enter_sends: 'false' }, allowed: '' },
  {
    method: 'patch',
    path: 'settings',
    form: { target_users: '{}', enter_sends: 'true' },
    allowed: '',
    refused: admins,
  },
  { method: 'patch', path: 'realm/user_settings_defaults', form: {}, allowed: '', refused: admins },
  { method: 'post', path: 'users/me/status', form: { status_text: '' }, allowed: '' },
  { method: 'post', path: 'users/999999/status', form: { status_text: '' }, allowed: nobody, refused: admins },
  { method: 'post', path: 'users/me/presence', form: { status: 'active' }, allowed: '' },
  { method: 'get', path: 'realm/presence', allowed: '' },
  { method: 'post', path: 'typing', form: { op: 'start', to: '[]' }, allowed: "Empty 'to' list" },
  { method: 'get', path: 'users/me/alert_words', allowed: '' },
  { method: 'post', path: 'users/me/muted_users/999999', allowed: nobody },
  { method: 'get', path: 'realm/profile_fields', allowed: '' },
  { method: 'patch', path: 'users/me/profile_data', form: { data: '[]' }, allowed: '' },
  {
    method: 'post',
    path: 'realm/profile_fields',
    form: { field_type: '1' },
    allowed: 'name cannot be blank',
    refused: admins,
  },
  {
    method: 'delete',
    path: 'realm/profile_fields/999999',
    allowed: 'Field id 999999 not found.',
    refused: admins,
  },
  { method: 'post', path: 'register_client_device', allowed: '' },
  { method: 'patch', path: 'realm', form: { default_language: 'en' }, allowed: '', refused: admins },
  {
    method: 'patch',
    path: 'realm',
    form: { waiting_period_threshold: '0' },
    allowed: '',
    refused: { ...admins, administrator: notOwner },
  },
  { method: 'get', path: 'user_groups', allowed: '', refused: { guest: notGuest } },
  { method: 'get', path: 'user_groups/{group}/members', allowed: '', refused: { guest: notGuest } },
  { method: 'get', path: 'user_groups/{group}/members/999999', allowed: nobody, refused: { guest: notGuest } },
  { method: 'get', path: 'user_groups/{group}/subgroups', allowed: '', refused: { guest: notGuest } },
  {
    method: 'post',
    path: 'user_groups/create',
    form: { name: 'x', description: '', members: '[999999]' },
    allowed: 'Invalid user ID 999999',
    refused: { guest: insufficient },
  },
  {
    method: 'patch',
    path: 'user_groups/{group}',
    form: { description: 'as it is' },
    allowed: '',
    refused: others(insufficient),
  },
  {
    method: 'post',
    path: 'user_groups/{group}/members',
    form: { add: '[999999]' },
    allowed: 'Invalid user ID 999999',
    refused: others(insufficient),
  },
  {
    method: 'post',
    path: 'user_groups/{group}/subgroups',
    form: { add: '[999999]' },
    allowed: noGroup,
    refused: others(insufficient),
  },
  {
    method: 'post',
    path: 'user_groups/999999/deactivate',
    allowed: noGroup,
    refused: { guest: notGuest },
  },
  { method: 'get', path: 'bots', allowed: '', refused: { bot: notBot } },
  {
    method: 'post',
    path: 'bots',
    form: { full_name: 'A B', short_name: 'x', default_sending_stream: 'nowhere' },
    allowed: "Invalid channel name 'nowhere'",
    refused: { guest: insufficient, bot: notBot },
  },
  { method: 'patch', path: 'bots/999999', form: {}, allowed: noBot, refused: { bot: notBot } },
  {
    method: 'get',
    path: 'bots/{bot}/api_key',
    allowed: '',
    refused: { moderator: insufficient, member: insufficient, guest: insufficient, bot: notBot },
  },
  { method: 'delete', path: 'bots/999999', allowed: noBot, refused: { bot: notBot } },
  { method: 'post', path: 'bots/999999/api_key/regenerate', allowed: noBot, refused: { bot: notBot } },
  { method: 'post', path: 'user_uploads', form: {}, allowed: 'You must specify a file to upload' },
  { method: 'get', path: 'attachments', allowed: '' },
  { method: 'delete', path: 'attachments/999999', allowed: 'Invalid attachment' },
  { method: 'post', path: 'users/me/avatar', form: {}, allowed: 'You must upload exactly one avatar.' },
  { method: 'get', path: 'realm/emoji', allowed: '' },
  {
    method: 'post',
    path: 'realm/emoji/no_such',
    form: {},
    allowed: 'You must upload exactly one file.',
    refused: { guest: insufficient },
  },
  { method: 'delete', path: 'realm/emoji/no_such', allowed: "Emoji 'no_such' does not exist" },
  { method: 'get', path: 'streams', allowed: '' },
  { method: 'get', path: 'streams/999999', allowed: noChannel },
  { method: 'get', path: 'streams/1/members', allowed: '' },
  { method: 'get', path: 'get_stream_id?stream=nowhere', allowed: "Invalid channel name 'nowhere'" },
  {
    method: 'patch',
    path: 'streams/1',
    form: { description: 'A city in Italy' },
    allowed: '',
    refused: { moderator: notManager, member: notManager, guest: notManager, bot: notManager },
  },
  { method: 'delete', path: 'streams/999999', allowed: noChannel },
  {
    method: 'post',
    path: 'channels/create',
    form: { name: 'x', subscribers: '[999999]' },
    allowed: nobody,
    refused: { guest: notGuest },
  },
  { method: 'post', path: 'default_streams', form: { stream_id: '999999' }, allowed: noChannel, refused: admins },
  { method: 'delete', path: 'default_streams', form: { stream_id: '999999' }, allowed: noChannel, refused: admins },
  { method: 'get', path: 'users/me/subscriptions', allowed: '' },
  {
    method: 'post',
    path: 'users/me/subscriptions',
    form: { subscriptions: '[{"name": "core team"}]', principals: '[999999]' },
    allowed: nobody,
  },
  {
    method: 'delete',
    path: 'users/me/subscriptions',
    form: { subscriptions: '["nowhere"]' },
    allowed: 'Channel(s) (nowhere) do not exist',
  },
  { method: 'post', path: 'users/me/subscriptions/properties', form: { subscription_data: '[]' }, allowed: '' },
  { method: 'get', path: 'users/1/subscriptions/1', allowed: '', refused: { bot: notBot } },
  { method: 'get', path: 'users/1/channels', allowed: '' },
  { method: 'get', path: 'users/me/1/topics', allowed: '' },
  {
    method: 'post',
    path: 'user_topics',
    form: { stream_id: '999999', topic: 'x', visibility_policy: '1' },
    allowed: noChannel,
  },
  {
    method: 'patch',
    path: 'users/me/subscriptions/muted_topics',
    form: { stream_id: '999999', topic: 'x', op: 'add' },
    allowed: noChannel,
  },
  { method: 'get', path: 'channel_folders', allowed: '', refused: { guest: notGuest } },
  {
    method: 'post',
    path: 'channel_folders/create',
    form: { name: ' ', description: '' },
    allowed: 'name cannot be blank',
    refused: admins,
  },
  {
    method: 'patch',
    path: 'channel_folders',
    form: { order: '[999999]' },
    allowed: 'Invalid order mapping.',
    refused: admins,
  },
  {
    method: 'patch',
    path: 'channel_folders/999999',
    form: { name: 'x' },
    allowed: 'Invalid channel folder ID',
    refused: admins,
  },
  { method: 'get', path: 'messages/999999', allowed: noMessage },
  { method: 'patch', path: 'messages/999999', form: { content: 'x' }, allowed: noMessage },
  { method: 'delete', path: 'messages/999999', allowed: noMessage },
  { method: 'get', path: 'messages/999999/history', allowed: noMessage },
  { method: 'get', path: 'messages/999999/read_receipts', allowed: noMessage },
  { method: 'post', path: 'messages/999999/reactions', form: { emoji_name: 'smile' }, allowed: noMessage },
  { method: 'delete', path: 'messages/999999/reactions', form: { emoji_name: 'smile' }, allowed: noMessage },
  { method: 'post', path: 'messages/999999/typing', form: { op: 'start' }, allowed: noMessage },
  { method: 'post', path: 'message_edit_typing', form: { message_id: '999999', op: 'stop' }, allowed: noMessage },
  {
    method: 'post',
    path: 'submessage',
    form: { message_id: '999999', msg_type: 'widget', content: '{}' },
    allowed: noMessage,
  },
  { method: 'post', path: 'messages/render', form: { content: 'x' }, allowed: '' },
  { method: 'post', path: 'messages/flags', form: { messages: '[]', op: 'add', flag: 'read' }, allowed: '' },
  {
    method: 'post',
    path: 'messages/flags/narrow',
    form: { anchor: '0', num_before: '0', num_after: '0', op: 'add', flag: 'starred' },
    allowed: '',
  },
  { method: 'post', path: 'mark_all_as_read', allowed: '' },
  { method: 'post', path: 'mark_stream_as_read', form: { stream_id: '999999' }, allowed: noChannel },
  { method: 'post', path: 'mark_topic_as_read', form: { stream_id: '999999', topic_name: 'x' }, allowed: noChannel },
  {
    method: 'post',
    path: 'streams/999999/delete_topic',
    form: { topic_name: 'x' },
    allowed: noChannel,
    refused: admins,
  },
];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  for (const role of roles) people.set(role, await signIn(chat, accounts[role]));
  const cordelia = await signIn(chat, 'cordelia');
  const group = await cordelia.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
    form: { name: 'theirs', description: 'as it is', members: '[]' },
  });
  groupId = group.body.group_id;
  const bot = await cordelia.client.post<{ user_id: number }>('/api/v1/bots', {
    form: { full_name: 'Their Robot', short_name: 'theirs' },
  });
  botId = bot.body.user_id;
});
afterAll(() => cluster.stop());

async function ask(role: Role, { method, path, form = {} }: Endpoint) {
  const client = people.get(role)?.client ?? chat.client;
  const url = `/api/v1/${path.replace('{group}', String(groupId)).replace('{bot}', String(botId))}`;
  const { body } =
    method === 'get'
      ? await client.get<{ msg: string; code?: string }>(url)
      : await client[method]<{ msg: string; code?: string }>(url, { form });
  return { code: body.code, msg: body.msg };
}

describe.each(endpoints)('$method $path $form', (endpoint) => {
  it.each(endpoint.asks ?? roles)('answers %s as the rights of the role say', async (role) => {
    const refusal = endpoint.refused?.[role];
    const answer = await ask(role, endpoint);
    if (refusal === undefined) expect(answer.msg).toBe(endpoint.allowed);
    else expect(answer).toEqual(refusal);
  });

  it('answers nobody without credentials', async () => {
    const { method, path, form = {} } = endpoint;
    const url = `/api/v1/${path.replace('{group}', '1').replace('{bot}', '1')}`;
    const { status } = method === 'get' ? await chat.client.get(url) : await chat.client[method](url, { form });
    expect(status).toBe(401);
  });
});
