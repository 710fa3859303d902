import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import { allFieldsSelection, listSelectedFieldNames } from '../../src/engine/read/object-json-fragments.js';
import { startInventory, type TestInventory } from './test-service.js';

interface ListBody {
  readonly count: number | null;
  readonly results: Record<string, unknown>[];
}

/** Fixture of a model that clients cannot write: its test objects, and expectations about them. */
export interface ReadOnlyFixture {
  /** Number of objects of the model that `prepare` creates. */
  readonly rows: number;
  readonly prepare: (test: TestInventory) => Promise<unknown>;
  /** Query strings of filters. For each query string, contains the number of objects that the filter must find. */
  readonly filters: readonly { readonly query: string; readonly finds: number }[];
  /** Expected HTTP status of the response to a POST request. Default: 405. */
  readonly creationStatus?: number;
}

/** Default number of objects on a page of a list. */
const pageSize = 50;

/** Defines the tests of a model that clients can only read. */
export function describeReadOnly(model: ModelDefinition, fixture: ReadOnlyFixture): void {
  describe(model.type, () => {
    let test: TestInventory;
    const path = `/api/${model.path}/`;
    beforeAll(async () => {
      // Responses are not cached, so that every request runs its statements.
      test = await startInventory({ RESPONSE_MEMORY_BYTES: '0' });
      await fixture.prepare(test);
    });
    afterAll(() => test.close());

    it('lists all objects with an exact count, in the representation of GET by id, in one snapshot', async () => {
      await test.api.get(path);
      const { database } = test.inventory;
      const spies = [vi.spyOn(database.pool, 'query'), vi.spyOn(database, 'inTransaction')];
      const { body } = await test.api.get<ListBody>(path);
      const calls = spies.map((spy) => spy.mock.calls.length);
      spies.forEach((spy) => spy.mockRestore());
      // If the JSON depends on the types on the page, two statements in one transaction read the list.
      const isInTransaction = Object.values(model.fields).some((field) => field.variesByType !== undefined);
      const [statements, transactions] = isInTransaction ? [0, 1] : [1, 0];
      expect(calls).toEqual([statements, transactions]);
      expect([body.count, body.results.length]).toEqual([fixture.rows, Math.min(fixture.rows, pageSize)]);
      const [first = {}] = body.results;
      expect(Object.keys(first)).toEqual(listSelectedFieldNames(model, allFieldsSelection));
      expect((await test.api.get(`${path}${String(first['id'])}/`)).body).toEqual(first);
      const brief = await test.api.get<ListBody>(`${path}?brief=true`);
      expect(Object.keys(brief.body.results[0] ?? {})).toEqual(model.brief);
      const start = await test.api.get<ListBody>(`${path}?start=0&limit=1`);
      expect([start.body.count, start.body.results.length]).toEqual([null, 1]);
    });

    it('orders by every sortable field', async () => {
      for (const name of Object.keys(model.fields)) {
        const { status, body } = await test.api.get<ListBody>(`${path}?ordering=-${name}`);
        expect([name, status, body.results.length]).toEqual([name, 200, Math.min(fixture.rows, pageSize)]);
      }
    });

    it('supports the documented filters', async () => {
      for (const { query, finds } of fixture.filters) {
        const { status, body } = await test.api.get<ListBody>(`${path}?${query}`);
        expect([query, status, body.count]).toEqual([query, 200, finds]);
      }
    });

    it('responds 405 to POST, PUT, PATCH and DELETE', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const status = method === 'POST' ? (fixture.creationStatus ?? 405) : 405;
        expect((await test.api.request(method, path, { json: {}, unchecked: true })).status).toBe(status);
        if (model.methods.detail.includes(method)) continue;
        expect((await test.api.request(method, `${path}1/`, { json: {}, unchecked: true })).status).toBe(405);
      }
    });

    it('responds 403 to unauthorized requests and 404 to an unknown id', async () => {
      expect((await test.stranger.get(path)).status).toBe(403);
      const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
        json: { username: 'plain', password: 'Twelve chars 1' },
      });
      expect((await (await test.clientOf(user.id)).get(path)).status).toBe(model.openToUsers ? 200 : 403);
      expect((await test.api.get(`${path}999999999/`)).body).toEqual({
        detail: `No ${model.objectName} matches the given query.`,
      });
    });
  });
}
