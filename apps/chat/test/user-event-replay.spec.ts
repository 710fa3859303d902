import { isLongTestRun } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { collectingProcess, eventsWithDelta } from './expire-event-queues.js';
import { PeopleState } from './client-of-users.js';

type Json = Record<string, unknown>;

const names = ['desdemona', 'iago', 'hamlet', 'cordelia', 'othello', 'polonius'] as const;
type Name = (typeof names)[number];

let cluster: ChatCluster;
let processes: ChatProcess[];
let people: Record<Name, DemoUser>;
const groups = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(collectingProcess), await cluster.start()];
  const entries = await Promise.all(
    names.map(async (name, index) => [name, await signIn(processes[index % 2]!, name)] as const),
  );
  people = Object.fromEntries(entries) as Record<Name, DemoUser>;
  const { database } = processes[0]!.runtime;
  await database.query('UPDATE users SET can_create_users = true, can_change_user_emails = true WHERE role <= 200');
  const { rows } = await database.query<{ id: number; name: string }>(
    "SELECT id, name FROM user_groups WHERE kind = 'system'",
  );
  for (const { id, name } of rows) groups.set(name, id);
});
afterAll(() => cluster.stop());

/** A test client that starts with a snapshot and updates users and groups by events. */
interface Watcher {
  readonly name: string;
  /**
   * Returns two states of users and groups for comparison. The client has computed the first from events; a client that
   * registers now gets the second.
   */
  compare(): Promise<{ byEvents: unknown; afresh: unknown }>;
}

const forms: Readonly<Record<string, Record<string, string>>> = {
  'older client': { client_gravatar: 'false' },
  'newer client': {
    client_capabilities: JSON.stringify({ user_list_incomplete: true, include_deactivated_groups: true }),
  },
};

const event_types = '["realm_user", "user_group", "realm_bot", "realm", "realm_user_groups"]';

async function snapshot(user: DemoUser, form: Record<string, string>) {
  return (await user.client.post<Json & { queue_id: string }>('/api/v1/register', { form })).body;
}

async function watch(name: string, user: DemoUser, fields: Record<string, string>): Promise<Watcher> {
  const form = { event_types, ...fields };
  const began = await snapshot(user, form);
  const state = new PeopleState(began);
  return {
    name,
    async compare() {
      const events = await eventsWithDelta(processes[0]!, user, { queueId: began.queue_id, form });
      const now = new PeopleState(await snapshot(user, form));
      for (const event of events) state.apply(event);
      return { byEvents: state.toJSON(), afresh: now.toJSON() };
    },
  };
}

const watching: Name[] = ['desdemona', 'iago', 'hamlet', 'polonius'];

/** Starts a watcher for each user and form of client. */
function watchAll(): Promise<Watcher[]> {
  return Promise.all(
    watching.flatMap((name) =>
      Object.entries(forms).map(([form, fields]) => watch(`${name}, ${form}`, people[name], fields)),
    ),
  );
}

let started = 0;

/** Starts all watchers in a long run. A short run has one for each user, whose form changes from call to call. */
function watchSome(): Promise<Watcher[]> {
  if (isLongTestRun()) return watchAll();
  started += 1;
  const entries = Object.entries(forms);
  return Promise.all(
    watching.map((name, index) => {
      const [form, fields] = entries[(index + started) % entries.length]!;
      return watch(`${name}, ${form}`, people[name], fields);
    }),
  );
}

async function expectExact(watchers: readonly Watcher[]): Promise<void> {
  for (const watcher of watchers) {
    const { byEvents, afresh } = await watcher.compare();
    expect(byEvents, watcher.name).toEqual(afresh);
  }
}

interface Done extends Json {
  msg: string;
  user_id: number;
  group_id: number;
}

