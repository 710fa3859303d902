import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;
const groups = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>(
    "SELECT id, name FROM user_groups WHERE kind = 'system'",
  );
  for (const { id, name } of rows) groups.set(name, id);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  result: string;
  msg: string;
  code?: string;
  [field: string]: unknown;
}

async function patch(actor: DemoUser, form: Record<string, unknown>): Promise<ResponseBody> {
  const encoded = Object.entries(form).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return (await actor.client.patch<ResponseBody>('/api/v1/realm', { form: Object.fromEntries(encoded) })).body;
}

async function realm(reader: DemoUser): Promise<Record<string, unknown>> {
  const { body } = await reader.client.post<Record<string, unknown>>('/api/v1/register', {
    form: { fetch_event_types: '["realm"]' },
  });
  return body;
}

const group = (name: string): number => groups.get(name) ?? 0;
const success = { result: 'success', msg: '' };

describe('PATCH /realm', () => {
  it('stores changed settings and emits them to all users', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm']);
    const form = { name: 'New Name', inline_image_preview: false, message_content_edit_limit_seconds: '"unlimited"' };
    const changed = { name: 'New Name', inline_image_preview: false, message_content_edit_limit_seconds: null };
    expect(await patch(iago, { ...form, send_welcome_emails: true })).toEqual({ ...success, ...changed });
    expect(await queue.read()).toEqual(
      Object.entries(changed).map(([property, value]) => ({ type: 'realm', op: 'update', property, value })),
    );
    expect(await realm(hamlet)).toMatchObject({
      realm_name: 'New Name',
      realm_inline_image_preview: false,
      realm_message_content_edit_limit_seconds: null,
    });
    expect(await patch(iago, { name: 'New Name' })).toEqual(success);
    expect(await queue.read()).toEqual([]);
  });

  it('emits settings that are derived from a changed setting together with the changed setting', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm']);
    await patch(iago, { topics_policy: 'disable_empty_topic', message_edit_history_visibility_policy: 'none' });
    const data = {
      topics_policy: 'disable_empty_topic',
      mandatory_topics: true,
      message_edit_history_visibility_policy: 'none',
      allow_edit_history: false,
    };
    expect(await queue.read()).toEqual([{ type: 'realm', op: 'update_dict', property: 'default', data }]);
    const prefixed = Object.fromEntries(Object.entries(data).map(([name, value]) => [`realm_${name}`, value]));
    expect(await realm(hamlet)).toMatchObject(prefixed);
  });

  it('changes permission groups, and also emits the older policy settings derived from them', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm']);
    const value = { direct_members: [hamlet.id], direct_subgroups: [group('role:moderators')] };
    const form = {
      can_mention_many_users_group: { new: group('role:moderators'), old: group('role:administrators') },
      can_create_groups: { new: value },
    };
    expect(await patch(iago, form)).toEqual({
      ...success,
      can_mention_many_users_group: group('role:moderators'),
      can_create_groups: value,
    });
    const data = {
      can_mention_many_users_group: group('role:moderators'),
      wildcard_mention_policy: 7,
      can_create_groups: value,
    };
    expect(await queue.read()).toEqual([{ type: 'realm', op: 'update_dict', property: 'default', data }]);
    expect(await realm(hamlet)).toMatchObject({ realm_can_create_groups: value, realm_wildcard_mention_policy: 7 });
    expect(await patch(iago, form)).toMatchObject({ code: 'EXPECTATION_MISMATCH' });
    expect(await patch(iago, { direct_message_permission_group: { new: value } })).toMatchObject({
      code: 'SYSTEM_GROUP_REQUIRED',
      setting_name: 'direct_message_permission_group',
    });
  });

  it('sets or unsets the channels for announcements and moderation reports', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
    const id = rows[0]?.id ?? 0;
    const queue = await openTestEventQueue(chat, polonius, ['realm']);
    const property = 'signup_announcements_stream_id';
    expect(await patch(iago, { [property]: id })).toEqual({ ...success, [property]: id });
    expect(await patch(iago, { [property]: -1 })).toEqual({ ...success, [property]: -1 });
    expect(await queue.read()).toEqual([
      { type: 'realm', op: 'update', property, value: id },
      { type: 'realm', op: 'update', property, value: -1 },
    ]);
    expect(await patch(iago, { [property]: 999_999 })).toMatchObject({ msg: 'Invalid channel ID' });
  });

  it('demotes and promotes members when the waiting period changes', async () => {
    await chat.runtime.database.query("UPDATE users SET date_joined = '2020-01-01' WHERE id = $1", [hamlet.id]);
    const queue = await openTestEventQueue(chat, polonius, ['user_group']);
    expect(await patch(desdemona, { waiting_period_threshold: 3 })).toMatchObject(success);
    const moved = await queue.read();
    expect(moved).toMatchObject([
      { op: 'remove_members', group_id: group('role:fullmembers') },
      { op: 'add_members', group_id: group('role:members') },
    ]);
    expect(moved[1]?.['user_ids']).not.toContain(hamlet.id);
    expect(await patch(desdemona, { waiting_period_threshold: 0 })).toMatchObject(success);
    expect(await queue.read()).toMatchObject([
      { op: 'remove_members', group_id: group('role:members') },
      { op: 'add_members', group_id: group('role:fullmembers') },
    ]);
  });

  it.each([
    [{ waiting_period_threshold: -1 }, { code: 'REQUEST_VARIABLE_INVALID', var_name: 'waiting_period_threshold' }],
    [{ name: '' }, { code: 'BAD_REQUEST', msg: 'Organization name cannot be blank' }],
    [{ name: 'x'.repeat(41) }, { code: 'BAD_REQUEST', msg: 'name is too long (limit: 40 characters)' }],
    [{ topics_policy: 'whatever' }, { code: 'BAD_REQUEST', msg: 'Invalid topics_policy' }],
    [{ digest_weekday: 7 }, { code: 'REQUEST_VARIABLE_INVALID', var_name: 'digest_weekday' }],
    [{ invite_required: 'maybe' }, { code: 'BAD_REQUEST' }],
    [{ can_create_groups: 5 }, { code: 'BAD_REQUEST', msg: 'can_create_groups is not a dict' }],
  ])('rejects the settings %j', async (form, error) => {
    expect(await patch(desdemona, form)).toMatchObject(error);
  });

  it('requires an administrator, or an owner for settings that only owners may change', async () => {
    const notAdmin = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    const notOwner = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
    expect(await patch(hamlet, { name: 'Mine' })).toMatchObject(notAdmin);
    expect(await patch(iago, { waiting_period_threshold: 3 })).toMatchObject(notOwner);
    expect(await patch(iago, { emails_restricted_to_domains: true })).toMatchObject(notOwner);
    const change = { new: group('role:members') };
    expect(await patch(iago, { can_manage_all_groups: change })).toMatchObject(notOwner);
  });
});

