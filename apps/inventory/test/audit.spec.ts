import { type AuditLine, selectAuditLines } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventoryAudit } from '../src/audit/audit-trail.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const rootPassword = 'Correct horse 1 battery';
const wrongPassword = 'Wrong horse 1 battery';
const newPassword = 'Another horse 1 battery';
const webhookSecret = 'secret of a webhook';
const unknownName = 'mistyped-secret';
/** Every secret that the test has sent or received. */
const secrets = new Set([rootPassword, wrongPassword, newPassword, webhookSecret, unknownName]);
const log: string[] = [];
/** Ids of objects that earlier rows have created, by name. */
const ids: Record<string, number> = {};
const idOf = (name: string): number => ids[name] ?? 0;

let test: TestInventory;
let sessionCookie = '';

beforeAll(async () => {
  test = await startInventory({ TRUST_PROXY: '1', DELETION_IN_MEMORY_MAX: '2', UPDATE_IN_MEMORY_MAX: '2' }, log);
  secrets.add(test.adminToken);
});
afterAll(() => test.close());

async function api(method: string, path: string, json?: object): Promise<Json> {
  const { status, body } = await test.api.request<Json>(method, `/api/${path}`, { ...(json && { json }) });
  expect(status).toBeLessThan(300);
  return body;
}

/** Creates an object and stores its id under a name. Returns the object in the form of the audit trail. */
async function create(path: string, name: string, json: object): Promise<{ type: string; id: number }> {
  const body = await api('POST', path, json);
  ids[name] = Number(body['id']);
  if (typeof body['token'] === 'string') secrets.add(body['token']);
  return { type: name, id: idOf(name) };
}

/** Submits the login form from an address of the internet. Returns the status. */
async function logIn(username: string, password: string): Promise<number> {
  const response = await test.fastify.inject({
    method: 'POST',
    url: '/login/',
    headers: {
      cookie: 'csrftoken=t',
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': '192.0.2.7',
    },
    payload: new URLSearchParams({ username, password, csrfmiddlewaretoken: 't' }).toString(),
  });
  for (const { name, value } of response.cookies) {
    secrets.add(value);
    if (name === 'sessionid') sessionCookie = `sessionid=${value}`;
  }
  sessionCsrf = response.cookies.find(({ name }) => name === 'csrftoken')?.value ?? '';
  return response.statusCode;
}
let sessionCsrf = '';

/** A request that writes audit lines: their actions, its name, and a function that sends it and returns the last line. */
type Row = readonly [readonly string[], string, () => Promise<object>];

const root = () => ({ type: 'user', id: test.adminId });
const byRoot = () => ({ actor: { id: test.adminId, kind: 'user' } });

const logins: readonly Row[] = [
  [
    ['sign_in'],
    'POST /login/',
    async () => {
      expect(await logIn('root', rootPassword)).toBe(302);
      return { ...byRoot(), object: root(), method: 'session', address: '192.0.2.7' };
    },
  ],
  [
    ['sign_out'],
    'POST /logout/',
    async () => {
      const { statusCode } = await test.fastify.inject({
        method: 'POST',
        url: '/logout/',
        headers: { cookie: `${sessionCookie}; csrftoken=${sessionCsrf}`, 'x-csrftoken': sessionCsrf },
      });
      expect(statusCode).toBe(302);
      return { ...byRoot(), object: root() };
    },
  ],
  [
    ['sign_in_failed'],
    'POST /login/ with a wrong password',
    async () => {
      expect(await logIn('root', wrongPassword)).toBe(403);
      return { actor: null, object: root(), method: 'session', reason: 'INVALID_LOGIN', address: '192.0.2.7' };
    },
  ],
  [
    ['sign_in_failed'],
    'POST /login/ with an unknown name, which the line omits',
    async () => {
      expect(await logIn(unknownName, wrongPassword)).toBe(403);
      return { actor: null, object: { type: 'user', id: null } };
    },
  ],
  [
    ['sign_in_failed'],
    'POST /api/users/tokens/provision/ with a wrong password',
    async () => {
      const json = { username: 'root', password: wrongPassword };
      expect((await test.stranger.post('/api/users/tokens/provision/', { json })).status).toBe(403);
      return { actor: null, object: root(), method: 'token' };
    },
  ],
  [
    ['token_created', 'sign_in'],
    'POST /api/users/tokens/provision/',
    async () => {
      const json = { username: 'root', password: rootPassword };
      const { body } = await test.stranger.post<Json>('/api/users/tokens/provision/', { json });
      secrets.add(String(body['token']));
      return { ...byRoot(), object: root(), method: 'token' };
    },
  ],
];