/** Sends a request and checks that the response is a success. */
async function requestSuccessfully(
  name: Name,
  method: 'post' | 'patch' | 'delete',
  path: string,
  form: Json = {},
): Promise<Done> {
  const encoded = Object.fromEntries(
    Object.entries(form).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const { body } = await people[name].client[method]<Done>(`/api/v1/${path}`, { form: encoded });
  expect(body.msg, path).toBe('');
  return body;
}

let made = 0;
const person = async (): Promise<number> => {
  made += 1;
  const form = { email: `p${made}@example.com`, password: 'long enough', full_name: `Person ${made}` };
  return (await requestSuccessfully('iago', 'post', 'users', form)).user_id;
};
const someField = async (): Promise<number> => {
  const { rows } = await processes[0]!.runtime.database.query<{ id: number }>(
    'SELECT id FROM profile_fields WHERE field_type = 1 ORDER BY id LIMIT 1',
  );
  return rows[0]?.id ?? 0;
};
const group = async (form: Json = {}): Promise<number> => {
  made += 1;
  const given = { name: `group ${made}`, description: '', members: [], ...form };
  return (await requestSuccessfully('hamlet', 'post', 'user_groups/create', given)).group_id;
};
const bot = async (form: Json = {}): Promise<number> => {
  made += 1;
  const given = { full_name: `Robot ${made}`, short_name: `robot${made}`, ...form };
  return (await requestSuccessfully('hamlet', 'post', 'bots', given)).user_id;
};

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  'a new account': person,
  'another name': async () => requestSuccessfully('iago', 'patch', `users/${await person()}`, { full_name: 'Renamed' }),
  'another role': async () => requestSuccessfully('iago', 'patch', `users/${await person()}`, { role: 300 }),
  'a new owner': async () => requestSuccessfully('desdemona', 'patch', `users/${await person()}`, { role: 100 }),
  'another address': async () =>
    requestSuccessfully('desdemona', 'patch', `users/${await person()}`, { new_email: `other${made}@example.com` }),
  async 'deactivation of an account in a group, and its return'() {
    const id = await person();
    await group({ members: [id] });
    await requestSuccessfully('iago', 'delete', `users/${id}`);
    await requestSuccessfully('iago', 'post', `users/${id}/reactivate`);
    await requestSuccessfully('iago', 'delete', `users/${id}`);
    await requestSuccessfully('iago', 'patch', `users/${id}`, { role: 600 });
  },
  'a new group': () => group({ can_join_group: { direct_members: [people.othello.id], direct_subgroups: [] } }),
  async 'another name and other rights of a group'() {
    const value = { direct_members: [people.iago.id], direct_subgroups: [groups.get('role:moderators')] };
    const form = { name: `renamed ${made}`, can_manage_group: { new: value } };
    await requestSuccessfully('hamlet', 'patch', `user_groups/${await group()}`, form);
  },
  async 'people and groups that come and go'() {
    const [outer, inner] = [await group({ members: [people.iago.id] }), await group()];
    const form = { add: [people.othello.id], delete: [people.iago.id], add_subgroups: [inner] };
    await requestSuccessfully('desdemona', 'post', `user_groups/${outer}/members`, form);
    await requestSuccessfully('desdemona', 'post', `user_groups/${outer}/subgroups`, { delete: [inner] });
  },
  async 'deactivation of a group, its return, and a change meanwhile'() {
    const id = await group({ members: [people.othello.id] });
    await requestSuccessfully('hamlet', 'post', `user_groups/${id}/deactivate`);
    await requestSuccessfully('iago', 'delete', `users/${people.othello.id}`);
    await requestSuccessfully('iago', 'post', `users/${people.othello.id}/reactivate`);
    await requestSuccessfully('hamlet', 'patch', `user_groups/${id}`, { deactivated: false, description: 'back' });
    await requestSuccessfully('hamlet', 'post', `user_groups/${id}/deactivate`);
  },
  async 'deletion of a profile'() {
    const id = await person();
    await requestSuccessfully('iago', 'patch', `users/${id}`, {
      profile_data: [{ id: await someField(), value: 'soon gone' }],
    });
    await processes[0]!.runtime.database.query("UPDATE users SET timezone = 'Europe/Berlin' WHERE id = $1", [id]);
    await requestSuccessfully('iago', 'delete', `users/${id}`, { actions: { delete_profile: true } });
  },
  async 'a bot and its changes'() {
    const id = await bot({ bot_type: 3, payload_url: 'https://example.com/' });
    await requestSuccessfully('hamlet', 'patch', `bots/${id}`, {
      full_name: 'Clever',
      default_sending_stream: 'Denmark',
    });
    await requestSuccessfully('hamlet', 'patch', `bots/${id}`, { service_payload_url: 'https://example.org/' });
    await requestSuccessfully('iago', 'patch', `bots/${id}`, { service_interface: 2 });
    await requestSuccessfully('hamlet', 'post', `bots/${id}/api_key/regenerate`);
    await requestSuccessfully('iago', 'patch', `users/${id}`, { full_name: 'Cleverer' });
    await requestSuccessfully('hamlet', 'patch', `bots/${id}`, { bot_owner_id: people.cordelia.id });
  },
  async 'deactivation of a bot, and its return'() {
    const id = await bot();
    await requestSuccessfully('hamlet', 'delete', `bots/${id}`);
    await requestSuccessfully('iago', 'post', `users/${id}/reactivate`);
  },
  'settings of the organization': () =>
    requestSuccessfully('iago', 'patch', 'realm', {
      name: `Realm ${made}`,
      topics_policy: 'disable_empty_topic',
      message_content_edit_limit_seconds: '"unlimited"',
      can_create_public_channel_group: { new: groups.get('role:moderators') },
      can_create_groups: { new: { direct_members: [people.hamlet.id], direct_subgroups: [] } },
    }),
  'a waiting period': () => requestSuccessfully('desdemona', 'patch', 'realm', { waiting_period_threshold: 5 }),
};

