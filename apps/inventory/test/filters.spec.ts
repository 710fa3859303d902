import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryWithPatternTimeout } from '../src/engine/read/query-with-pattern-timeout.js';
import { createPreparedQuery } from '../src/engine/sql/parameterized-statement.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const alpha = { name: 'Alpha 1', slug: 'alpha-1', facility: 'East', latitude: 10, region: { slug: 'europe' } };
const sites = [
  alpha,
  {
    ...alpha,
    name: 'Alpha 20',
    slug: 'alpha-20',
    facility: 'eastern',
    latitude: 20.5,
    region: { slug: 'berlin' },
    status: 'planned',
    tags: [{ slug: 'red' }, { slug: 'blue' }],
    tenant: { slug: 'acme' },
  },
  { name: 'Beta_%', slug: 'beta', facility: 'WEST', latitude: -30, region: { slug: 'asia' }, tags: [{ slug: 'red' }] },
  { name: 'Gamma', slug: 'gamma', status: 'retired' },
];

describe('filters of a list', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    const post = (path: string, json: unknown) => test.api.post(path, { json });
    await post('/api/dcim/regions/', [
      { name: 'Europe', slug: 'europe' },
      { name: 'Asia', slug: 'asia' },
    ]);
    await post('/api/dcim/regions/', { name: 'Berlin', slug: 'berlin', parent: { slug: 'europe' } });
    await post('/api/extras/tags/', [
      { name: 'Red', slug: 'red' },
      { name: 'Blue', slug: 'blue' },
    ]);
    await post('/api/tenancy/tenant-groups/', { name: 'Customers', slug: 'customers' });
    await post('/api/tenancy/tenants/', { name: 'Acme', slug: 'acme', group: { slug: 'customers' } });
    expect((await post('/api/dcim/sites/', sites)).status).toBe(201);
  });
  afterAll(() => test.close());

  /**
   * Returns short names of the sites that a query finds. A short name is a letter and a number, such as A1 or A20, or
   * only a letter, such as B.
   */
  const found = async (query: string): Promise<string> => {
    const { status, body } = await test.api.get<{ count: number; results: Json[] }>(`/api/dcim/sites/?${query}`);
    expect([query, status]).toEqual([query, 200]);
    expect(body.count).toBe(body.results.length);
    return body.results.map(({ name }) => String(name).replace(/^(.)\D*(\d*).*$/, '$1$2')).join(' ');
  };

  it('compare texts with each lookup, and match rows without a value if the lookup is negated', async () => {
    const expected: Record<string, string> = {
      'name=Alpha 1&name=Gamma': 'A1 G',
      'name=alpha 1': '',
      'name__n=Alpha 1&name__n=Gamma': 'A20 B',
      'facility__ic=EAST': 'A1 A20',
      'facility__nic=east': 'B G',
      'facility__isw=e&facility__isw=w': 'A1 A20 B',
      'facility__nisw=e&facility__nisw=w': 'G',
      'facility__iew=ERN': 'A20',
      'facility__niew=ern': 'A1 B G',
      'facility__ie=EAST': 'A1',
      'facility__nie=EAST': 'A20 B G',
      'facility__empty=true': 'G',
      'facility__empty=false': 'A1 A20 B',
      'name__regex=^A.*[0-9]{2}$': 'A20',
      'name__iregex=^(alpha|beta)': 'A1 A20 B',
      'name__ic=_%': 'B',
      'name__ic=a%00': '',
      'facility=': 'A1 A20 B G',
    };
    for (const [query, names] of Object.entries(expected)) {
      expect([query, await found(query.replaceAll('%', '%25').replace('%2500', '%00'))]).toEqual([query, names]);
    }
  });

  it('compare numbers and times with each lookup', async () => {
    const ids = (await test.api.get<{ results: Json[] }>('/api/dcim/sites/')).body.results.map(({ id }) => Number(id));
    const [first = 0, second = 0] = ids;
    const expected: Record<string, string> = {
      [`id=${first}&id=${second}`]: 'A1 A20',
      [`id__n=${first}`]: 'A20 B G',
      [`id__gt=${first}`]: 'A20 B G',
      [`id__lte=${second}`]: 'A1 A20',
      'id__lt=999999999999999999999999': 'A1 A20 B G',
      'id=999999999999999999999999': '',
      'latitude=20.5': 'A20',
      'latitude__n=20.5': 'A1 B G',
      'latitude__lt=10': 'B',
      'latitude__lte=10': 'A1 B',
      'latitude__gt=10': 'A20',
      'latitude__gte=10': 'A1 A20',
      'latitude__empty=true': 'G',
      'latitude__empty=false': 'A1 A20 B',
      'created__gt=2026-01-01': 'A1 A20 B G',
      'created__gte=2026-01-01T00:00:00Z&last_updated__lt=9999-12-31 23:59:59+02:00': 'A1 A20 B G',
      'created__lt=2026-01-01T12:30': '',
      'created=2026-01-01': '',
      'created__n=2026-01-01': 'A1 A20 B G',
      'created__empty=true': '',
    };
    for (const [query, names] of Object.entries(expected)) expect([query, await found(query)]).toEqual([query, names]);
  });

  it('match tree nodes with descendants, references, choices, tags, null and negations', async () => {
    const expected: Record<string, string> = {
      'region=europe': 'A1 A20',
      'region=berlin&region=asia': 'A20 B',
      'region=null': 'G',
      'region=null&region=asia': 'B G',
      'region__n=europe': 'B G',
      'region__n=null': 'A1 A20 B',
      'tenant=acme': 'A20',
      'tenant__n=acme': 'A1 B G',
      'tenant_group=customers': 'A20',
      'tenant_group=null': 'A1 B G',
      'tenant_group__n=null': 'A20',
      'status=planned&status=retired': 'A20 G',
      'status__n=planned&status__n=retired': 'A1 B',
      'status__ic=plan': 'A20',
      'status__empty=true': '',
      'tag=red': 'A20 B',
      'tag=red&tag=blue': 'A20',
      'tag__any=red&tag__any=blue': 'A20 B',
      'tag__n=blue': 'A1 B G',
      'q=alpha': 'A1 A20',
      'q= ': 'A1 A20 B G',
      'tag=red&status=active': 'B',
    };
    for (const [query, names] of Object.entries(expected)) expect([query, await found(query)]).toEqual([query, names]);
  });

  it('match prefixes by the region, site group or site to which a prefix is assigned', async () => {
    const { body } = await test.api.get<{ results: Json[] }>('/api/dcim/sites/', { query: { slug: 'alpha-20' } });
    const [berlin] = body.results;
    const region = Number(Object(berlin?.['region'])['id']);
    await test.api.post('/api/ipam/prefixes/', {
      json: [
        { prefix: '10.0.1.0/24', scope_type: 'dcim.site', scope_id: berlin?.['id'] },
        { prefix: '10.0.2.0/24', scope_type: 'dcim.region', scope_id: region },
        { prefix: '10.0.3.0/24' },
      ],
    });
    const expected: Record<string, string> = {
      'region=europe': '1 2',
      [`region_id=${region}`]: '1 2',
      'region=asia': '',
      'region__n=europe': '3',
      'region=null': '3',
      'site=alpha-20': '1',
      'site=null': '2 3',
      'mask_length__gte=24&mask_length__lte=24': '1 2 3',
    };
    for (const [query, prefixes] of Object.entries(expected)) {
      const response = await test.api.get<{ results: { prefix: string }[] }>(`/api/ipam/prefixes/?${query}`);
      const third = response.body.results.map(({ prefix }) => prefix.split('.')[2]).join(' ');
      expect([query, third]).toEqual([query, prefixes]);
    }
  });

  it('match objects by the id of the request that created or updated them', async () => {
    const made = await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: 'New', slug: 'new' } });
    const changed = await test.api.patch(`/api/dcim/sites/${made.body.id}/`, { json: { facility: 'x' } });
    const [maker, changer] = [made, changed].map(({ headers }) => String(headers['x-request-id']));
    const expected: Record<string, string> = {
      [`created_by_request=${maker}`]: 'N',
      [`updated_by_request=${maker}`]: '',
      [`updated_by_request=${changer}`]: 'N',
      [`modified_by_request=${maker}`]: 'N',
      [`modified_by_request=${changer}`]: 'N',
      'created_by_request=00000000-0000-4000-8000-000000000000': '',
    };
    for (const [query, names] of Object.entries(expected)) expect([query, await found(query)]).toEqual([query, names]);
    await test.api.delete(`/api/dcim/sites/${made.body.id}/`);
  });

  it('match encrypted secrets by equality and emptiness only', async () => {
    const hook = (name: string, secret?: string) => ({ name, payload_url: 'http://localhost:9000/', secret });
    const json = [hook('One', 'open sesame'), hook('Two', 'other'), hook('Three')];
    await test.api.post('/api/extras/webhooks/', { json });
    const expected: Record<string, string> = {
      'secret=open sesame': 'One',
      'secret=open sesame&secret=other': 'One Two',
      'secret=OTHER': '',
      'secret__n=other': 'One Three',
      'secret__empty=true': 'Three',
      'secret__empty=false': 'One Two',
    };
    for (const [query, names] of Object.entries(expected)) {
      const { body } = await test.api.get<{ results: Json[] }>(`/api/extras/webhooks/?ordering=id&${query}`);
      expect([query, body.results.map(({ name }) => name).join(' ')]).toEqual([query, names]);
    }
    expect((await test.api.get('/api/extras/webhooks/?secret__ic=o')).status).toBe(400);
    const stored = await test.inventory.database.query('SELECT secret, secret_digest FROM extras_webhook');
    expect(JSON.stringify(stored.rows)).not.toMatch(/sesame|other/);
  });

  it('parse booleans in several spellings and ignore other values', async () => {
    for (const [value, tags] of [
      ['true', 0],
      ['True', 0],
      ['1', 0],
      ['false', 1],
      ['0', 1],
      ['yes', 1],
    ] as const) {
      const { body } = await test.api.get<{ count: number }>('/api/users/tokens/', { query: { enabled: value } });
      expect([value, body.count]).toEqual([value, tags === 0 || value === 'yes' ? 1 : 0]);
    }
  });

  it.each([
    ['name__regex=(', 'name__regex', 'Enter a valid regular expression.'],
    ['name__iregex=(a)\\1', 'name__iregex', expect.stringMatching(/without references/)],
    ['tag=nope', 'tag', 'Select a valid choice. nope is not one of the available choices.'],
    ['tag_id=x', 'tag_id', '“x” is not a valid value.'],
    ['region=a%00', 'region', expect.stringMatching(/^Select a valid choice/)],
    ['created_by_request=x', 'created_by_request', 'Enter a valid UUID.'],
    ['created=0000-01-01', 'created', 'Enter a valid date/time.'],
    ['created=2026-01-01T00:00:00+19:00', 'created', 'Enter a valid date/time.'],
  ])('reject %s', async (query, parameter, message) => {
    const { status, body } = await test.api.get(`/api/dcim/sites/?${query}`);
    expect([status, body]).toEqual([400, { [parameter]: [message] }]);
  });

  it('reject a pattern that is too complex, and cancel a pattern that takes too long', async () => {
    const complex = await test.api.get('/api/dcim/sites/', { query: { name__regex: '(((a?){50}){50}){50}$' } });
    expect([complex.status, complex.body]).toEqual([400, { name__regex: ['Enter a valid regular expression.'] }]);
    const endless = createPreparedQuery('SELECT pg_sleep(60)', []);
    const stopped = queryWithPatternTimeout(test.inventory.database, endless, {
      parameters: ['name__regex'],
      maxMs: 50,
    });
    await expect(stopped).rejects.toMatchObject({
      status: 400,
      fields: { body: { name__regex: ['This regular expression takes too long to match.'] } },
    });
  });
});

