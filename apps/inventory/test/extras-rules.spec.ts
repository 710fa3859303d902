import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import { startInventory, type TestInventory } from './support/test-service.js';

type Made = { readonly id: number };
type Json = Record<string, unknown>;
type List = { readonly count: number; readonly next: string | null; readonly results: Json[] };

let test: TestInventory;
let ann: { readonly id: number; readonly api: InProcessApiClient };
let site: number;

beforeAll(async () => {
  test = await startInventory();
  const { body } = await test.api.post<Made>('/api/users/users/', {
    json: { username: 'ann', password: 'Twelve chars 1' },
  });
  ann = { id: body.id, api: await test.clientOf(body.id) };
  for (const name of ['Delta', 'Echo', 'Foxtrot']) {
    const json = { name, slug: name.toLowerCase(), status: name === 'Echo' ? 'planned' : 'active' };
    site = (await test.api.post<Made>('/api/dcim/sites/', { json })).body.id;
  }
});
afterAll(() => test.close());

const may = (object_types: string[], actions = ['view', 'add', 'change', 'delete']): Promise<unknown> =>
  test.api.post('/api/users/permissions/', {
    json: { name: `${object_types.join()} ${actions.join()}`, object_types, actions, users: [ann.id] },
  });

const namesIn = async (client: InProcessApiClient, path: string): Promise<unknown[]> =>
  (await client.get<List>(path)).body.results.map(({ name }) => name);

describe.each([
  ['saved-filters', (name: string) => ({ slug: name, object_types: ['dcim.site'], parameters: {} })],
  ['table-configs', () => ({ object_type: 'dcim.site', table: 'SiteTable', columns: ['name'] })],
])('GET of %s that belong to a user', (model, rest) => {
  const path = `/api/extras/${model}/`;
  const made: Record<string, number> = {};

  beforeAll(async () => {
    await may([`extras.${model.replace('-', '').replace(/s$/, '')}`]);
    for (const [name, shared, user] of [
      ['shared', true, null],
      ['hers', false, ann.id],
      ['his', false, test.adminId],
    ] as const) {
      const json = { name, shared, user, ...rest(name) };
      made[name] = (await test.api.post<Made>(path, { json })).body.id;
    }
  });

  it('returns private objects only to their owner and to superusers, whatever permissions other users have', async () => {
    expect(await namesIn(test.api, path)).toEqual(['hers', 'his', 'shared']);
    expect(await namesIn(ann.api, path)).toEqual(['hers', 'shared']);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const { status } = await ann.api.request(method, `${path}${made['his']}/`, method === 'GET' ? {} : { json: {} });
      expect([method, status]).toEqual([method, 404]);
    }
    expect((await ann.api.delete(path, { json: [{ id: made['his'] }] })).status).toBe(204);
    expect((await test.api.get(`${path}${made['his']}/`)).status).toBe(200);
    expect((await ann.api.patch(`${path}${made['hers']}/`, { json: { description: 'x' } })).status).toBe(200);
  });

  it('filters by usable=true the enabled objects that the requesting user can see', async () => {
    expect(await namesIn(ann.api, `${path}?usable=true`)).toEqual(['hers', 'shared']);
    expect(await namesIn(test.api, `${path}?usable=true`)).toEqual(['his', 'shared']);
    expect(await namesIn(test.api, `${path}?usable=false`)).toEqual(['hers']);
  });
});