describe('PATCH /realm: can_access_all_users_group', () => {
  it('limits guests to users with whom they share a channel or conversation, in every response', async () => {
    const before = await openTestEventQueue(chat, polonius, ['realm_user']);
    const { rows } = await chat.runtime.database.query<{ id: number; shared: boolean }>(
      `SELECT u.id, EXISTS (SELECT 1 FROM subscriptions a JOIN subscriptions b USING (channel_id)
         WHERE a.user_id = $1 AND a.is_active AND b.user_id = u.id AND b.is_active)
         OR EXISTS (SELECT 1 FROM recipients r WHERE r.participant_ids @> ARRAY[$1, u.id]) AS shared
       FROM users u WHERE u.bot_type IS NULL AND u.id <> $1 ORDER BY u.id`,
      [polonius.id],
    );
    const known = rows.find(({ shared }) => shared)?.id ?? 0;
    let hidden = rows.find(({ shared }) => !shared)?.id ?? 0;
    if (hidden === 0) hidden = await addStranger();
    expect(await patch(iago, { can_access_all_users_group: { new: group('role:members') } })).toMatchObject(success);
    expect((await before.poll()).code).toBe('BAD_EVENT_QUEUE_ID');

    const { body } = await polonius.client.get<{ members: { user_id: number; full_name: string }[] }>('/api/v1/users');
    const shown = (id: number) => body.members.find((user) => user.user_id === id);
    expect(shown(hidden)).toBeUndefined();
    expect(shown(known)).toBeDefined();
    const single = await polonius.client.get<ResponseBody>(`/api/v1/users/${hidden}`);
    expect(single.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'No such user' });

    const capabilities = JSON.stringify({ user_list_incomplete: true });
    const register = async (form: Record<string, string>) => {
      const form_ = { fetch_event_types: '["realm_user"]', ...form };
      const response = await polonius.client.post<{ realm_users: { user_id: number; full_name: string }[] }>(
        '/api/v1/register',
        { form: form_ },
      );
      return response.body.realm_users.find((user) => user.user_id === hidden);
    };
    expect((await register({}))?.full_name).toBe('Unknown user');
    expect(await register({ client_capabilities: capabilities })).toBeUndefined();

    const [guest, member] = [
      await openTestEventQueue(chat, polonius, ['realm_user']),
      await openTestEventQueue(chat, hamlet, ['realm_user']),
    ];
    const form = { full_name: 'Somebody Else' };
    await iago.client.patch(`/api/v1/users/${hidden}`, { form });
    await iago.client.patch(`/api/v1/users/${known}`, { form: { full_name: 'Well Known' } });
    const update = { type: 'realm_user', op: 'update' };
    expect(await guest.read()).toEqual([{ ...update, person: { user_id: known, full_name: 'Well Known' } }]);
    expect(await member.read()).toHaveLength(2);
  });

  it('treats hidden users as unknown in every request of a guest', async () => {
    const hidden = await addStranger();
    const address = `user${hidden}@localhost`;
    const fields = await iago.client.post<{ id: number }>('/api/v1/realm/profile_fields', {
      form: { name: 'Mentor', field_type: '6' },
    });
    const narrowed = (operator: string, operand: unknown) => ({
      anchor: 'newest',
      num_before: '1',
      num_after: '0',
      narrow: JSON.stringify([{ operator, operand }]),
    });
    const profile = (id: number) => ({ data: JSON.stringify([{ id: fields.body.id, value: [id] }]) });
    const draft = (id: number) => ({
      drafts: JSON.stringify([{ type: 'private', to: [id], topic: '', content: 'x' }]),
    });
    const requests: ['get' | 'post' | 'patch' | 'delete', string, Record<string, string>?][] = [
      ['get', `users/${hidden}`],
      ['get', `users/${address}`],
      ['get', `users/${hidden}/presence`],
      ['get', `users/${hidden}/status`],
      ['get', `users/${hidden}/channels`],
      ['get', `users/${hidden}/subscriptions/1`],
      ['get', 'messages', narrowed('sender', hidden)],
      ['get', 'messages', narrowed('sender', address)],
      ['get', 'messages', narrowed('dm', [hidden])],
      ['get', 'messages', narrowed('dm-including', [hidden])],
      ['get', 'messages', narrowed('mentions', hidden)],
      ['post', `users/me/muted_users/${hidden}`],
      ['patch', 'users/me/profile_data', profile(hidden)],
      ['post', 'drafts', draft(hidden)],
      ['post', 'users/me/subscriptions', { subscriptions: '[{"name":"Verona"}]', principals: `[${hidden}]` }],
      ['delete', 'users/me/subscriptions', { subscriptions: '["Verona"]', principals: `[${hidden}]` }],
      ['delete', `users/${hidden}`],
      ['patch', `users/${hidden}`, { full_name: 'Somebody' }],
    ];
    const ask = async (method: (typeof requests)[number][0], path: string, form: Record<string, string> = {}) => {
      const sent = method === 'get' ? { query: form } : { form };
      const { status, text } = await polonius.client[method](`/api/v1/${path}`, { ...sent, unchecked: true });
      return { status, text };
    };
    const unknown = 987_654;
    const rename = (text: string) => text.replaceAll(String(hidden), String(unknown));
    for (const [method, path, form = {}] of requests) {
      const given = await ask(method, path, form);
      const renamed = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, rename(value)]));
      const expected = await ask(method, rename(path), renamed);
      expect({ path, form, ...given, text: rename(given.text) }).toEqual({ path, form, ...expected });
      expect(given.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('rejects direct messages and typing notifications from a guest to hidden users', async () => {
    const hidden = await addStranger();
    const refusal = {
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'You do not have permission to access some of the recipients.' },
    };
    const recipients = [[hidden], [hidden, iago.id], [`user${hidden}@localhost`]];
    for (const to of recipients) {
      const form = { type: 'direct', to: JSON.stringify(to), content: 'hello' };
      expect(await polonius.client.post<ResponseBody>('/api/v1/messages', { form })).toMatchObject(refusal);
    }
    for (const to of recipients.slice(0, 2)) {
      const form = { type: 'direct', op: 'start', to: JSON.stringify(to) };
      expect(await polonius.client.post<ResponseBody>('/api/v1/typing', { form })).toMatchObject(refusal);
    }
    const form = { type: 'direct', to: `[${polonius.id}]`, content: 'hello' };
    const { client } = await signIn(chat, `stranger${strangers}`);
    expect((await client.post<ResponseBody>('/api/v1/messages', { form })).body).toMatchObject({ result: 'success' });
    const back = { type: 'direct', to: `[${hidden}]`, content: 'hello' };
    expect((await polonius.client.post<ResponseBody>('/api/v1/messages', { form: back })).body).toMatchObject({
      result: 'success',
    });
  });

  it('emits users who become visible to a guest, and ends the queues of the guest when users become hidden', async () => {
    const stranger = await addStranger();
    const change = async (method: 'post' | 'delete', subscriptions: unknown) => {
      const form = { subscriptions: JSON.stringify(subscriptions), principals: `[${stranger}]` };
      const { status } = await iago.client[method]('/api/v1/users/me/subscriptions', { form });
      expect(status).toBe(200);
    };
    const [guest, member] = [
      await openTestEventQueue(chat, polonius, ['realm_user']),
      await openTestEventQueue(chat, hamlet, ['realm']),
    ];
    const { rows } = await chat.runtime.database.query<{ name: string }>(
      `SELECT c.name FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.is_active
       WHERE s.user_id = $1 AND NOT c.is_private ORDER BY c.id LIMIT 1`,
      [polonius.id],
    );
    const name = rows[0]?.name ?? '';
    await change('post', [{ name }]);
    const appeared = { type: 'realm_user', op: 'add', person: expect.objectContaining({ user_id: stranger }) };
    expect(await guest.read()).toEqual([appeared]);
    await change('delete', [name]);
    expect((await guest.poll()).code).toBe('BAD_EVENT_QUEUE_ID');
    expect((await member.poll()).msg).toBe('');
  });

  it('emits a new account as a placeholder to guests who cannot see it', async () => {
    const older = await openTestEventQueue(chat, polonius, ['realm_user']);
    const capabilities = JSON.stringify({ user_list_incomplete: true });
    const newer = await openTestEventQueue(chat, polonius, ['realm_user'], { client_capabilities: capabilities });
    const id = await addStranger();
    expect(await older.read()).toMatchObject([{ op: 'add', person: { user_id: id, full_name: 'Unknown user' } }]);
    expect(await newer.read()).toEqual([]);
  });
});

