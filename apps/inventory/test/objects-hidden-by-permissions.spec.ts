import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { type Permitted, permittedUser, removePermittedUsers } from './support/permitted-user.js';

interface Made {
  readonly id: number;
}

let test: TestInventory;
let seen: number;
let hidden: number;

beforeAll(async () => {
  test = await startInventory();
  const site = async (name: string): Promise<number> =>
    (await test.api.post<Made>('/api/dcim/sites/', { json: { name, slug: name } })).body.id;
  [seen, hidden] = [await site('seen'), await site('hidden')];
});
afterAll(async () => {
  await removePermittedUsers(test);
  await test.close();
});

const missing = 999_999;
const onlySeen: Permitted = { types: ['dcim.site'], actions: ['view'], constraints: { slug: 'seen' } };

interface User {
  readonly id: number;
  readonly api: InProcessApiClient;
}

async function userWho(...permitted: readonly Permitted[]): Promise<User> {
  const { api, permission } = await permittedUser(test, ...permitted);
  const { rows } = await test.inventory.database.query<{ id: number }>(
    'SELECT user_id AS id FROM users_user_object_permissions WHERE objectpermission_id = $1',
    [permission],
  );
  return { api, id: Number(rows[0]?.id) };
}

/**
 * Returns the status and the body text of a response. In the text, `N` replaces the requested id, so that responses for
 * different ids can be compared.
 */
const without = (number: number, { status, body }: { status: number; body: unknown }): unknown => [
  status,
  JSON.stringify(body).replaceAll(String(number), 'N'),
];

describe.each([
  ['bookmarks', {}],
  ['subscriptions', {}],
  ['notifications', { event_type: 'object_updated' }],
])('writes at /api/extras/%s/', (name, rest) => {
  const path = `/api/extras/${name}/`;

  it('returns for an object that the user cannot view the same error as for a nonexistent object', async () => {
    const { id, api } = await userWho(onlySeen);
    const post = (objectId: number) =>
      api.post(path, { json: { object_type: 'dcim.site', object_id: objectId, user: id, ...rest } });
    const [other, none] = [await post(hidden), await post(missing)];
    expect(other.status).toBe(400);
    expect(without(hidden, other)).toEqual(without(missing, none));
    expect((await post(seen)).status).toBe(201);
  });

  it('returns for objects of a model that the user cannot view the same error as for nonexistent objects', async () => {
    const { id, api } = await userWho({ types: ['dcim.region'], actions: ['view'], constraints: null });
    const post = (objectId: number) =>
      api.post(path, { json: { object_type: 'dcim.site', object_id: objectId, user: id, ...rest } });
    expect(without(seen, await post(seen))).toEqual(without(missing, await post(missing)));
  });

  it('treats an invisible user account as nonexistent', async () => {
    const { api } = await userWho(onlySeen);
    const post = (user: number) =>
      api.post(path, { json: { object_type: 'dcim.site', object_id: seen, user, ...rest } });
    const [other, none] = [await post(test.adminId), await post(missing)];
    expect(other.status).toBe(400);
    expect(without(test.adminId, other)).toEqual(without(missing, none));
  });

  it('rejects PATCH with a reference to an object that the user cannot view', async () => {
    const { id, api } = await userWho(onlySeen);
    const json = { object_type: 'dcim.site', object_id: seen, user: id, ...rest };
    const made = await api.post<Made>(path, { json });
    const patch = (objectId: number) => api.patch(`${path}${made.body.id}/`, { json: { object_id: objectId } });
    const [other, none] = [await patch(hidden), await patch(missing)];
    expect(other.status).toBe(400);
    expect(without(hidden, other)).toEqual(without(missing, none));
  });
});

describe.each(['/api/users/tokens/', '/api/extras/bookmarks/'])('list filtered by users: GET %s', (path) => {
  it('treats a filter by a hidden user like a filter by a nonexistent user', async () => {
    const { id, api } = await userWho(onlySeen);
    const byId = async (user: number) => without(user, await api.get(`${path}?user_id=${user}`));
    expect(await byId(test.adminId)).toEqual(await byId(missing));
    const byName = async (user: string) => JSON.stringify((await api.get(`${path}?user=${user}`)).body);
    expect((await byName('root')).replaceAll('root', 'N')).toBe((await byName('none')).replaceAll('none', 'N'));
    expect((await api.get(`${path}?user_id=${id}`)).status).toBe(200);
  });

  it('filters by a visible user', async () => {
    const { api } = await userWho({ types: ['users.user'], actions: ['view'], constraints: { username: 'root' } });
    expect((await api.get(`${path}?user_id=${test.adminId}`)).status).toBe(200);
    expect((await test.api.get(`${path}?user=root`)).status).toBe(200);
  });
});