describe('GET of a list with a saved filter', () => {
  const save = async (name: string, parameters: unknown, rest: object = {}): Promise<number> => {
    const json = { name, slug: name, object_types: ['dcim.site'], parameters, ...rest };
    return (await test.api.post<Made>('/api/extras/saved-filters/', { json })).body.id;
  };
  let planned: number;
  beforeAll(async () => {
    planned = await save('planned', { status: ['planned'] });
    await save('named', { name: 'Delta', slug: null });
    await save('secret', { status: 'planned' }, { shared: false, user: test.adminId });
    await may(['dcim.site'], ['view']);
  });

  it('applies the saved filter, given by slug or id, with other parameters, and includes it in page links', async () => {
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=planned')).toEqual(['Echo']);
    expect(await namesIn(test.api, `/api/dcim/sites/?filter_id=${planned}`)).toEqual(['Echo']);
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=planned&name=Delta')).toEqual([]);
    const { body } = await test.api.get<List>('/api/dcim/sites/?filter=planned&status=active&limit=1');
    expect(body).toMatchObject({ count: 3, results: [{ name: 'Delta' }] });
    expect(body.next).toBe('http://localhost/api/dcim/sites/?filter=planned&limit=1&offset=1&status=active');
  });

  it('adds the values of the saved filter to the values of the same query parameter', async () => {
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=named&name=Echo')).toEqual(['Delta', 'Echo']);
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=named&filter=planned')).toEqual([]);
  });

  it('ignores a filter that does not exist or that the user cannot see', async () => {
    const all = ['Delta', 'Echo', 'Foxtrot'];
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=nothing&filter_id=abc&filter_id=99999')).toEqual(all);
    expect(await namesIn(test.api, '/api/dcim/sites/?filter=secret')).toEqual(['Echo']);
    expect(await namesIn(ann.api, '/api/dcim/sites/?filter=secret')).toEqual(all);
    const strict = { headers: { 'x-strict-filters': 'true' } };
    expect((await test.api.get('/api/dcim/sites/?filter=planned&export=', strict)).status).toBe(404);
    expect((await test.api.get('/api/dcim/sites/?filter=planned', strict)).status).toBe(200);
  });

  it("requires that the filter's parameters are a dictionary", async () => {
    const json = { name: 'list', slug: 'list', object_types: ['dcim.site'], parameters: ['status'] };
    const { status, body } = await test.api.post('/api/extras/saved-filters/', { json });
    const parameters = ['Filter parameters must be stored as a dictionary of keyword arguments.'];
    expect([status, body]).toEqual([400, { parameters }]);
  });
});

describe('POST and PATCH /api/extras/journal-entries/', () => {
  const write = (json: object) =>
    test.api.post<Json>('/api/extras/journal-entries/', {
      json: { assigned_object_type: 'dcim.site', assigned_object_id: site, comments: 'Seen', ...json },
    });

  it('set created_by to the requesting user by default', async () => {
    const { status, body } = await write({ kind: 'success' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ created_by: test.adminId, assigned_object: { name: 'Foxtrot' } });
    expect(body['display']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d \(Success\)$/);
  });

  it('accept another user as created_by in POST, and ignore created_by in PATCH', async () => {
    const { status, body } = await write({ created_by: ann.id });
    expect([status, body['created_by']]).toEqual([201, ann.id]);
    const changed = await test.api.patch<Json>(`/api/extras/journal-entries/${String(body['id'])}/`, {
      json: { created_by: test.adminId, comments: 'Moved' },
    });
    expect(changed).toMatchObject({ status: 200, body: { created_by: ann.id, comments: 'Moved' } });
  });

  it('require an existing object whose model supports journaling', async () => {
    expect((await write({ assigned_object_id: 99999 })).body).toEqual({
      non_field_errors: ['Invalid assigned_object: DCIM > Site ID 99999'],
    });
    const { body: tag } = await test.api.post<Made>('/api/extras/tags/', { json: { name: 'A', slug: 'a' } });
    expect((await write({ assigned_object_type: 'extras.tag', assigned_object_id: tag.id })).body).toEqual({
      __all__: ['Journaling is not supported for this object type (Extras > Tag).'],
    });
    expect((await write({ assigned_object_type: 'dcim.nothing' })).body).toEqual({
      assigned_object_type: ['Invalid content type: dcim.nothing'],
    });
  });
});

describe('bookmarks, subscriptions and notifications', () => {
  it.each([
    ['bookmarks', 'Bookmark', {}],
    ['subscriptions', 'Subscription', {}],
    ['notifications', 'Notification', { event_type: 'object_created' }],
  ])('exist once per object and user, who alone sees them: %s', async (path, name, rest) => {
    const json = { object_type: 'dcim.site', object_id: site, user: ann.id, ...rest };
    expect((await ann.api.post(`/api/extras/${path}/`, { json })).status).toBe(201);
    expect(await ann.api.post(`/api/extras/${path}/`, { json })).toMatchObject({
      status: 400,
      body: { __all__: [`${name} with this Object type, Object id and User already exists.`] },
    });
    expect(await ann.api.post(`/api/extras/${path}/`, { json: { ...json, user: test.adminId } })).toMatchObject({
      status: 400,
      body: { user: [`Related object not found using the provided numeric ID: ${test.adminId}`] },
    });
    await test.api.post(`/api/extras/${path}/`, { json: { ...json, user: test.adminId } });
    expect((await ann.api.get<List>(`/api/extras/${path}/`)).body.count).toBe(1);
    expect((await test.api.get<List>(`/api/extras/${path}/`)).body.count).toBe(2);
    expect((await ann.api.post(`/api/extras/${path}/`, { json: { ...json, object_type: 'extras.tag' } })).body).toEqual(
      {
        object_type: ['Invalid content type: extras.tag'],
      },
    );
  });

  it('notify each subscriber once when the object changes or is deleted', async () => {
    const told = async (): Promise<Json[]> =>
      (await ann.api.get<List>('/api/extras/notifications/?ordering=id')).body.results;
    const [before] = await told();
    await ann.api.patch(`/api/extras/notifications/${String(before?.['id'])}/`, {
      json: { read: '2026-01-01T00:00:00Z' },
    });
    await test.api.patch('/api/dcim/sites/', { json: [{ id: site, description: 'x' }] });
    const [updated, ...others] = await told();
    expect(others).toEqual([]);
    expect(updated).toMatchObject({
      event_type: 'object_updated',
      read: null,
      display: 'Foxtrot',
      object: { id: site },
    });
    expect(updated?.['id']).not.toBe(before?.['id']);
    await test.api.patch(`/api/dcim/sites/${site}/`, { json: { description: 'x' } });
    expect((await told())[0]?.['id']).toBe(updated?.['id']);
    await test.api.delete(`/api/dcim/sites/${site}/`);
    expect(await told()).toMatchObject([
      { event_type: 'object_deleted', object_id: site, object: null, display: 'Foxtrot', user: { username: 'ann' } },
    ]);
    for (const path of ['bookmarks', 'subscriptions', 'journal-entries']) {
      expect((await test.api.get<List>(`/api/extras/${path}/`)).body.count).toBe(0);
    }
  });
});