let strangers = 0;
async function addStranger(): Promise<number> {
  strangers += 1;
  await chat.runtime.database.query('UPDATE users SET can_create_users = true WHERE id = $1', [iago.id]);
  await chat.runtime.database.query('UPDATE channels SET is_default = false');
  const { body } = await iago.client.post<{ user_id: number }>('/api/v1/users', {
    form: {
      email: `stranger${strangers}@example.com`,
      password: 'a long password',
      full_name: `Stranger ${strangers}`,
    },
  });
  return body.user_id;
}

describe('GET /users without an account', () => {
  it('returns users without email addresses', async () => {
    const anonymous = chat.client.withHeaders({});
    expect((await anonymous.get('/api/v1/users')).status).toBe(401);
    expect(await patch(iago, { enable_spectator_access: true })).toMatchObject(success);
    const { status, body } = await anonymous.get<{ members: Record<string, unknown>[] }>('/api/v1/users');
    expect(status).toBe(200);
    const user = body.members.find((member) => member['user_id'] === iago.id);
    expect(user).toMatchObject({ full_name: 'Iago', delivery_email: null, email: `user${iago.id}@zulipdev.com` });
    expect(user?.['date_joined']).toMatch(/T00:00:00\+00:00$/);
    expect(JSON.stringify(body)).not.toContain('iago@');
  });
});