const objects: readonly Row[] = [
  [
    ['user_created'],
    'POST /api/users/users/',
    async () => {
      const object = await create('users/users/', 'user', { username: 'aud', password: newPassword });
      return { ...byRoot(), object, after: { is_active: true, groups: [], permissions: [] } };
    },
  ],
  [
    ['user_changed'],
    'PATCH /api/users/users/{id}/ with a password',
    async () => {
      await api('PATCH', `users/users/${idOf('user')}/`, { password: `${newPassword} 2` });
      return { object: { type: 'user', id: idOf('user') }, changed: ['password'], before: {}, after: {} };
    },
  ],
  [
    ['group_created'],
    'POST /api/users/groups/',
    async () => ({ object: await create('users/groups/', 'group', { name: 'auditors' }), after: { name: 'auditors' } }),
  ],
  [
    ['user_changed'],
    'PATCH /api/users/users/{id}/ with a group',
    async () => {
      await api('PATCH', `users/users/${idOf('user')}/`, { groups: [idOf('group')], is_active: false });
      return {
        changed: expect.arrayContaining(['groups', 'is_active']),
        before: { groups: [], is_active: true },
        after: { is_active: false },
      };
    },
  ],
  [
    ['permission_created'],
    'POST /api/users/permissions/',
    async () => {
      const json = { name: 'read sites', object_types: ['dcim.site'], actions: ['view'], groups: [idOf('group')] };
      const object = await create('users/permissions/', 'permission', json);
      return { ...byRoot(), object, after: { name: 'read sites', actions: '["view"]', enabled: true } };
    },
  ],
  [
    ['permission_changed'],
    'PATCH /api/users/permissions/{id}/',
    async () => {
      await api('PATCH', `users/permissions/${idOf('permission')}/`, { actions: ['view', 'delete'] });
      return { changed: ['actions'], before: { actions: '["view"]' }, after: { actions: '["view", "delete"]' } };
    },
  ],
  [
    ['permission_deleted'],
    'DELETE /api/users/permissions/{id}/',
    async () => {
      await api('DELETE', `users/permissions/${idOf('permission')}/`);
      return { object: { type: 'permission', id: idOf('permission') }, before: { name: 'read sites' } };
    },
  ],
  [
    ['group_changed'],
    'PATCH /api/users/groups/{id}/',
    async () => {
      await api('PATCH', `users/groups/${idOf('group')}/`, { name: 'reviewers' });
      return { before: { name: 'auditors' }, after: { name: 'reviewers' } };
    },
  ],
  [
    ['group_deleted'],
    'DELETE /api/users/groups/{id}/',
    async () => {
      await api('DELETE', `users/groups/${idOf('group')}/`);
      return { object: { type: 'group', id: idOf('group') } };
    },
  ],
  [
    ['token_created'],
    'POST /api/users/tokens/',
    async () => ({
      object: await create('users/tokens/', 'token', { user: idOf('user') }),
      after: { user: idOf('user'), enabled: true },
    }),
  ],
  [
    ['token_changed'],
    'PATCH /api/users/tokens/{id}/',
    async () => {
      await api('PATCH', `users/tokens/${idOf('token')}/`, { write_enabled: false });
      return { changed: ['write_enabled'], before: { write_enabled: true }, after: { write_enabled: false } };
    },
  ],
  [
    ['token_deleted', 'user_deleted'],
    'DELETE /api/users/users/{id}/, with the token of the user',
    async () => {
      await api('DELETE', `users/users/${idOf('user')}/`);
      return { ...byRoot(), object: { type: 'user', id: idOf('user') } };
    },
  ],
  [
    ['webhook_created'],
    'POST /api/extras/webhooks/',
    async () => {
      const json = { name: 'receiver', payload_url: 'http://receiver.test/', secret: webhookSecret };
      return { object: await create('extras/webhooks/', 'webhook', json), after: { name: 'receiver' } };
    },
  ],
  [
    ['webhook_changed'],
    'PATCH /api/extras/webhooks/{id}/ with a secret',
    async () => {
      await api('PATCH', `extras/webhooks/${idOf('webhook')}/`, { secret: `${webhookSecret} 2` });
      return { object: { type: 'webhook', id: idOf('webhook') }, changed: ['secret'] };
    },
  ],
  [
    ['webhook_deleted'],
    'DELETE /api/extras/webhooks/{id}/',
    async () => {
      await api('DELETE', `extras/webhooks/${idOf('webhook')}/`);
      return { object: { type: 'webhook', id: idOf('webhook') } };
    },
  ],
];

