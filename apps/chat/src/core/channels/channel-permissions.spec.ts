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
const groupOfUser = (user: DemoUser) => ({ direct_members: [user.id], direct_subgroups: [] });

let made = 0;

/** Creates a channel with the given settings as the user Desdemona, who owns the organization. */
async function channel(form: Json = {}): Promise<{ id: number; name: string }> {
  made += 1;
  const name = `permissions ${made}`;
  const given = { name, subscribers: [desdemona.id], ...form };
  const { body } = await desdemona.client.post<{ id: number; msg: string }>('/api/v1/channels/create', {
    form: Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  });
  expect(body.msg).toBe('');
  return { id: body.id, name };
}

async function subscribe(actor: DemoUser, name: string, others: DemoUser[] = [actor]): Promise<boolean> {
  const form = {
    subscriptions: JSON.stringify([{ name }]),
    principals: JSON.stringify(others.map(({ id }) => id)),
  };
  return (await actor.client.post(path, { form })).status === 200;
}

async function remove(actor: DemoUser, name: string, other: DemoUser): Promise<boolean> {
  const form = { subscriptions: JSON.stringify([name]), principals: `[${other.id}]` };
  return (await actor.client.delete(path, { form })).status === 200;
}

async function canSeeChannel(actor: DemoUser, id: number): Promise<boolean> {
  return (await actor.client.get(`/api/v1/streams/${id}`)).status === 200;
}

async function realmPermission(setting: string, group: string): Promise<void> {
  await chat.runtime.database.query(
    'UPDATE realm_permissions SET group_id = (SELECT id FROM user_groups WHERE name = $2) WHERE setting = $1',
    [setting, group],
  );
}

describe('private channel', () => {
  it('appears only to subscribers, administrators, and users who can join or manage the channel', async () => {
    const { id, name } = await channel({ invite_only: true });
    const entering = await channel({ invite_only: true, can_subscribe_group: groupOfUser(cordelia) });
    const adding = await channel({ invite_only: true, can_add_subscribers_group: groupOfUser(cordelia) });
    const managing = await channel({ invite_only: true, can_administer_channel_group: groupOfUser(cordelia) });
    const known = async (user: DemoUser) =>
      Promise.all([id, entering.id, adding.id, managing.id].map((one) => canSeeChannel(user, one)));
    expect(await known(iago)).toEqual([true, true, true, true]);
    expect(await known(cordelia)).toEqual([false, true, true, true]);
    expect(await known(hamlet)).toEqual([false, false, false, false]);
    expect(await subscribe(desdemona, name, [hamlet])).toBe(true);
    expect(await canSeeChannel(hamlet, id)).toBe(true);
  });

  it('accepts subscriptions only from users in can_subscribe_group', async () => {
    const { name } = await channel({ invite_only: true, can_subscribe_group: groupOfUser(cordelia) });
    expect(await subscribe(hamlet, name)).toBe(false);
    expect(await subscribe(iago, name)).toBe(false);
    expect(await subscribe(cordelia, name)).toBe(true);
  });

  it('lets holders of the channel permission, and subscribers with the realm permission, add users', async () => {
    const { name } = await channel({ invite_only: true, can_add_subscribers_group: groupOfUser(cordelia) });
    expect(await subscribe(cordelia, name, [hamlet])).toBe(true);
    expect(await subscribe(hamlet, name, [iago])).toBe(true);
    await realmPermission('can_add_subscribers_group', 'role:administrators');
    expect(await subscribe(hamlet, name, [polonius])).toBe(false);
    expect(await subscribe(cordelia, name, [polonius])).toBe(true);
    expect(await subscribe(hamlet, 'Verona', [cordelia])).toBe(false);
    await realmPermission('can_add_subscribers_group', 'role:members');
    expect(await subscribe(hamlet, 'Verona', [cordelia])).toBe(true);
  });

  it('does not appear to guests who are in its can_subscribe_group', async () => {
    const { id, name } = await channel({ invite_only: true, can_subscribe_group: groupOfUser(polonius) });
    expect(await canSeeChannel(polonius, id)).toBe(false);
    expect(await subscribe(polonius, name)).toBe(false);
  });
});

describe('DELETE /users/me/subscriptions', () => {
  it('requires a permission, channel administration or ownership of the bot to unsubscribe other users', async () => {
    const { name } = await channel({ can_remove_subscribers_group: groupOfUser(cordelia) });
    const bot = await signIn(chat, 'default-bot');
    await subscribe(desdemona, name, [desdemona, hamlet, iago, bot]);
    expect(await remove(hamlet, name, iago)).toBe(false);
    expect(await remove(cordelia, name, iago)).toBe(true);
    expect(await remove(desdemona, name, hamlet)).toBe(true);
    await chat.runtime.database.query('UPDATE users SET bot_owner_id = $2 WHERE id = $1', [bot.id, hamlet.id]);
    expect(await remove(hamlet, name, bot)).toBe(true);
  });
});

describe('POST /channels/create: permissions', () => {
  it.each([
    ['public', 'can_create_public_channel_group', {}],
    ['private', 'can_create_private_channel_group', { invite_only: 'true' }],
    ['web-public', 'can_create_web_public_channel_group', { is_web_public: 'true' }],
  ])('requires a permission to create %s channels', async (kind, setting, form) => {
    const make = async (user: DemoUser, name: string) =>
      (await user.client.post('/api/v1/channels/create', { form: { name, subscribers: '[]', ...form } })).body;
    await realmPermission(setting, 'role:administrators');
    expect(await make(hamlet, `${kind} of hamlet`)).toMatchObject({ msg: 'Insufficient permission' });
    expect(await make(iago, `${kind} of iago`)).toMatchObject({ result: 'success' });
  });
});
