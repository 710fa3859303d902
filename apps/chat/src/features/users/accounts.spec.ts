import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  result: string;
  msg: string;
  code?: string;
  user_id: number;
  user: { user_id: number; full_name: string; role: number; is_active: boolean; email: string; delivery_email: string };
}

async function patch(actor: DemoUser, user: number | string, form: Record<string, string | number>) {
  const { body } = await actor.client.patch<ResponseBody>(`/api/v1/users/${encodeURIComponent(user)}`, { form });
  return body;
}

async function get(actor: DemoUser, user: number | string): Promise<ResponseBody> {
  return (await actor.client.get<ResponseBody>(`/api/v1/users/${encodeURIComponent(user)}`)).body;
}

const remove = async (actor: DemoUser, user: number | string): Promise<ResponseBody> =>
  (await actor.client.delete<ResponseBody>(`/api/v1/users/${user}`)).body;
const reactivate = async (actor: DemoUser, userId: number): Promise<ResponseBody> =>
  (await actor.client.post<ResponseBody>(`/api/v1/users/${userId}/reactivate`, { form: {} })).body;

const success = { result: 'success', msg: '' };
const notAdmin = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const notOwner = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };

async function groupId(name: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ id: number }>('SELECT id FROM user_groups WHERE name = $1', [
    name,
  ]);
  return rows[0]?.id ?? 0;
}

let made = 0;
async function addPerson(email = `person${made + 1}@example.com`): Promise<DemoUser> {
  made += 1;
  await chat.runtime.database.query('UPDATE users SET can_create_users = true WHERE id = $1', [iago.id]);
  const { body } = await iago.client.post<ResponseBody>('/api/v1/users', {
    form: { email, password: 'a long password', full_name: `Person ${made}` },
  });
  expect(body).toMatchObject(success);
  const { body: key } = await chat.client.post<{ api_key: string }>('/api/v1/dev_fetch_api_key', {
    form: { username: email },
  });
  return {
    id: body.user_id,
    email,
    apiKey: key.api_key,
    client: chat.client.withHeaders(createBasicAuthorization(email, key.api_key)),
  };
}

describe('GET /users/{user}', () => {
  it('finds an account by id, by a visible email address, and by the placeholder address of the account', async () => {
    expect((await get(iago, hamlet.id)).user).toMatchObject({ full_name: 'King Hamlet' });
    expect((await get(iago, 'HAMLET@example.com')).user.user_id).toBe(hamlet.id);
    expect((await get(polonius, `user${hamlet.id}@zulipdev.com`)).user.user_id).toBe(hamlet.id);
    for (const host of ['localhost', 'LOCALHOST:9991']) {
      expect((await get(polonius, `user${hamlet.id}@${host}`)).user.user_id).toBe(hamlet.id);
    }
    expect(await get(polonius, `user${hamlet.id}@elsewhere.org`)).toMatchObject({ msg: 'No such user' });
    const other = await chat.client.withHeaders({ authorization: '' }).get<ResponseBody>(`/api/v1/users/${hamlet.id}`);
    expect(other.status).toBe(401);
  });

  it('prefers the account with a matching real email address to an account with a matching placeholder address', async () => {
    const person = await addPerson(`user${hamlet.id}@zulipdev.com`);
    expect((await get(iago, person.email)).user.user_id).toBe(person.id);
    await person.client.patch('/api/v1/settings', { form: { email_address_visibility: 3 } });
    expect((await get(hamlet, person.email)).user.user_id).toBe(hamlet.id);
  });

  it('returns avatar and custom fields if requested', async () => {
    const read = async (query: Record<string, boolean>) =>
      (await iago.client.get<ResponseBody>(`/api/v1/users/${hamlet.id}`, { query })).body.user;
    expect(await read({})).toMatchObject({ avatar_url: null });
    expect(await read({})).not.toHaveProperty('profile_data');
    const shown = await read({ client_gravatar: false, include_custom_profile_fields: true });
    expect(shown).toMatchObject({ avatar_url: expect.stringContaining('gravatar'), profile_data: {} });
  });

  it('responds for an email address hidden from the requester as for an unknown address', async () => {
    const unknown = { code: 'BAD_REQUEST', msg: 'No such user' };
    expect(await get(hamlet, 'iago@example.com')).toMatchObject(unknown);
    expect(await get(hamlet, 'nobody@example.com')).toMatchObject(unknown);
    expect(await get(hamlet, 999_999)).toMatchObject(unknown);
    expect(await get(hamlet, '99999999999999')).toMatchObject(unknown);
  });
});

