import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;
interface Named {
  readonly id: number;
  readonly name: string;
}

const sites = '/api/dcim/sites/';
const denied = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };

describe('object permissions', () => {
  let test: TestInventory;
  let people = 0;
  let viewer: { id: number; api: InProcessApiClient };
  let viewing: number;
  beforeAll(async () => {
    test = await startInventory();
    await test.api.post('/api/extras/tags/', { json: { name: 'Alpha', slug: 'alpha' } });
    await test.api.post('/api/dcim/regions/', {
      json: [
        { name: 'North', slug: 'north' },
        { name: 'South', slug: 'south' },
      ],
    });
    await test.api.post('/api/tenancy/tenants/', { json: { name: 'Acme', slug: 'acme' } });
    await test.api.post(sites, {
      json: [
        { name: 'N1', slug: 'n1', region: { slug: 'north' }, tags: [{ slug: 'alpha' }], facility: 'F_1' },
        { name: 'N2', slug: 'n2', region: { slug: 'north' }, status: 'planned', tenant: { slug: 'acme' } },
        { name: 'S1', slug: 's1', region: { slug: 'south' }, latitude: 1.5 },
      ],
    });
    viewer = await person();
    viewing = await permit({ users: [viewer.id] });
  });
  afterAll(() => test.close());

  const person = async (): Promise<{ id: number; api: InProcessApiClient }> => {
    people += 1;
    const { body } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: `person-${people}`, password: 'Twelve chars 1' },
    });
    return { id: body.id, api: await test.clientOf(body.id) };
  };
  const permit = async (more: Json): Promise<number> => {
    const json = { name: 'Given', object_types: ['dcim.site'], actions: ['view'], ...more };
    const { body, status } = await test.api.post<{ id: number }>('/api/users/permissions/', { json });
    expect([status, body]).toMatchObject([201, { name: 'Given' }]);
    return body.id;
  };
  const namesOf = async (api: InProcessApiClient, path = sites): Promise<string[]> =>
    (await api.get<{ results: Named[] }>(path)).body.results.map(({ name }) => name);
  const idOf = async (name: string): Promise<number> =>
    (await test.api.get<{ results: Named[] }>(`${sites}?name=${name}`)).body.results[0]?.id ?? 0;

  it.each<[Json | Json[] | null, string[]]>([
    [null, ['N1', 'N2', 'S1']],
    [{}, ['N1', 'N2', 'S1']],
    [{ status: 'active' }, ['N1', 'S1']],
    [{ status__in: ['planned', 'retired'] }, ['N2']],
    [{ region__slug: 'north', status: 'active' }, ['N1']],
    [
      [{ name: 'S1' }, { name__istartswith: 'n2' }],
      ['N2', 'S1'],
    ],
    [{ region__slug__in: ['south'] }, ['S1']],
    [{ region__name__icontains: 'OUT' }, ['S1']],
    [{ region: { slug: 'north' } }, ['N1', 'N2']],
    [{ tenant__isnull: true }, ['N1', 'S1']],
    [{ tenant: null }, ['N1', 'S1']],
    [{ tenant_id__isnull: false }, ['N2']],
    [{ tags__slug: 'alpha' }, ['N1']],
    [{ tags__name__in: ['Alpha'] }, ['N1']],
    [{ facility__contains: 'F_' }, ['N1']],
    [{ facility__startswith: '_' }, []],
    [{ latitude__gte: 1.5, latitude__lt: '2' }, ['S1']],
    [{ latitude__range: [1, 2] }, ['S1']],
    [{ name__regex: '^[NS]1$' }, ['N1', 'S1']],
    [{ pk__in: [] }, []],
    [{ created__gt: '2020-01-01' }, ['N1', 'N2', 'S1']],
    [{ custom_field_data__nothing: 1 }, []],
  ])('allow users to see only objects that meet the constraints %j', async (constraints, names) => {
    await test.api.patch(`/api/users/permissions/${viewing}/`, { json: { constraints } });
    const { api } = viewer;
    expect(await namesOf(api)).toEqual(names);
    const { body } = await api.get<{ count: number }>(sites);
    expect(body.count).toBe(names.length);
  });

  it.each<[object, readonly string[]]>([
    [{ custom_field_data__zone: 'outer' }, ['N2', 'S1']],
    [{ custom_field_data__zone__startswith: 'in' }, ['N1']],
    [{ custom_field_data__zone__isnull: true }, []],
    [{ custom_field_data: { zone: 'inner' } }, ['N1']],
  ])('restrict the visible objects by stored or default custom field values: %j', async (constraints, names) => {
    const json = { name: 'zone', type: 'text', default: 'outer', object_types: ['dcim.site'] };
    const field = await test.api.post<{ id: number }>('/api/extras/custom-fields/', { json });
    const inner = await test.api.get<{ results: { id: number }[] }>(sites, { query: { name: 'N1' } });
    await test.api.patch(`${sites}${inner.body.results[0]?.id}/`, { json: { custom_fields: { zone: 'inner' } } });
    await test.api.patch(`/api/users/permissions/${viewing}/`, { json: { constraints } });
    expect(await namesOf(viewer.api)).toEqual(names);
    await test.api.delete(`/api/extras/custom-fields/${field.body.id}/`);
  });

  it('accept every object type, also with a digit in its name', async () => {
    const types = await test.api.get<{ results: { app_label: string; model: string }[] }>('/api/core/object-types/', {
      query: { limit: 0 },
    });
    const names = types.body.results.map(({ app_label: app, model }) => `${app}.${model}`);
    expect(names).toContain('vpn.l2vpn');
    const json = { name: 'All', object_types: names, actions: ['view'] };
    const { status, body } = await test.api.post<{ id: number }>('/api/users/permissions/', { json });
    expect(status).toBe(201);
    const found = await test.api.get<{ count: number }>('/api/users/permissions/?object_type=vpn.l2vpn');
    expect(found).toMatchObject({ status: 200, body: { count: 1 } });
    await test.api.delete(`/api/users/permissions/${body.id}/`);
  });

  it('support network comparisons and generic references in constraints', async () => {
    const prefixes = '/api/ipam/prefixes/';
    await test.api.post(prefixes, {
      json: [
        { prefix: '10.0.0.0/8' },
        { prefix: '10.1.0.0/16', scope_type: 'dcim.site', scope_id: await idOf('N1') },
        { prefix: '2001:db8::/32', description: 'six' },
      ],
    });
    const { id, api } = await person();
    const permission = await permit({ users: [id], object_types: ['ipam.prefix'] });
    const expected: [Json, string[]][] = [
      [{ prefix: '10.0.0.0/8' }, ['10.0.0.0/8']],
      [{ prefix__net_contained: '10.0.0.0/8' }, ['10.1.0.0/16']],
      [{ prefix__net_contained_or_equal: '10.0.0.0/8' }, ['10.0.0.0/8', '10.1.0.0/16']],
      [{ prefix__net_contains: '10.1.2.3/32' }, ['10.0.0.0/8', '10.1.0.0/16']],
      [{ prefix__net_mask_length: 32 }, ['2001:db8::/32']],
      [{ prefix__family: 6 }, ['2001:db8::/32']],
      [{ scope_type: 'dcim.site' }, ['10.1.0.0/16']],
      [{ scope_type__model: 'site', scope_id__gt: 0 }, ['10.1.0.0/16']],
      [{ scope_id__isnull: true, description__iendswith: 'SIX' }, ['2001:db8::/32']],
    ];
    for (const [constraints, found] of expected) {
      await test.api.patch(`/api/users/permissions/${permission}/`, { json: { constraints } });
      const { body } = await api.get<{ results: { prefix: string }[] }>(prefixes);
      expect([constraints, body.results.map(({ prefix }) => prefix)]).toEqual([constraints, found]);
    }
  });

  it('require no SQL statement for a list besides the lookups of the user and the custom fields', async () => {
    await test.api.patch(`/api/users/permissions/${viewing}/`, { json: { constraints: { region__slug: 'north' } } });
    const field = { name: 'note', type: 'text', object_types: ['dcim.site'] };
    const { body: made } = await test.api.post<{ id: number }>('/api/extras/custom-fields/', { json: field });
    const spy = vi.spyOn(test.inventory.database.pool, 'query');
    onTestFinished(() => spy.mockRestore());
    const cold = await viewer.api.get<{ results: Json[] }>(sites);
    expect(cold.body.results).toHaveLength(2);
    // Distinct statements are counted, because credentials may be looked up again if an invalidation arrives meanwhile.
    // Once a minute, a process also records the use of a token and reads the sizes of tables.
    const texts = new Set(spy.mock.calls.map(([statement]: unknown[]) => JSON.stringify(statement)));
    const looked = [...texts].filter((text) => !/SET last_used|FROM pg_class/.test(text));
    expect(looked.length).toBeLessThanOrEqual(3);
    expect(cold.body.results[0]?.['custom_fields']).toEqual({ note: null });
    // The process also receives its own invalidation message, and therefore reads once more.
    const statementsOfList = async (): Promise<number> => {
      spy.mockClear();
      await viewer.api.get(sites);
      return spy.mock.calls.length;
    };
    await expect.poll(statementsOfList).toBeLessThanOrEqual(1);
    await test.api.delete(`/api/extras/custom-fields/${made.id}/`);
  });

  it('reject constraints that no object could meet, with the reason', async () => {
    const refused = async (constraints: unknown): Promise<unknown> => {
      const json = { name: 'Wrong', object_types: ['dcim.site'], actions: ['view'], constraints };
      const { status, body } = await test.api.post<Json>('/api/users/permissions/', { json });
      expect(status).toBe(400);
      return body['constraints'];
    };
    expect(await refused({ id: 'x' })).toEqual(["Invalid filter for dcim.site: Invalid value for 'exact'."]);
    expect(await refused({ name__regex: '(' })).toEqual(["Invalid filter for dcim.site: Invalid value for 'regex'."]);
    expect(await refused([1])).toEqual(['Constraints are an object of conditions, or a list of such objects.']);
  });

  it('accept constraints on fields that a model does not have, and grant nothing for that model', async () => {
    const { id, api } = await person();
    const types = ['dcim.site', 'dcim.region'];
    await permit({ users: [id], object_types: types, constraints: { region__slug: 'north' } });
    expect(await namesOf(api)).toEqual(['N1', 'N2']);
    expect(await namesOf(api, '/api/dcim/regions/')).toEqual([]);
    await permit({ users: [id], constraints: [{ nope: 1 }, { name__nope: 1 }, { name: 'N1', nope: 1 }] });
    expect(await namesOf(api)).toEqual(['N1', 'N2']);
  });

  it('reject an empty list of actions', async () => {
    const json = { name: 'Idle', object_types: ['dcim.site'], actions: [] };
    const { status, body } = await test.api.post('/api/users/permissions/', { json });
    expect([status, body]).toEqual([400, { actions: ['This list may not be empty.'] }]);
  });

  it('combine with all permissions of the user and take effect immediately', async () => {
    const { id, api } = await person();
    expect(await api.get(sites)).toMatchObject(denied);
    const { body: group } = await test.api.post<{ id: number }>('/api/users/groups/', { json: { name: 'North team' } });
    const permission = await permit({ groups: [group.id], constraints: { region__slug: 'north' } });
    expect(await api.get(sites)).toMatchObject(denied);
    const member = await test.api.patch<Json>(`/api/users/users/${id}/`, { json: { groups: [group.id] } });
    expect(member.body['groups']).toMatchObject([{ name: 'North team' }]);
    expect(await namesOf(api)).toEqual(['N1', 'N2']);
    expect((await test.api.get<Json>(`/api/users/groups/${group.id}/`)).body).toMatchObject({ user_count: 1 });
    await permit({ users: [id], constraints: { name: 'S1' } });
    expect(await namesOf(api)).toEqual(['N1', 'N2', 'S1']);
    await test.api.patch(`/api/users/permissions/${permission}/`, { json: { enabled: false } });
    expect(await namesOf(api)).toEqual(['S1']);
    await test.api.delete(`/api/users/groups/${group.id}/`);
    expect(await namesOf(api)).toEqual(['S1']);
  });

  it('hide objects that violate the constraints: GET, PATCH and DELETE respond 404', async () => {
    const { id, api } = await person();
    await permit({ users: [id], actions: ['view', 'change', 'delete'], constraints: { name: 'N1' } });
    const hidden = await idOf('S1');
    const missing = { status: 404, body: { detail: 'No Site matches the given query.' } };
    const path = `${sites}${hidden}/`;
    expect(await api.get(path)).toMatchObject(missing);
    expect(await api.patch(path, { json: { facility: 'x' } })).toMatchObject(missing);
    expect(await api.delete(path)).toMatchObject(missing);
    expect((await api.patch(sites, { json: [{ id: hidden, facility: 'x' }] })).body).toEqual([]);
    expect((await api.delete(sites, { json: [{ id: hidden }] })).status).toBe(204);
    expect((await test.api.get<Json>(path)).body['facility']).toBe('');
    expect(await api.post(sites, { json: { name: 'X', slug: 'x' } })).toMatchObject(denied);
  });

  it('reject writes after which an object would violate the constraints, also in lists', async () => {
    const { id, api } = await person();
    await permit({ users: [id], actions: ['add', 'change', 'view'], constraints: { status: 'planned' } });
    const make = (status: string, name: string): Json => ({ name, slug: name.toLowerCase(), status });
    expect(await api.post(sites, { json: make('active', 'Out') })).toMatchObject(denied);
    expect(await api.post(sites, { json: [make('planned', 'In'), make('active', 'Out')] })).toMatchObject(denied);
    expect(await namesOf(test.api, `${sites}?name=In&name=Out`)).toEqual([]);
    const made = await api.post<Named[]>(sites, { json: [make('planned', 'In'), make('planned', 'Also')] });
    expect(made.status).toBe(201);
    const [first, second] = made.body.map((site) => site.id);
    expect(await api.patch(`${sites}${first}/`, { json: { status: 'active' } })).toMatchObject(denied);
    const both = [
      { id: first, facility: 'kept' },
      { id: second, status: 'retired' },
    ];
    expect(await api.patch(sites, { json: both })).toMatchObject(denied);
    expect((await api.get<Json>(`${sites}${first}/`)).body['facility']).toBe('');
    await test.api.delete(sites, { json: [{ id: first }, { id: second }] });
  });

  it('allow creating objects with the action add alone, also with tags in the constraints', async () => {
    const { id, api } = await person();
    await permit({ users: [id], actions: ['add'], constraints: { tags__slug: 'alpha' } });
    expect(await api.post(sites, { json: { name: 'T', slug: 't' } })).toMatchObject(denied);
    const made = await api.post<Named>(sites, { json: { name: 'T', slug: 't', tags: [1] } });
    expect([made.status, made.body]).toMatchObject([201, { name: 'T', tags: [{ slug: 'alpha' }] }]);
    expect(await api.get(`${sites}${made.body.id}/`)).toMatchObject(denied);
    await test.api.delete(`${sites}${made.body.id}/`);
  });

  it('replace $user by the requesting user', async () => {
    const { id, api } = await person();
    await permit({ users: [id], object_types: ['users.user'], constraints: [{ id: '$user' }] });
    const { body } = await api.get<{ results: { id: number }[] }>('/api/users/users/');
    expect(body.results.map((user) => user.id)).toEqual([id]);
  });

  it('hide invisible related objects that a request identifies by attributes, but not those identified by id', async () => {
    const { id, api } = await person();
    await permit({ users: [id], actions: ['add'] });
    const region = { name: 'R1', slug: 'r1', region: { slug: 'north' } };
    expect((await api.post(sites, { json: region })).body).toEqual({
      region: ["Related object not found using the provided attributes: {'slug': 'north'}"],
    });
    await permit({ users: [id], object_types: ['dcim.region'], constraints: { slug: 'south' } });
    expect((await api.post(sites, { json: region })).status).toBe(400);
    const made = await api.post<Named>(sites, { json: { ...region, region: 1 } });
    expect(made.body).toMatchObject({ region: { slug: 'north' } });
    await test.api.delete(`${sites}${made.body.id}/`);
  });

  it('limit users without the action grant to their own tokens', async () => {
    const [one, two] = [await person(), await person()];
    const tokens = '/api/users/tokens/';
    expect((await one.api.post(tokens, { json: { user: one.id } })).status).toBe(201);
    expect(await one.api.post(tokens, { json: { user: two.id } })).toMatchObject(denied);
    await permit({ users: [one.id], object_types: ['users.token'], actions: ['add'] });
    expect(await one.api.post(tokens, { json: { user: two.id } })).toMatchObject(denied);
    await permit({
      users: [one.id],
      object_types: ['users.token'],
      actions: ['grant'],
      constraints: { user__in: [two.id] },
    });
    expect((await one.api.post(tokens, { json: { user: two.id } })).status).toBe(201);
    expect(await one.api.post(tokens, { json: { user: test.adminId } })).toMatchObject(denied);
    const { body } = await one.api.get<{ results: { user: { id: number } }[] }>(tokens);
    expect(new Set(body.results.map(({ user }) => user.id))).toEqual(new Set([one.id]));
  });

  it('determine the actions that OPTIONS lists', async () => {
    const { id, api } = await person();
    await permit({ users: [id], actions: ['view', 'change'] });
    const { body } = await api.sendOptionsRequest<{ actions: Json }>(sites);
    expect(Object.keys(body.actions)).toEqual(['PUT']);
  });
});