describe('unknown filters of a list', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory({ STRICT_FILTERS: 'false' });
  });
  afterAll(() => test.close());

  const strictly = (query: string) =>
    test.api.get(`/api/dcim/sites/?${query}`, { headers: { 'x-strict-filters': 'true' }, unchecked: true });

  it('have no effect by default', async () => {
    const query = 'nmae=x&cf_none=1&name__foo=x&id__in=1';
    expect((await test.api.get(`/api/dcim/sites/?${query}`, { unchecked: true })).status).toBe(200);
  });

  it.each([
    ['nmae=x', { nmae: ['Unknown filter. Did you mean name?'] }],
    ['nmae__ic=x', { nmae__ic: ['Unknown filter. Did you mean name__ic?'] }],
    [
      'id__in=1',
      { id__in: ['Unknown filter. id takes the lookups id__n, id__lte, id__lt, id__gte, id__gt, id__empty.'] },
    ],
    ['q__ic=1', { q__ic: ['Unknown filter. q takes no lookups.'] }],
    ['zzzzzz=1&id=x', { zzzzzz: ['Unknown filter.'], id: ['Enter a whole number.'] }],
  ])('cause status 400 with a suggested filter name in strict mode: %s', async (query, body) => {
    const response = await strictly(query);
    expect([response.status, response.body]).toEqual([400, body]);
  });

  it('exclude the parameters for pagination, ordering and fields in strict mode', async () => {
    const query = 'limit=1&offset=0&ordering=name&fields=id&omit=id&brief=true&exclude=config_context&format=json';
    expect((await strictly(query)).status).toBe(200);
    expect((await strictly('start=0&name__ic=a&name=')).status).toBe(200);
  });

  it('cause status 400 when STRICT_FILTERS is true', async () => {
    const strict = await startInventory({ STRICT_FILTERS: 'true' });
    const { status, body } = await strict.api.get('/api/ipam/vrfs/?statsu=x');
    expect([status, Object.keys(Object(body))]).toEqual([400, ['statsu']]);
    await strict.close();
  });
});