describe('PATCH /users/{user}', () => {
  it('changes the name of the user, and emits the new name to all users', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm_user']);
    const person = await addPerson();
    await queue.read();
    expect(await patch(iago, person.id, { full_name: '  New Name ' })).toMatchObject(success);
    expect((await get(hamlet, person.id)).user.full_name).toBe('New Name');
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: person.id, full_name: 'New Name' } },
    ]);
    expect(await patch(iago, person.id, { full_name: 'New Name' })).toMatchObject(success);
    expect(await queue.read()).toEqual([]);
  });

  it.each([
    ['x', 'Name too short!'],
    ['x'.repeat(101), 'Name too long!'],
    ['a*b', 'Invalid characters in name!'],
    ['Ann|12', 'Invalid characters in name!'],
  ])('rejects the name %j', async (name, msg) => {
    expect(await patch(iago, hamlet.id, { full_name: name })).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('finds the account by id, by a visible address, and by its placeholder address', async () => {
    const person = await addPerson();
    const addresses = [
      person.id,
      person.email.toUpperCase(),
      `user${person.id}@zulipdev.com`,
      `user${person.id}@localhost`,
    ];
    for (const [index, address] of addresses.entries()) {
      expect(await patch(iago, address, { full_name: `Number ${index}` })).toEqual(success);
      expect((await get(iago, person.id)).user.full_name).toBe(`Number ${index}`);
    }
    await person.client.patch('/api/v1/settings', { form: { email_address_visibility: 4 } });
    const unknown = { code: 'BAD_REQUEST', msg: 'No such user' };
    expect(await patch(iago, person.email, { full_name: 'Nobody' })).toMatchObject(unknown);
    expect(await patch(iago, 'nobody@example.com', { full_name: 'Nobody' })).toMatchObject(unknown);
    expect(await patch(iago, `user${person.id}@zulipdev.com`, { full_name: 'Hidden' })).toEqual(success);
  });

  it.each([100, 200, 300, 400, 600])('accepts the role number %s, and rejects an unknown number', async (role) => {
    const person = await addPerson();
    expect(await patch(desdemona, person.id, { role })).toEqual(success);
    expect((await get(iago, person.id)).user.role).toBe(role);
    expect(await patch(desdemona, person.id, { role: role + 1 })).toMatchObject({ msg: 'Invalid role' });
    await patch(desdemona, person.id, { role: 600 });
  });

  it('emits a changed role and its system groups to all users', async () => {
    const person = await addPerson();
    const queue = await openTestEventQueue(chat, polonius, ['realm_user', 'user_group']);
    expect(await patch(iago, person.email, { role: 300 })).toMatchObject(success);
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: person.id, role: 300 } },
      { type: 'user_group', op: 'remove_members', group_id: await groupId('role:fullmembers'), user_ids: [person.id] },
      { type: 'user_group', op: 'add_members', group_id: await groupId('role:moderators'), user_ids: [person.id] },
    ]);
  });

  it('retains event queues of the account, which receive the new role and newly visible data', async () => {
    const person = await addPerson();
    const queue = await openTestEventQueue(chat, person, ['realm_user', 'default_streams', 'stream']);
    await patch(iago, person.id, { role: 600 });
    const events = await queue.read();
    const role = { type: 'realm_user', op: 'update', person: { user_id: person.id, role: 600 } };
    expect(events).toContainEqual(role);
    expect(events).toContainEqual({ type: 'default_streams', default_streams: [] });
    expect(events).toContainEqual(expect.objectContaining({ type: 'stream', op: 'delete' }));
    const { body } = await person.client.get<{ is_guest: boolean }>('/api/v1/users/me');
    expect(body.is_guest).toBe(true);
  });

  it('returns no data that the new role may not see, even in polls that are pending during the change', async () => {
    const person = await addPerson();
    const form = { event_types: '["message"]', fetch_event_types: '[]', all_public_streams: 'true' };
    const { body } = await person.client.post<{ queue_id: string }>('/api/v1/register', { form });
    const held = person.client.get<{ events: object[] }>('/api/v1/events', {
      query: { queue_id: body.queue_id, last_event_id: -1 },
    });
    await delay(200);
    await patch(iago, person.id, { role: 600 });
    const sent = { type: 'channel', to: 'Scotland', topic: 'after', content: 'for members' };
    await iago.client.post('/api/v1/messages', { form: sent });
    const direct = { type: 'direct', to: `[${person.id}]`, content: 'for the guest' };
    await iago.client.post('/api/v1/messages', { form: direct });
    expect((await held).body.events).toMatchObject([
      { type: 'message', message: { content: expect.stringContaining('guest') } },
    ]);
  });

  it('requires an administrator, and an owner to grant the owner role', async () => {
    const person = await addPerson();
    expect(await patch(hamlet, person.id, { full_name: 'No' })).toMatchObject(notAdmin);
    expect(await patch(iago, person.id, { role: 100 })).toMatchObject(notOwner);
    expect(await patch(iago, desdemona.id, { role: 200 })).toMatchObject(notOwner);
    expect(await patch(iago, person.id, { role: 150 })).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid role' });
    expect(await patch(desdemona, polonius.id, { role: 200 })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Guests cannot be organization administrators',
    });
  });

  it('leaves at least one owner when owners are demoted concurrently', async () => {
    const last = 'The owner permission cannot be removed from the only organization owner.';
    expect(await patch(desdemona, desdemona.id, { role: 400 })).toMatchObject({ code: 'BAD_REQUEST', msg: last });
    const person = await addPerson();
    expect(await patch(desdemona, person.id, { role: 100 })).toMatchObject(success);
    const responses = await Promise.all([
      patch(desdemona, person.id, { role: 200 }),
      patch(person, desdemona.id, { role: 200 }),
    ]);
    expect(responses.filter(({ result }) => result === 'success')).toHaveLength(1);
    const { rows } = await chat.runtime.database.query('SELECT id FROM users WHERE role = 100 AND bot_type IS NULL');
    expect(rows).toHaveLength(1);
    await chat.runtime.database.query('UPDATE users SET role = 100 WHERE id = $1', [desdemona.id]);
    await chat.runtime.database.query('UPDATE users SET role = 400 WHERE id = $1', [person.id]);
    await Promise.all([desdemona.id, person.id].map((id) => chat.runtime.credentials.evictByTag(`user:${id}`)));
  });

  it('changes the email address for owners with the right can_change_user_emails', async () => {
    const person = await addPerson();
    const form = { new_email: 'Elsewhere@example.com' };
    expect(await patch(iago, person.id, form)).toMatchObject(notOwner);
    expect(await patch(desdemona, person.id, form)).toMatchObject({
      msg: 'User not authorized to change user emails',
    });
    await chat.runtime.database.query('UPDATE users SET can_change_user_emails = true WHERE id = $1', [desdemona.id]);
    const queue = await openTestEventQueue(chat, polonius, ['realm_user']);
    expect(await patch(desdemona, person.id, form)).toMatchObject(success);
    expect((await get(iago, person.id)).user.delivery_email).toBe('Elsewhere@example.com');
    expect((await queue.read()).slice(0, 2)).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: person.id, delivery_email: 'Elsewhere@example.com' } },
      { type: 'realm_user', op: 'update', person: { user_id: person.id, new_email: 'Elsewhere@example.com' } },
    ]);
    expect(await patch(desdemona, person.id, { new_email: 'HAMLET@example.com' })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: "Email 'HAMLET@example.com' already in use",
    });
    expect(await patch(desdemona, person.id, { new_email: 'nonsense' })).toMatchObject({
      msg: 'Enter a valid email address.',
    });
  });

  it('rejects values for unknown profile fields', async () => {
    const form = { profile_data: JSON.stringify([{ id: 4711, value: 'x' }]) };
    expect(await patch(iago, hamlet.id, form)).toMatchObject({ code: 'BAD_REQUEST', msg: 'Field id 4711 not found.' });
  });
});