describe('list of users that a client updates from events', () => {
  it.each(Object.keys(actions))('equals a fresh snapshot after %s', async (name) => {
    const watchers = await watchSome();
    await actions[name]?.();
    await expectExact(watchers);
  });

  it('equals a fresh snapshot after all changes together', async () => {
    const watchers = await watchAll();
    await Promise.all([0, 1].flatMap(() => [person(), group(), bot(), group({ members: [people.iago.id] })]));
    const [first, second, third] = [await person(), await person(), await group({ members: [people.iago.id] })];
    await Promise.all([
      requestSuccessfully('iago', 'patch', `users/${first}`, { full_name: 'One of two' }),
      requestSuccessfully('desdemona', 'patch', `users/${first}`, { role: 300 }),
      requestSuccessfully('desdemona', 'post', `user_groups/${third}/members`, { add: [first] }),
      requestSuccessfully('iago', 'delete', `users/${second}`),
      requestSuccessfully('desdemona', 'patch', 'realm', { waiting_period_threshold: 0 }),
      requestSuccessfully('hamlet', 'patch', `user_groups/${third}`, { description: 'busy' }),
      bot(),
      person(),
    ]);
    await expectExact(watchers);
  });

  it.each([
    ['a member becomes an administrator', 400, 200],
    ['a moderator becomes a member', 300, 400],
    ['an administrator becomes a guest', 200, 600],
    ['a guest becomes a moderator', 600, 300],
    ['an owner becomes a member', 100, 400],
  ])('equals a fresh snapshot when %s', async (_name, from, to) => {
    const { database } = processes[0]!.runtime;
    await requestSuccessfully('desdemona', 'patch', `users/${people.othello.id}`, { role: from });
    await database.query(
      `UPDATE users SET email_address_visibility = 1 + id % 5, avatar_source = CASE WHEN id % 2 = 0 THEN 'G' ELSE 'U' END
       WHERE bot_type IS NULL AND id <> $1`,
      [people.othello.id],
    );
    await bot();
    const watchers = await Promise.all(
      Object.entries(forms).map(([form, fields]) => watch(form, people.othello, fields)),
    );
    await requestSuccessfully('desdemona', 'patch', `users/${people.othello.id}`, { role: to });
    await requestSuccessfully('iago', 'patch', `users/${await person()}`, { full_name: `Seen ${made}` });
    await expectExact(watchers);
    await database.query('UPDATE users SET email_address_visibility = 1');
  });

  it('equals a fresh snapshot when guests see fewer users', async () => {
    await requestSuccessfully('desdemona', 'patch', 'realm', {
      can_access_all_users_group: { new: groups.get('role:members') },
    });
    const watchers = await watchAll();
    const id = await person();
    await requestSuccessfully('iago', 'patch', `users/${id}`, { full_name: 'Whoever', role: 200 });
    await requestSuccessfully('iago', 'delete', `users/${id}`);
    await expectExact(watchers);
  });

  it('equals a fresh snapshot when a limited guest gains visible users, and becomes a member', async () => {
    const guest = await person();
    await requestSuccessfully('desdemona', 'patch', `users/${guest}`, { role: 600 });
    await requestSuccessfully('iago', 'patch', `users/${await person()}`, { full_name: `Stranger ${made}` });
    const { body } = await processes[0]!.client.post<{ api_key: string; email: string }>('/api/v1/dev_fetch_api_key', {
      form: { username: `p${made - 1}@example.com` },
    });
    const client = processes[0]!.client.withHeaders(createBasicAuthorization(body.email, body.api_key));
    const user = { id: guest, email: body.email, apiKey: body.api_key, client };
    const watchers = await Promise.all(Object.entries(forms).map(([form, fields]) => watch(form, user, fields)));
    const members = JSON.stringify([guest, people.hamlet.id, people.othello.id]);
    const subscriptions = JSON.stringify([{ name: `meeting ${made}` }]);
    await requestSuccessfully('iago', 'post', 'users/me/subscriptions', { subscriptions, principals: members });
    const cordelia = JSON.stringify([people.cordelia.id]);
    await requestSuccessfully('iago', 'post', 'users/me/subscriptions', { subscriptions, principals: cordelia });
    await requestSuccessfully('hamlet', 'post', 'users/me/status', { status_text: 'at the meeting' });
    await requestSuccessfully('desdemona', 'patch', `users/${guest}`, { role: 400 });
    await expectExact(watchers);
  });
});
