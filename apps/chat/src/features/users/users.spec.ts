import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

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

interface User {
  user_id: number;
  full_name: string;
  avatar_url: string | null;
  [field: string]: unknown;
}

type Query = Record<string, string | boolean>;

async function listUsers(reader: DemoUser, query: Query = {}): Promise<User[]> {
  const { body } = await reader.client.get<{ result: string; msg: string; members: User[] }>('/api/v1/users', {
    query,
  });
  expect(body).toMatchObject({ result: 'success', msg: '' });
  return body.members;
}

async function userNamed(reader: DemoUser, name: string, query: Query = {}): Promise<User> {
  const user = (await listUsers(reader, query)).find(({ full_name: fullName }) => fullName === name);
  if (user === undefined) throw new Error(`Nobody is called ${name}`);
  return user;
}

const update = (name: string, columns: string) =>
  chat.runtime.database.query(`UPDATE users SET ${columns} WHERE full_name = $1`, [name]);

describe('GET /users: email_address_visibility', () => {
  const all = ['desdemona', 'iago', 'shiva', 'hamlet', 'polonius'];

  it.each([
    ['all users', 1, all],
    ['members', 2, ['desdemona', 'iago', 'shiva', 'hamlet']],
    ['moderators', 5, ['desdemona', 'iago', 'shiva']],
    ['administrators', 3, ['desdemona', 'iago']],
    ['nobody', 4, []],
  ])(
    'shows the address only to %s, and lets only these users find the account by address',
    async (_who, visibility, seers) => {
      const zoe = await signIn(chat, 'ZOE');
      await zoe.client.patch('/api/v1/settings', { form: { email_address_visibility: visibility } });
      for (const name of [...all, 'ZOE']) {
        const reader = await signIn(chat, name);
        const sees = name === 'ZOE' || seers.includes(name);
        const email = sees ? 'ZOE@example.com' : `user${zoe.id}@zulipdev.com`;
        const shown = { user_id: zoe.id, email, delivery_email: sees ? 'ZOE@example.com' : null };
        expect((await listUsers(reader)).find((user) => user.user_id === zoe.id)).toMatchObject(shown);
        const found = await reader.client.get('/api/v1/users/zoe@example.com');
        expect(found.body).toMatchObject(sees ? { user: shown } : { code: 'BAD_REQUEST', msg: 'No such user' });
        const standIn = await reader.client.get(`/api/v1/users/user${zoe.id}@zulipdev.com`);
        expect(standIn.body).toMatchObject({ user: shown });
      }
      await zoe.client.patch('/api/v1/settings', { form: { email_address_visibility: 3 } });
    },
  );
});

describe('GET /users', () => {
  it('returns an account with every documented field', async () => {
    await update('Othello, the Moor of Venice', `timezone = 'Europe/Rome', date_joined = '2024-02-29 23:00:05+01'`);
    const othello = await signIn(chat, 'othello');
    expect(await userNamed(othello, 'Othello, the Moor of Venice')).toEqual({
      user_id: othello.id,
      delivery_email: 'othello@example.com',
      email: 'othello@example.com',
      full_name: 'Othello, the Moor of Venice',
      date_joined: '2024-02-29T22:00:05+00:00',
      is_active: true,
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_bot: false,
      bot_type: null,
      role: 400,
      timezone: 'Europe/Rome',
      avatar_url: null,
      avatar_version: 1,
      is_imported_stub: false,
    });
  });

  it.each([
    ['Desdemona', { role: 100, is_owner: true, is_admin: true, is_guest: false }],
    ['Iago', { role: 200, is_owner: false, is_admin: true, is_guest: false }],
    ['शिव', { role: 300, is_owner: false, is_admin: false, is_guest: false }],
    ['King Hamlet', { role: 400, is_owner: false, is_admin: false, is_guest: false }],
    ['Polonius', { role: 600, is_owner: false, is_admin: false, is_guest: true }],
  ])('returns the number and the flags of a role: %s', async (name, rights) => {
    expect(await userNamed(hamlet, name)).toMatchObject(rights);
  });

  it('returns type, owner and real address of bots to all users', async () => {
    const owner = await userNamed(hamlet, 'Desdemona');
    expect(await userNamed(hamlet, 'Default Bot')).toMatchObject({
      is_bot: true,
      bot_type: 1,
      bot_owner_id: owner.user_id,
      delivery_email: 'default-bot@example.com',
    });
    expect(await userNamed(hamlet, 'Webhook Bot')).toMatchObject({ bot_type: 2 });
    await update('Outgoing Webhook', 'bot_owner_id = NULL');
    expect(await userNamed(hamlet, 'Outgoing Webhook')).toMatchObject({ bot_type: 3, bot_owner_id: null });
    expect(owner).not.toHaveProperty('bot_owner_id');
  });

  it('returns a placeholder for a hidden address, which the API accepts as an email address', async () => {
    const zoe = await userNamed(iago, 'Zoe');
    expect(zoe).toMatchObject({ delivery_email: 'ZOE@example.com', email: 'ZOE@example.com' });
    expect(await userNamed(hamlet, 'Zoe')).toMatchObject({
      delivery_email: null,
      email: `user${zoe.user_id}@zulipdev.com`,
    });
  });

  it('omits Gravatar URLs for clients that can compute these URLs', async () => {
    expect((await userNamed(iago, 'Zoe')).avatar_url).toBeNull();
    expect((await userNamed(iago, 'Zoe', { client_gravatar: false })).avatar_url).toContain('gravatar');
    expect((await userNamed(hamlet, 'Zoe')).avatar_url).toContain('gravatar');
    await update('Zoe', `avatar_source = 'U', avatar_version = 7`);
    const pictured = await userNamed(iago, 'Zoe');
    expect(pictured).toMatchObject({ avatar_version: 7 });
    expect(pictured.avatar_url).toContain('version=7');
  });

  it('marks deactivated, deleted and imported accounts', async () => {
    await update("Cordelia, Lear's daughter", 'is_active = false');
    await update('aaron', 'is_active = false, is_deleted = true');
    await update('Prospero from The Tempest', 'is_imported_stub = true');
    const deactivated = await userNamed(hamlet, "Cordelia, Lear's daughter");
    expect(deactivated).toMatchObject({ is_active: false });
    expect(deactivated).not.toHaveProperty('is_deleted');
    expect(await userNamed(hamlet, 'aaron')).toMatchObject({ is_active: false, is_deleted: true });
    expect(await userNamed(hamlet, 'Prospero from The Tempest')).toMatchObject({ is_imported_stub: true });
  });

  it('returns custom fields of human users if requested', async () => {
    const query = { include_custom_profile_fields: true };
    expect(await userNamed(hamlet, 'Iago')).not.toHaveProperty('profile_data');
    expect(await userNamed(hamlet, 'Iago', query)).toHaveProperty('profile_data');
    expect(await userNamed(hamlet, 'Default Bot', query)).not.toHaveProperty('profile_data');
  });

  it('returns only requested accounts', async () => {
    const members = await listUsers(hamlet, { user_ids: JSON.stringify([iago.id, 999_999, hamlet.id]) });
    expect(members.map((user) => user.user_id).toSorted((a, b) => a - b)).toEqual(
      [iago.id, hamlet.id].toSorted((a, b) => a - b),
    );
    expect(await listUsers(hamlet, { user_ids: '[]' })).toEqual([]);
  });

  it('responds 401 without credentials', async () => {
    expect((await chat.client.get('/api/v1/users')).status).toBe(401);
  });
});