describe('POST /users', () => {
  it('emits a new account with groups and default channels to all users', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_user', 'user_group', 'subscription']);
    const person = await addPerson();
    const events = await queue.read();
    expect(events[0]).toMatchObject({ op: 'add', person: { user_id: person.id, delivery_email: person.email } });
    expect(events[1]).toEqual({
      type: 'user_group',
      op: 'add_members',
      group_id: await groupId('role:fullmembers'),
      user_ids: [person.id],
    });
  });

  it('creates one account for concurrent requests with the same email address', async () => {
    const form = { email: 'Twin@example.com', password: 'a long password', full_name: 'Twin Person' };
    const responses = await Promise.all(
      [0, 1, 2].map(async () => (await iago.client.post<ResponseBody>('/api/v1/users', { form })).body),
    );
    expect(responses.filter(({ result }) => result === 'success')).toHaveLength(1);
    expect(responses.find(({ result }) => result === 'error')).toMatchObject({
      code: 'BAD_REQUEST',
      msg: "Email 'Twin@example.com' already in use",
    });
  });

  it('requires the right to create users, which the operator grants, and a strong password', async () => {
    const form = { email: 'more@example.com', password: 'a long password', full_name: 'More People' };
    const { body } = await hamlet.client.post<ResponseBody>('/api/v1/users', { form });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'User not authorized to create users' });
    const weak = await iago.client.post<ResponseBody>('/api/v1/users', { form: { ...form, password: 'qwertyuiop' } });
    expect(weak.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'The password is too weak.' });
  });
});

