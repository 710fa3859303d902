import type { InProcessApiClient } from '@switchboard/testing';
import { expect, vi } from 'vitest';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import type { TestInventory } from './test-service.js';
import { type PermittedUser, permittedUser, removePermittedUsers } from './permitted-user.js';
import { sendObject } from './create-object-by-api.js';

type Json = Record<string, unknown>;

interface ListBody {
  readonly count: number | null;
  readonly results: Json[];
}

/**
 * Maximum number of SQL statements that a list request may run if neither the user nor the custom fields are cached.
 */
const budget = 3;

/** Ids of two objects of a model. The users of the test have permissions for only the first object, `own`. */
interface Pair {
  readonly own: number;
  readonly other: number;
  /**
   * True if every user has all permissions on the user's own objects of the model. A user then gets an empty list
   * instead of status 403.
   */
  readonly isOpen: boolean;
}

/**
 * Sends requests that view, change and delete objects, as users with a permission for one object. Requests for other
 * objects must get status 404, and other actions must be rejected.
 */
export async function tryPermissions(test: TestInventory, model: ModelDefinition, pair: Pair): Promise<void> {
  const { own, other } = pair;
  const path = `/api/${model.path}/`;
  const denied = pair.isOpen ? 404 : 403;
  const only = { types: [model.type], constraints: { id: own } };
  const viewer = await permittedUser(test, { ...only, actions: ['view'] });
  const changer = await permittedUser(test, { ...only, actions: ['change'] });
  const remover = await permittedUser(test, { ...only, actions: ['delete'] });
  const shared = (await test.api.get<Json>(`${path}${own}/`)).body['shared'] !== false;
  const there = shared ? 200 : 404;

  expect(await statusesOf(viewer.api, `${path}${own}/`)).toEqual([there, denied, denied]);
  expect(await statusesOf(viewer.api, `${path}${other}/`)).toEqual([404, denied, denied]);
  expect(await statusesOf(changer.api, `${path}${own}/`)).toEqual([denied, there, denied]);
  expect(await statusesOf(changer.api, `${path}${other}/`)).toEqual([denied, 404, denied]);
  expect(await statusesOf(remover.api, `${path}${other}/`)).toEqual([denied, denied, 404]);
  const missing = { detail: `No ${model.objectName} matches the given query.` };
  expect((await viewer.api.get(`${path}${other}/`)).body).toEqual(missing);
  expect(await changer.api.patch(path, { json: [{ id: other }] })).toMatchObject({ status: 200, body: [] });
  expect((await remover.api.delete(path, { json: [{ id: other }] })).status).toBe(204);
  expect((await test.api.get(`${path}${other}/`)).status).toBe(200);

  const { count, results } = await listCold(test, model, viewer);
  const ids = results.map(({ id }) => Number(id));
  expect(ids.filter((id) => [own, other].includes(id))).toEqual(shared ? [own] : []);
  expect([count, pair.isOpen || ids.length < 2]).toEqual([ids.length, true]);
  await removePermittedUsers(test);
}

/** Sends requests that view, change and delete an object, and returns the HTTP status of each response. */
async function statusesOf(api: InProcessApiClient, path: string): Promise<number[]> {
  const view = await api.get(path);
  const change = await api.patch(path, { json: {} });
  const remove = await api.delete(path);
  return [view.status, change.status, remove.status];
}

/**
 * Requests a list as a user who is not cached. Before the request, adds a custom field to the model, so that the custom
 * fields are not cached either.
 */
async function listCold(test: TestInventory, model: ModelDefinition, { api, permission }: PermittedUser) {
  if (model.fields['custom_fields'] !== undefined) {
    const json = { name: 'cold', type: 'text', object_types: [model.type] };
    expect((await test.api.post('/api/extras/custom-fields/', { json })).status).toBe(201);
  }
  await test.api.patch(`/api/users/permissions/${permission}/`, { json: { description: 'All are looked up again' } });
  const spy = vi.spyOn(test.inventory.database.pool, 'query');
  const { body } = await api.get<ListBody>(`/api/${model.path}/`);
  // Distinct statements are counted, because credentials may be looked up again if an invalidation arrives meanwhile.
  // Once a minute, a process also records the use of a token and reads the sizes of tables.
  const texts = new Set(spy.mock.calls.map(([statement]: unknown[]) => JSON.stringify(statement)));
  spy.mockRestore();
  const counted = [...texts].filter((text) => !/SET last_used|FROM pg_class/.test(text));
  expect(counted.length).toBeLessThanOrEqual(budget);
  return body;
}

/**
 * Sends a request that creates an object outside the user's permission. The service must reject the request and store
 * nothing.
 */
export async function tryAdding(test: TestInventory, model: ModelDefinition, body: Json): Promise<void> {
  const path = `/api/${model.path}/`;
  const types = test.inventory.registry.models.map(({ type }) => type);
  const { api } = await permittedUser(
    test,
    { types, actions: ['view'], constraints: null },
    { types: [model.type], actions: ['add'], constraints: { id: 0 } },
  );
  const before = (await test.api.get<ListBody>(path)).body.count;
  const { status, body: refused } = await sendObject({ api }, 'POST', path, body);
  expect([status, refused]).toEqual([403, { detail: 'You do not have permission to perform this action.' }]);
  expect((await test.api.get<ListBody>(path)).body.count).toBe(before);
  await removePermittedUsers(test);
}