describe('endpoints of scripts', () => {
  it('respond 503 to a request to run a script, and 403 without permission', async () => {
    const { rows } = await test.inventory.database.query<Made>(`WITH file AS (
        INSERT INTO extras_scriptmodule (file_root, file_path) VALUES ('scripts', 'sites.py') RETURNING id)
      INSERT INTO extras_script (module_id, name) SELECT id, 'OpenSite' FROM file RETURNING id`);
    const path = `/api/extras/scripts/${rows[0]?.id}/`;
    expect((await test.api.get<Json>(path)).body).toMatchObject({ name: 'OpenSite', vars: {}, result: null });
    expect(await test.api.post(path, { json: { data: {}, commit: true } })).toMatchObject({
      status: 503,
      body: { detail: 'Unable to process request: RQ worker process not running.' },
    });
    expect((await ann.api.post(path)).status).toBe(403);
    await may(['extras.script'], ['run']);
    expect((await ann.api.post(path)).status).toBe(503);
    expect((await test.api.post('/api/extras/scripts/9999/')).body).toEqual({
      detail: 'No Script matches the given query.',
    });
  });

  it.each([
    ['POST', '/api/extras/scripts/'],
    ['POST', '/api/extras/scripts/upload/'],
    ['PUT', '/api/extras/scripts/upload/1/'],
    ['PATCH', '/api/extras/scripts/upload/1/'],
  ] as const)('respond to %s %s with the reason why the service does not run scripts', async (method, path) => {
    const { status, body } = await test.api.request(method, path);
    const detail = 'Custom scripts are Python classes, and this service does not run Python. Nothing was uploaded.';
    expect([status, body]).toEqual([400, { detail }]);
    expect((await test.stranger.request(method, path)).status).toBe(403);
  });

  it('list no uploaded scripts', async () => {
    expect((await test.api.request('GET', '/api/extras/scripts/upload/', { unchecked: true })).status).toBe(404);
    const { body } = await test.api.get<Json>('/api/extras/');
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['scripts', 'saved-filters', 'tagged-objects']));
    expect(Object.keys(body)).not.toContain('scripts/upload');
  });
});

describe('POST /api/extras/table-configs/', () => {
  const post = (more: Json) =>
    test.api.post<Json>('/api/extras/table-configs/', {
      json: { object_type: 'dcim.site', table: 'SiteTable', name: 'Columns', columns: ['name'], ...more },
    });

  it.each<[Json, Json]>([
    [{ table: 'Bogus' }, { table: ['Unknown table: Bogus'] }],
    [{ table: 'VLANTable' }, { table: ['Unknown table: VLANTable'] }],
    [{ columns: ['bogus'], ordering: ['-bogus'] }, { ordering: ['Unknown column: bogus'] }],
    [{ columns: ['name', 'toString'] }, { columns: ['Unknown column: toString'] }],
  ])('rejects %j, because the table or a column does not exist', async (more, problems) => {
    const { status, body } = await post(more);
    expect([status, body]).toEqual([400, problems]);
  });

  it('accepts columns of fields, custom fields and actions', async () => {
    const { status } = await post({
      columns: ['pk', 'name', 'region', 'device_count', 'contacts', 'cf_colour', 'actions'],
      ordering: ['-name', 'id'],
    });
    expect(status).toBe(201);
  });
});