const rows = [...logins, ...objects];
const linesOfTest: AuditLine[] = [];

describe('audit trail of inventory', () => {
  it.each(rows)('writes the lines %j after %s', async (actions, _request, run) => {
    const before = log.length;
    const expected = await run();
    const lines = selectAuditLines(log.slice(before));
    linesOfTest.push(...lines);
    expect(lines.map(({ action }) => action).toSorted()).toEqual(actions.toSorted());
    const line = lines.find(({ action }) => action === actions.at(-1));
    expect(line).toMatchObject({ level: 'info', module: 'audit', requestId: expect.any(String), ...expected });
  });

  it('writes one line for each object of a deletion that uses temporary tables', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const made = await test.api.post<{ id: number }[]>('/api/users/groups/', {
      json: names.map((name) => ({ name: `many ${name}` })),
    });
    const before = log.length;
    const { status } = await test.api.delete('/api/users/groups/', { json: made.body.map(({ id }) => ({ id })) });
    expect(status).toBe(204);
    const lines = selectAuditLines(log.slice(before));
    expect(lines.map(({ action, object }) => [action, object?.id])).toEqual(
      made.body.map(({ id }) => ['group_deleted', id]),
    );
    expect(lines[0]).toMatchObject({ ...byRoot(), before: { name: 'many a' } });
  });

  it('writes the changed fields of each object of an update that uses temporary tables', async () => {
    const names = ['e', 'f', 'g', 'h'];
    const made = await test.api.post<{ id: number }[]>('/api/users/groups/', {
      json: names.map((name) => ({ name: `many ${name}` })),
    });
    const before = log.length;
    const json = made.body.map(({ id }, index) => ({
      id,
      name: `renamed ${names[index]}`,
      ...(index === 1 && { description: 'x'.repeat(200) }),
    }));
    expect((await test.api.patch('/api/users/groups/', { json })).status).toBe(200);
    const lines = selectAuditLines(log.slice(before));
    expect(lines.map(({ action, object }) => [action, object?.id])).toEqual(
      made.body.map(({ id }) => ['group_changed', id]),
    );
    expect(lines[0]).toMatchObject({ changed: ['name'], before: { name: 'many e' }, after: { name: 'renamed e' } });
    expect(lines[1]).toMatchObject({ changed: ['name', 'description'], after: { name: 'renamed f' } });
    expect(lines[1]?.['after']).toEqual({ name: 'renamed f' });
  });

  it('writes no line when a change is rolled back', async () => {
    const { database } = test.inventory;
    // The line exists when COMMIT fails, because a deferred trigger runs within COMMIT.
    await database.query(`CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the database is read-only'' USING ERRCODE = ''25006''; END'`);
    await database.query(`CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON users_group
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.name = 'rolled back') EXECUTE FUNCTION refuse_commit()`);
    const before = log.length;
    expect((await test.api.post('/api/users/groups/', { json: { name: 'rolled back' } })).status).toBe(503);
    await database.query('DROP TRIGGER refuse_commit ON users_group');
    expect(selectAuditLines(log.slice(before))).toEqual([]);
    expect((await test.api.post('/api/users/groups/', { json: { name: 'rolled back' } })).status).toBe(201);
    expect(selectAuditLines(log.slice(before))).toHaveLength(1);
  });

  it('writes lines of all declared actions, with their declared fields only', () => {
    const actions = new Set(rows.flatMap(([names]) => names));
    expect([...actions].toSorted()).toEqual(Object.keys(inventoryAudit.actions).toSorted());
    const common = ['level', 'time', 'pid', 'hostname', 'name', 'requestId', 'traceId'];
    const ofAll = [...common, 'module', 'action', 'actor', 'address', 'object', 'msg'];
    for (const line of linesOfTest) {
      const action: { fields?: object } = Reflect.get(inventoryAudit.actions, line.action);
      const declared = [...ofAll, ...Object.keys(action.fields ?? {})];
      expect(Object.keys(line).filter((name) => !declared.includes(name))).toEqual([]);
    }
  });

  it('writes no secret', () => {
    const lines = selectAuditLines(log);
    expect(lines.length).toBeGreaterThan(rows.length);
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    expect([...secrets].filter((secret) => secret !== '' && text.includes(secret))).toEqual([]);
  });
});
