import { isLongTestRun, reportOmittedCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import { allFieldsSelection, listSelectedFieldNames } from '../../src/engine/read/object-json-fragments.js';
import { startInventory, type TestInventory } from './test-service.js';
import { createAll, replaceAll, sendObject } from './create-object-by-api.js';
import {
  createReferencesByAttributes,
  createRequestBodyWithCurrentValues,
} from './request-bodies-of-current-values.js';
import { createFilterKinds, touch, tryFilters } from './test-filters.js';
import { tryAdding, tryPermissions } from './test-permissions.js';
import { wrongBodies } from './invalid-values.js';

type Json = Record<string, unknown>;

interface ListBody {
  readonly count: number | null;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: Json[];
}

/**
 * Fixture (test data) of a model: objects of the model, and expectations about the objects that the test suite needs.
 */
export interface Fixture {
  /**
   * Returns the request bodies of three objects that can exist together. `ids` are the ids of the objects in
   * {@link surroundings}.
   */
  readonly create: (ids: Readonly<Record<string, number>>) => readonly [Json, Json, Json];
  /**
   * Body of a PATCH request for the first object (`body`), and the fields that the response must then contain
   * (`shown`).
   */
  readonly patch: { readonly body: Json; readonly shown: Json };
  /**
   * A nullable field of the model, with a value for requests and the value that responses then contain. Absent if the
   * model has no nullable field.
   */
  readonly nullable?: { readonly field: string; readonly value: unknown; readonly shown: unknown };
  /** Query strings of filters. For each query string, contains the indexes of the objects that the filter must find. */
  readonly filters: readonly { readonly query: string; readonly finds: readonly number[] }[];
  /** Creates the database table of a model that has no migration. Called before the tests send requests. */
  readonly prepare?: (test: TestInventory) => Promise<void>;
  /** Names of the filters that match no object of the fixture. */
  readonly untried?: readonly string[];
  /** Objects that are created before the objects of the model. Each has a name, an API path and a request body. */
  readonly surroundings?: readonly { readonly name: string; readonly path: string; readonly body: Json }[];
  /** Number of objects of the model that exist before the test creates objects, such as the user who runs the tests. */
  readonly others?: number;
}

/** Models whose objects belong to users. Every user has all permissions on the user's own objects of these models. */
const ownByDefault = new Set(['extras.bookmark', 'extras.notification', 'extras.subscription', 'users.token']);

/**
 * Models that pass all tests in a short run: each way to store, order, share and permit objects. Some tests depend on
 * the engine and not on the fields of the model. Other models pass these tests only in a long run.
 */
const modelsWithAllTests = new Set([
  'circuits.circuit',
  'core.datasource',
  'dcim.cable',
  'dcim.device',
  'dcim.interface',
  'dcim.region',
  'dcim.site',
  'extras.bookmark',
  'extras.customfield',
  'extras.imageattachment',
  'ipam.ipaddress',
  'ipam.prefix',
  'tenancy.contact',
  'users.token',
  'users.user',
  'virtualization.virtualmachine',
  'vpn.tunnel',
  'wireless.wirelesslan',
]);

/**
 * Defines the tests that every model must pass. The tests use the objects of the model's fixture (test data).
 * `triedKinds` are the kinds of filters that models of the same spec file have tested.
 */
export function describeModel(model: ModelDefinition, fixture: Fixture, triedKinds = createFilterKinds()): void {
  describe(model.type, () => {
    let test: TestInventory;
    let bodies: readonly [Json, Json, Json];
    const made: number[] = [];
    let createdBy = '';
    const path = `/api/${model.path}/`;
    const detail = (index: number): string => `${path}${made[index]}/`;
    const others = fixture.others ?? 0;
    const hasAllTests = isLongTestRun() || modelsWithAllTests.has(model.type) || fixture.prepare !== undefined;
    let omitted = 0;
    /** Registers a test of the engine. */
    const itOfEngine = (title: string, run: () => Promise<void>): void => {
      if (hasAllTests) it(title, run);
      else omitted += 1;
    };

    beforeAll(async () => {
      test = await startInventory();
      await fixture.prepare?.(test);
      const ids: Record<string, number> = { admin: test.adminId };
      for (const { name, path: where, body } of fixture.surroundings ?? []) {
        const { body: created } = await test.api.post<{ id: number }>(where, { json: body });
        ids[name] = created.id;
      }
      bodies = fixture.create(ids);
    });
    afterAll(() => test.close());

    it('creates one object by POST and returns it with a Location header', async () => {
      const { status, body, headers } = await sendObject<Json>(test, 'POST', path, bodies[0]);
      expect(status).toBe(201);
      expect(Object.keys(body)).toEqual(listSelectedFieldNames(model, allFieldsSelection));
      expect(headers['location']).toBe(body['url']);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      made.push(Number(body['id']));
      createdBy = String(headers['x-request-id']);
    });

    it('creates several objects in one POST request, in order', async () => {
      const { status, body } = await createAll(test, path, bodies.slice(1));
      expect(status).toBe(201);
      made.push(...body.map(({ id }) => Number(id)));
      expect(made).toEqual(made.toSorted((a, b) => a - b));
    });

    it('returns the same representation of an object by id and in the list', async () => {
      const { body } = await test.api.get<Json>(detail(0));
      expect(body['url']).toBe(`http://localhost${detail(0)}`);
      const listed = await test.api.get<ListBody>(path, { query: { id: made[0] } });
      expect(listed.body.results).toEqual([body]);
    });

    it('lists all objects with an exact count, and runs at most one SQL statement', async () => {
      const spy = vi.spyOn(test.inventory.database.pool, 'query');
      // The process also receives the invalidation messages that it sent for the objects created above.
      const { body } = await vi.waitFor(async () => {
        spy.mockClear();
        const response = await test.api.get<ListBody>(path);
        // A cached response needs no statement.
        expect(spy.mock.calls.length).toBeLessThanOrEqual(1);
        return response;
      }, 10_000);
      spy.mockRestore();
      expect(body.count).toBe(3 + others);
      expect(body.results).toHaveLength(3 + others);
    });

    itOfEngine('pages by offset without overlap or gap', async () => {
      const seen: unknown[] = [];
      let next: string | null = `${path}?limit=1`;
      while (next !== null) {
        const { body: page }: { body: ListBody } = await test.api.get<ListBody>(next.replace('http://localhost', ''));
        expect(page.results).toHaveLength(1);
        seen.push(...page.results.map(({ id }) => id));
        next = page.next;
      }
      expect(new Set(seen).size).toBe(3 + others);
    });

    itOfEngine('pages by id, and returns an empty page when the last page was full', async () => {
      const { body } = await test.api.get<ListBody>(path, { query: { start: made[0], limit: 3 } });
      expect(body.results.map(({ id }) => id)).toEqual(made);
      expect(body).toMatchObject({ count: null, previous: null });
      const end = await test.api.get<ListBody>(body.next?.replace('http://localhost', '') ?? '');
      expect(end.body).toMatchObject({ results: [], next: null });
    });

    itOfEngine('orders by id in both directions, and ignores unknown field names in ordering', async () => {
      const up = await test.api.get<ListBody>(path, { query: { ordering: 'id,nope' } });
      const down = await test.api.get<ListBody>(path, { query: { ordering: '-id' } });
      const ids = up.body.results.map(({ id }) => id);
      expect(down.body.results.map(({ id }) => id)).toEqual(ids.toReversed());
    });

    it('orders by every sortable field', async () => {
      const names = Object.keys(model.fields);
      // As many names as one request may contain.
      for (let start = 0; start < names.length; start += 20) {
        const ordering = names.slice(start, start + 20).join(',');
        const { status, body } = await test.api.get<ListBody>(path, { query: { ordering, fields: 'id' } });
        expect([status, body.results.length]).toEqual([200, 3 + others]);
      }
    });

    itOfEngine('supports the parameters brief, fields and omit', async () => {
      const brief = await test.api.get<Json>(detail(0), { query: { brief: true } });
      expect(Object.keys(brief.body)).toEqual(model.brief);
      const off = await test.api.get<Json>(detail(0), { query: { brief: false } });
      expect(Object.keys(off.body)).toEqual(listSelectedFieldNames(model, allFieldsSelection));
      const chosen = await test.api.get<Json>(detail(0), {
        query: { fields: 'display,id,nope', omit: 'id', brief: true },
      });
      expect(Object.keys(chosen.body)).toEqual(['id', 'display']);
      const left = await test.api.get<ListBody>(path, { query: { omit: 'url', brief: true } });
      expect(Object.keys(left.body.results[0] ?? {})).toEqual(
        listSelectedFieldNames(model, allFieldsSelection).filter((name) => name !== 'url'),
      );
    });

    it.each(fixture.filters)('filters by $query', async ({ query, finds }) => {
      const { body } = await test.api.get<ListBody>(`${path}?${query}`);
      const ids = body.results.map(({ id }) => Number(id));
      expect(made.flatMap((id, index) => (ids.includes(id) ? [index] : []))).toEqual(finds);
      expect(body.count).toBe(body.results.length);
    });

    itOfEngine('accepts each documented filter, and ignores unknown filters', async () => {
      const unknown = await test.api.get<ListBody>(`${path}?nope=1&id__in=1`, { unchecked: true });
      expect(unknown.body.count).toBe(3 + others);
      const [first = {}] = (await test.api.get<ListBody>(path, { query: { id: made[0] } })).body.results;
      const [maker, changer] = [createdBy, await touch(test, detail(0), first)];
      const requests = [`created_by_request=${maker}`, `updated_by_request=${changer}`, `modified_by_request=${maker}`];
      const queries = [...fixture.filters.map(({ query }) => query), ...requests];
      expect(await tryFilters({ test, model, queries, triedKinds })).toEqual(fixture.untried ?? []);
    });

    it('describes the fields with their choices in the response to OPTIONS', async () => {
      const { status, body } = await test.api.sendOptionsRequest<{
        actions: { POST: Record<string, { choices?: object[] }> };
      }>(path);
      expect(status).toBe(200);
      expect(Object.keys(body.actions.POST)).toEqual(Object.keys(model.fields));
      for (const { choices } of Object.values(body.actions.POST)) {
        for (const choice of choices ?? []) expect(Object.keys(choice)).toEqual(['value', 'display_name']);
      }
    });

    it('changes the fields in a PATCH request, and retains all other fields', async () => {
      const before = await test.api.get<Json>(detail(0));
      const { status, body, headers } = await test.api.patch<Json>(detail(0), { json: fixture.patch.body });
      expect(status).toBe(200);
      expect(body).toMatchObject(fixture.patch.shown);
      const changing = new Set([...Object.keys(fixture.patch.shown), 'last_updated', 'display']);
      for (const [key, value] of Object.entries(before.body)) if (!changing.has(key)) expect(body[key]).toEqual(value);
      expect((await test.api.get<Json>(detail(0))).body).toEqual(body);
      if (model.fields['last_updated'] !== undefined) expect(headers['etag']).not.toBe(before.headers['etag']);
    });

    itOfEngine('sets fields to null by PATCH if sent as null, but not if omitted', async () => {
      if (fixture.nullable === undefined) return;
      const { field, value, shown } = fixture.nullable;
      const set = await test.api.patch<Json>(detail(1), { json: { [field]: value } });
      expect({ value: set.body[field] }).toMatchObject({ value: shown });
      const kept = await test.api.patch<Json>(detail(1), { json: {} });
      expect(kept.body[field]).toEqual(set.body[field]);
      const cleared = await test.api.patch<Json>(detail(1), { json: { [field]: null } });
      expect(cleared.body[field]).toBeNull();
    });

    itOfEngine('records nothing for a PATCH without changes, although last_updated changes', async () => {
      const { body: before } = await test.api.get<Json>(detail(1));
      const same = createRequestBodyWithCurrentValues(model, before);
      const { status, body, headers } = await test.api.patch<Json>(detail(1), { json: same });
      expect([status, { ...body, last_updated: null }]).toEqual([200, { ...before, last_updated: null }]);
      if (model.fields['last_updated'] !== undefined) expect(body['last_updated']).not.toBe(before['last_updated']);
      const request = String(headers['x-request-id']);
      const log = await test.api.get<ListBody>('/api/core/object-changes/', { query: { request_id: request } });
      expect(log.body.count).toBe(0);
      expect(await eventsOf(test, request)).toEqual(model.events ? [`updated ${model.type} ${made[1]}`] : []);
    });

    itOfEngine('accepts related objects by their attributes in a PATCH request', async () => {
      for (const index of [0, 1, 2]) {
        const { body: before } = await test.api.get<Json>(detail(index));
        const json = createReferencesByAttributes(model, test.inventory.registry, before);
        if (Object.keys(json).length === 0) continue;
        const { status, body } = await test.api.patch<Json>(detail(index), { json });
        const shown = Object.keys(json).map((name) => [name, body[name]]);
        expect([status, shown]).toEqual([200, Object.keys(json).map((name) => [name, before[name]])]);
        const refused = async (value: unknown, message: string): Promise<void> => {
          const every = (one: unknown): Json => Object.fromEntries(Object.keys(json).map((name) => [name, one]));
          expect((await test.api.patch<Json>(detail(index), { json: every(value) })).body).toEqual(every([message]));
        };
        const unknown = 'Related object not found using the provided attributes:';
        const unread = 'Related objects must be referenced by numeric ID or by dictionary of attributes.';
        await refused({ id: 987_654_321 }, `${unknown} {'id': 987654321}`);
        await refused('none', `${unread} Received an unrecognized value: none`);
      }
    });

    it('returns an error for each field of a PATCH request whose value is out of bounds', async () => {
      for (const { json, messages } of wrongBodies(model)) {
        const { status, body } = await test.api.patch<Json>(detail(1), { json });
        expect([status, Object.keys(body).toSorted()]).toEqual([400, Object.keys(json).toSorted()]);
        for (const [name, message] of Object.entries(messages))
          expect([name, body[name]]).toEqual([name, expect.arrayContaining([message])]);
      }
    });

    it('replaces an object by PUT, and requires every required field', async () => {
      const { status } = await sendObject(test, 'PUT', detail(0), bodies[0]);
      expect(status).toBe(200);
      const { status: refused, body } = await test.api.put<Json>(detail(0), { json: {} });
      const required = Object.entries(model.fields).flatMap(([name, { traits }]) =>
        traits.required && !traits.immutable ? [name] : [],
      );
      if (required.length > 0) expect(refused).toBe(400);
      if (required.length > 0)
        expect(body).toEqual(Object.fromEntries(required.map((name) => [name, ['This field is required.']])));
    });

    itOfEngine('rejects an outdated ETag in If-Match, and accepts the current ETag', async () => {
      const { headers } = await test.api.get(detail(0));
      if (headers['etag'] === undefined || model.fields['last_updated'] === undefined) return;
      const etag = String(headers['etag']);
      expect((await test.api.patch(detail(0), { json: {}, headers: { 'if-match': etag } })).status).toBe(200);
      const stale = await test.api.patch(detail(0), { json: {}, headers: { 'if-match': etag } });
      expect(stale.status).toBe(412);
      expect(stale.headers['etag']).not.toBe(etag);
    });

    itOfEngine('responds 400 to a POST of wrong types, and never 5xx to null bytes or huge numbers', async () => {
      const names = Object.keys(model.fields).filter((name) => model.fields[name]?.traits.readOnly === false);
      const every = (value: unknown): Json => Object.fromEntries(names.map((name) => [name, value]));
      const junk = [null, '', {}, [], [{}], { a: 1 }, true, -1, 'x'.repeat(5000), '\ud800'];
      expect((await test.api.post(path, { json: junk.map(every) })).status).toBe(400);
      for (const value of ['a\0b', 1e30]) {
        const { body: refused } = await test.api.patch<Json>(detail(2), { json: every(value) });
        // Each value is sent alone, so that an accepted value reaches the database. fuzz.spec.ts sends arbitrary values
        // to each endpoint.
        for (const name of names.filter((one) => !Object.hasOwn(refused, one))) {
          const { status } = await test.api.patch(detail(2), { json: { [name]: value } });
          expect([name, value, status < 500]).toEqual([name, value, true]);
        }
      }
    });

    itOfEngine('rejects a POST whose body is not an object', async () => {
      const { status, body } = await test.api.post(path, { json: 5 });
      expect(status).toBe(400);
      expect(body).toEqual({ non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] });
    });

    itOfEngine('responds 403 to GET without permission, and 404 to GET of unknown ids', async () => {
      expect((await test.stranger.get(path)).body).toEqual({ detail: 'Authentication credentials were not provided.' });
      await test.asPlainUser(async (plain) => {
        expect((await plain.get(path)).status).toBe(ownByDefault.has(model.type) ? 200 : 403);
      });
      const missing = await test.api.get(`${path}999999999/`);
      expect(missing).toMatchObject({
        status: 404,
        body: { detail: `No ${model.objectName} matches the given query.` },
      });
      expect((await test.api.get(`${path}abc/`)).body).toEqual({ detail: 'Not found.' });
      expect((await test.api.get(`${path}99999999999999999999/`)).status).toBe(404);
    });

    itOfEngine('replaces all objects of a list by PUT, or none when one is invalid', async () => {
      const { status, body } = await replaceAll(
        test,
        path,
        [1, 2].map((index) => ({ id: made[index], ...bodies[index] })),
      );
      expect([status, body.map(({ id }) => id)]).toEqual([200, made.slice(1)]);
      expect(body.map((object) => Object.keys(object))).toEqual(
        body.map(() => listSelectedFieldNames(model, allFieldsSelection)),
      );
      const { body: listed } = await test.api.get<ListBody>(path, { query: { start: made[1], limit: 2 } });
      expect(listed.results).toEqual(body);
      if (!Object.values(model.fields).some(({ traits }) => traits.required && !traits.immutable)) return;
      const refused = await test.api.put<Json>(path, { json: [{ id: made[1] }] });
      expect(refused.status).toBe(400);
      expect(Object.values(refused.body)).toContainEqual(['This field is required.']);
    });

    itOfEngine("limits every method to the actions and objects of the user's permissions", async () => {
      const [, own = 0, other = 0] = made;
      await tryPermissions(test, model, { own, other, isOpen: ownByDefault.has(model.type) });
    });

    itOfEngine('changes several objects in one PATCH request and skips unknown ids', async () => {
      const { status, body } = await test.api.patch<Json[]>(path, {
        json: [{ id: made[1] }, { id: made[2] }, { id: 999_999 }],
      });
      expect(status).toBe(200);
      expect(body.map(({ id }) => id)).toEqual(made.slice(1));
      const nameless = await test.api.patch(path, { json: [{}] });
      const problem = { id: ['This field is required.'] };
      expect(nameless.body).toEqual([problem]);
    });

    it('deletes one object', async () => {
      expect((await test.api.delete(detail(0))).status).toBe(204);
      expect((await test.api.get(detail(0))).status).toBe(404);
      expect((await test.api.delete(detail(0))).status).toBe(404);
    });

    itOfEngine('rejects a POST of a list when an object violates the permission, and stores no object', async () => {
      await tryAdding(test, model, bodies[0]);
    });

    it('deletes several objects of the model by one DELETE request, and decreases the count of the list of the model', async () => {
      const { status, text } = await test.api.delete(path, { json: made.slice(1).map((id) => ({ id })) });
      expect([status, text]).toEqual([204, '']);
      expect((await test.api.get<ListBody>(path)).body.count).toBe(others);
    });

    itOfEngine('responds 404 to an unknown path below the list', async () => {
      const { status, body, headers } = await test.api.put(`${path}provision-nothing/`, { json: {}, unchecked: true });
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'Not found.' });
      expect(headers['api-version']).toBe('4.6');
    });
    reportOmittedCases(omitted);
  });
}

/** Returns the events that a request caused, each as a text `<event> <model> <id>`. */
async function eventsOf({ inventory }: TestInventory, requestId: string): Promise<string[]> {
  const { rows } = await inventory.database.query<{ payload: { event: string; model: string; id: number } }>(
    "SELECT payload FROM queue.outbox WHERE payload->>'requestId' = $1 ORDER BY id",
    [requestId],
  );
  return rows.map(({ payload: { event, model, id } }) => `${event} ${model} ${id}`);
}
