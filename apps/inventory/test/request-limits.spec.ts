import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { startInventory, type TestInventory } from './support/test-service.js';

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory({
    FILTERS_MAX: '3',
    FILTER_VALUES_MAX: '4',
    ORDERING_NAMES_MAX: '2',
    PATTERN_LENGTH_MAX: '5',
    BULK_ITEMS_MAX: '2',
    ATTRIBUTE_PATHS_MAX: '2',
    ATTRIBUTE_DEPTH_MAX: '3',
    ATTRIBUTE_NAMES_MAX: '5',
  });
  for (const name of ['a', 'b', 'c']) {
    await test.api.post('/api/extras/tags/', { json: { name, slug: name } });
    await test.api.post('/api/dcim/sites/', { json: { name, slug: name, comments: 'aaaa', tags: [{ slug: 'a' }] } });
  }
  await test.api.patch('/api/dcim/sites/1/', { json: { tags: [{ slug: 'a' }, { slug: 'b' }] } });
});

afterAll(() => test.close());

describe('GET of a list', () => {
  it.each([
    ['name=1&slug=1&facility=1&status=1', { __all__: ['Give at most 3 different parameters (there are 4).'] }],
    ['name=1&name=2&name=3&name=4&name=5', { name: ['Give at most 4 values (there are 5).'] }],
    ['ordering=name,slug,facility', { ordering: ['Give at most 2 names (there are 3).'] }],
    ['name__ic=abcdef', { name__ic: ['Ensure this value has at most 5 characters (it has 6).'] }],
    ['q=abcdef', { q: ['Ensure this value has at most 5 characters (it has 6).'] }],
    [
      'name__regex=abcdef',
      { name__regex: ['Enter a regular expression of at most 5 characters, without references.'] },
    ],
    [
      String.raw`name__regex=(a)\1`,
      { name__regex: ['Enter a regular expression of at most 5 characters, without references.'] },
    ],
  ])('rejects %s', async (query, expected) => {
    const { status, body } = await test.api.get(`/api/dcim/sites/?${query}`);
    expect([status, body]).toEqual([400, expected]);
  });

  it('returns each object once when filter values and ordering names are repeated', async () => {
    for (const query of ['name=a&name=b&name=a&name=b&name=a', 'name=a&name=b&ordering=name,-name,name,slug']) {
      const { status, body } = await test.api.get<{ count: number }>(`/api/dcim/sites/?${query}`);
      expect([status, body.count]).toEqual([200, 2]);
    }
  });

  it('uses only the first of equal names in ordering', async () => {
    const { body } = await test.api.get<{ results: { name: string }[] }>('/api/dcim/sites/?ordering=-name,name');
    expect(body.results.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    ['tag=a', 3],
    ['tag=a&tag=b', 1],
    ['tag=b&tag=a&tag=b', 1],
    ['tag=a&tag=b&tag=c', 0],
    ['tag__any=b&tag__any=c', 1],
    ['tag__n=b&tag__n=c', 2],
    ['tag_id=1&tag_id=01', 3],
    ['name__ic=a&name__ic=b', 2],
    ['name__nic=a&name__nic=b', 1],
    ['name__ie=A&name__ie=B', 2],
    ['name__regex=^a&name__regex=^c', 2],
    ['id__lt=2&id__lt=3', 2],
  ])('matches any of several values: %s', async (query, count) => {
    const { status, body } = await test.api.get<{ count: number }>(`/api/dcim/sites/?${query}`);
    expect([status, body.count]).toEqual([200, count]);
  });
});

describe('attributes of related objects', () => {
  const response = async (site: unknown): Promise<readonly unknown[]> => {
    const { status, body } = await test.api.post('/api/dcim/racks/', { json: { name: 'x', site } });
    return [status, body];
  };

  it.each([
    [{ name: 'a', slug: 'a', status: 'active' }, 'Give at most 2 attributes of a related object.'],
    [{ region__parent__parent__name: 'a' }, 'An attribute path has at most 3 names.'],
    [{ region: { parent: { parent: { name: 'a' } } } }, 'An attribute path has at most 3 names.'],
    [{ name__in: ['a', 'b', 'c', 'd', 'e'] }, 'Give at most 4 values (there are 5).'],
    [{ name__icontains: 'abcdef' }, 'Ensure this value has at most 5 characters (it has 6).'],
    [{ comments__regex: String.raw`(a)\1` }, 'Enter a regular expression of at most 5 characters, without references.'],
  ])('rejects the attributes %j', async (site, message) => {
    expect(await response(site)).toEqual([400, { site: [message] }]);
  });

  it('rejects a list with too many attribute names in total', async () => {
    const json = ['a', 'b'].map((name) => ({ name, site: { region__parent__name: name } }));
    const { status, body } = await test.api.post('/api/dcim/racks/', { json });
    expect([status, body]).toEqual([
      400,
      { non_field_errors: ['Give at most 5 names in attributes of related objects (there are 6).'] },
    ]);
  });
});

describe('POST and PATCH of a list', () => {
  it.each(['post', 'patch', 'delete'] as const)('respond 400 if the list is too long: %s', async (method) => {
    const json = [1, 2, 3].map((id) => ({ id, name: `n${id}`, slug: `n${id}` }));
    const { status, body } = await test.api[method]('/api/dcim/sites/', { json });
    expect([status, body]).toEqual([400, { non_field_errors: ['Give at most 2 objects (there are 3).'] }]);
  });
});

describe('patterns in custom fields and permissions', () => {
  it('reject regular expressions with back references', async () => {
    const expression = String.raw`(a)\1`;
    const message = 'Enter a regular expression of at most 5 characters, without references.';
    const field = { name: 'f', type: 'text', object_types: ['dcim.site'], validation_regex: expression };
    const { status, body } = await test.api.post('/api/extras/custom-fields/', { json: field });
    expect([status, body]).toEqual([400, { validation_regex: [message] }]);
    const permission = {
      name: 'p',
      object_types: ['dcim.site'],
      actions: ['view'],
      constraints: { name__regex: expression },
    };
    const refused = await test.api.post('/api/users/permissions/', { json: permission });
    expect([refused.status, refused.body]).toEqual([
      400,
      { constraints: [`Invalid filter for dcim.site: ${message}`] },
    ]);
  });

  it('cause status 400 for a write when a stored pattern takes too long', async () => {
    const { database } = test.inventory;
    await database.query(`INSERT INTO extras_customfield (name, type, object_types, validation_regex)
      VALUES ('old', 'text', '{dcim.region}', '^(a+)(a+)(a+)(a+)(a+)x\\1\\2\\3\\4\\5c$')`);
    // This change makes the service read the custom fields again.
    await test.api.post('/api/extras/custom-fields/', {
      json: { name: 'new', type: 'text', object_types: ['dcim.site'] },
    });
    const json = { name: 'r', slug: 'r', custom_fields: { old: `${'a'.repeat(150)}x${'a'.repeat(149)}c` } };
    const { status, body } = await test.api.post('/api/dcim/regions/', { json });
    expect([status, body]).toEqual([400, { custom_fields: ['This regular expression takes too long to match.'] }]);
  });
});

describe('settings that limit requests', () => {
  it('have the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      FILTERS_MAX: 100,
      FILTER_VALUES_MAX: 2_000,
      ORDERING_NAMES_MAX: 20,
      PATTERN_LENGTH_MAX: 300,
      ATTRIBUTE_PATHS_MAX: 40,
      ATTRIBUTE_DEPTH_MAX: 6,
    });
  });
});
