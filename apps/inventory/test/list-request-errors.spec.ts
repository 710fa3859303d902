import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

let test: TestInventory;
let ids: readonly number[];

const regions = '/api/dcim/regions/';
const notObject = { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] };

beforeAll(async () => {
  test = await startInventory();
  const json = ['a', 'b'].map((slug) => ({ name: slug, slug }));
  const { body } = await test.api.post<{ id: number }[]>(regions, { json });
  ids = body.map(({ id }) => id);
});

afterAll(() => test.close());

describe('POST of a list', () => {
  it('returns an error list as long as the request, with {} for each valid object', async () => {
    const json = [{ name: 'c', slug: 'c' }, { name: 'd' }, 5];
    const { status, body } = await test.api.post(regions, { json });
    expect([status, body]).toEqual([400, [{}, { slug: ['This field is required.'] }, notObject]]);
  });
});

describe('PATCH of a list', () => {
  it('returns the field errors of the first invalid object', async () => {
    const json = [
      { id: ids[0], description: 'y' },
      { id: ids[1], slug: 'bad slug' },
    ];
    const { status, body } = await test.api.patch(regions, { json });
    const message = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
    expect([status, body]).toEqual([400, { slug: [message] }]);
  });

  it.each([
    [[{ x: 1 }], [{ id: ['This field is required.'] }]],
    [[{ id: null }], [{ id: ['This field may not be null.'] }]],
    [[{ id: 'abc' }], [{ id: ['A valid integer is required.'] }]],
    [
      [1, { id: 1 }],
      [notObject, {}],
    ],
  ])('rejects %j', async (json, expected) => {
    const { status, body } = await test.api.patch(regions, { json });
    expect([status, body]).toEqual([400, expected]);
    expect((await test.api.delete(regions, { json })).body).toEqual(expected);
  });

  it('responds 412 to PATCH and DELETE when If-Match does not match every object', async () => {
    // The objects of one request have the same ETag until one of them changes.
    await test.api.patch(`${regions}${ids[0]}/`, { json: {} });
    const etags = await Promise.all(
      ids.map(async (id) => String((await test.api.get(`${regions}${id}/`)).headers['etag'])),
    );
    const json = ids.map((id) => ({ id }));
    for (const match of [etags[0] ?? '', 'W/"stale"']) {
      const headers = { 'if-match': match };
      expect((await test.api.patch(regions, { json, headers })).status).toBe(412);
      expect((await test.api.delete(regions, { json, headers })).status).toBe(412);
    }
    expect((await test.api.patch(regions, { json, headers: { 'if-match': etags.join(', ') } })).status).toBe(200);
    expect((await test.api.patch(regions, { json, headers: { 'if-match': '*' } })).status).toBe(200);
  });
});

describe('validation errors of one object', () => {
  it('name unknown related ids together with errors of other fields', async () => {
    const json = { name: '', slug: 'x', region: 999_999, tenant: 999_998 };
    const { status, body } = await test.api.post<Json>('/api/dcim/sites/', { json });
    const unknown = (id: number) => [`Related object not found using the provided numeric ID: ${id}`];
    const expected = { name: ['This field may not be blank.'], region: unknown(999_999), tenant: unknown(999_998) };
    expect([status, body]).toEqual([400, expected]);
  });

  it('contain a flat error list for object types, and nested error lists for ranges', async () => {
    const tag = await test.api.post<Json>('/api/extras/tags/', {
      json: { name: 't', slug: 't', object_types: ['a.b', 'c.d'] },
    });
    expect(tag.body).toEqual({ object_types: ['Invalid content type: a.b'] });
    const message = ['Ranges must be specified in the form (lower, upper).'];
    const json = { name: 'g', slug: 'g', vid_ranges: [[1, 2], 5] };
    expect((await test.api.post('/api/ipam/vlan-groups/', { json })).body).toEqual({ vid_ranges: [{}, message] });
  });

  it('contain errors of weak passwords under non_field_errors', async () => {
    const { body } = await test.api.post<Json>('/api/users/users/', {
      json: { username: 'x', password: 'aaaaaaaaaaaa' },
    });
    expect(body['non_field_errors']).toContain('Password must have at least one numeral.');
  });
});