describe('DELETE /users/{user_id} and POST /users/{user_id}/reactivate', () => {
  it('hide the account and revoke its access until the account is reactivated', async () => {
    const person = await addPerson();
    const { rows } = await chat.runtime.database.query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
    const verona = rows[0]?.id ?? 0;
    await chat.runtime.database.query(
      "INSERT INTO subscriptions (user_id, channel_id, color) VALUES ($1, $2, '#123456') ON CONFLICT DO NOTHING",
      [person.id, verona],
    );
    const own = await openTestEventQueue(chat, person, ['realm_user']);
    const queue = await openTestEventQueue(chat, iago, ['realm_user', 'user_group', 'subscription']);
    expect(await remove(iago, person.id)).toMatchObject(success);
    const group = { type: 'user_group', group_id: await groupId('role:fullmembers'), user_ids: [person.id] };
    const state = { type: 'realm_user', op: 'update' };
    const gone = await queue.read();
    const left = gone.filter(({ op }) => op === 'peer_remove');
    expect(left.flatMap(({ stream_ids: ids }) => ids)).toContain(verona);
    expect(gone.slice(left.length)).toEqual([
      { ...group, op: 'remove_members' },
      { ...state, person: { user_id: person.id, is_active: false } },
    ]);
    expect((await get(iago, person.id)).user.is_active).toBe(false);
    expect((await own.poll()).code).toBe('USER_DEACTIVATED');
    expect(await remove(iago, person.id)).toMatchObject(success);
    expect(await queue.read()).toEqual([]);

    expect(await reactivate(iago, person.id)).toMatchObject(success);
    const back = await queue.read();
    expect(back.slice(0, 2)).toEqual([
      { ...state, person: { user_id: person.id, is_active: true } },
      { ...group, op: 'add_members' },
    ]);
    expect(back.at(2)).toMatchObject({ type: 'subscription', op: 'peer_add', user_ids: [person.id] });
    expect((await own.poll()).code).toBe('BAD_EVENT_QUEUE_ID');
  });

  it('deactivate bots together with their owner, and reactivate a single bot', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM users WHERE full_name = 'Webhook Bot'",
    );
    const bot = rows[0]?.id ?? 0;
    const zoe = await signIn(chat, 'ZOE');
    const queue = await openTestEventQueue(chat, iago, ['realm_bot']);
    expect((await zoe.client.delete<ResponseBody>('/api/v1/users/me')).body).toMatchObject(success);
    expect(await queue.read()).toEqual([{ type: 'realm_bot', op: 'update', bot: { user_id: bot, is_active: false } }]);
    expect((await get(iago, bot)).user.is_active).toBe(false);
    expect(await reactivate(iago, bot)).toMatchObject(success);
    expect((await get(iago, bot)).user).toMatchObject({ is_active: true, bot_owner_id: iago.id });
  });

  it('leave at least one owner when owners are deactivated concurrently', async () => {
    const person = await addPerson();
    expect(await patch(desdemona, person.id, { role: 100 })).toMatchObject(success);
    const responses = await Promise.all([remove(desdemona, person.id), remove(person, 'me'), remove(desdemona, 'me')]);
    expect(responses.some(({ result }) => result === 'success')).toBe(true);
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      'SELECT id FROM users WHERE role = 100 AND bot_type IS NULL AND is_active',
    );
    expect(rows).toHaveLength(1);
    await chat.runtime.database.query('UPDATE users SET is_active = (id = $1) WHERE id IN ($1, $2)', [
      desdemona.id,
      person.id,
    ]);
    await Promise.all([desdemona.id, person.id].map((id) => chat.runtime.credentials.evictByTag(`user:${id}`)));
  });

  it('reject the last owner, and require an owner to deactivate owners', async () => {
    const only = {
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      msg: 'Cannot deactivate the only organization owner.',
      is_last_owner: true,
      entity: 'organization owner',
    };
    expect(await remove(desdemona, 'me')).toMatchObject(only);
    expect(await remove(desdemona, desdemona.id)).toMatchObject(only);
    expect(await remove(iago, desdemona.id)).toMatchObject(notOwner);
    expect(await remove(hamlet, iago.id)).toMatchObject(notAdmin);
    expect(await reactivate(hamlet, iago.id)).toMatchObject(notAdmin);
  });
});
