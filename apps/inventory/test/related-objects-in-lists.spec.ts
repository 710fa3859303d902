import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('fields that list related objects', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const create = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status]).toEqual([path, 201]);
    return body.id;
  };
  const find = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;

  it('GET /api/ipam/vrfs/{id}/ returns complete route targets instead of brief ones', async () => {
    const target = await create('ipam/route-targets', { name: '65000:1', comments: 'kept' });
    const vrf = await create('ipam/vrfs', { name: 'whole', import_targets: [target], export_targets: [target] });
    const shown = await find(`ipam/vrfs/${vrf}`);
    const alone = await find(`ipam/route-targets/${target}`);
    for (const name of ['import_targets', 'export_targets']) expect(shown[name]).toEqual([alone]);
    const { body } = await test.api.get<{ results: Json[] }>('/api/ipam/vrfs/');
    expect(body.results[0]?.['import_targets']).toEqual([alone]);
  });

  it('GET /api/dcim/regions/{id}/ returns the same prefix count as the corresponding filter of prefixes', async () => {
    const outer = await create('dcim/regions', { name: 'Outer', slug: 'outer' });
    const inner = await create('dcim/regions', { name: 'Inner', slug: 'inner', parent: outer });
    const group = await create('dcim/site-groups', { name: 'Group', slug: 'group' });
    const site = await create('dcim/sites', { name: 'Site', slug: 'site', region: inner, group });
    const location = await create('dcim/locations', { name: 'Hall', slug: 'hall', site });
    const scopes = [
      ['dcim.region', outer],
      ['dcim.region', inner],
      ['dcim.sitegroup', group],
      ['dcim.site', site],
      ['dcim.location', location],
    ] as const;
    for (const [index, [type, id]] of scopes.entries()) {
      await create('ipam/prefixes', { prefix: `10.${index}.0.0/16`, scope_type: type, scope_id: id });
    }
    const counted = async (path: string, id: number, filter: string): Promise<[unknown, unknown]> => {
      const { body } = await test.api.get<{ count: number }>(`/api/ipam/prefixes/?${filter}=${id}`);
      return [(await find(`${path}/${id}`))['prefix_count'], body.count];
    };
    expect(await counted('dcim/regions', outer, 'region_id')).toEqual([4, 4]);
    expect(await counted('dcim/regions', inner, 'region_id')).toEqual([3, 3]);
    expect(await counted('dcim/site-groups', group, 'site_group_id')).toEqual([3, 3]);
    expect(await counted('dcim/sites', site, 'site_id')).toEqual([2, 2]);
    expect(await counted('dcim/locations', location, 'location_id')).toEqual([1, 1]);
  });

  it('GET /api/tenancy/tenant-groups/ lists children below their parents', async () => {
    const last = await create('tenancy/tenant-groups', { name: 'Zeta', slug: 'zeta' });
    await create('tenancy/tenant-groups', { name: 'Beta', slug: 'beta' });
    await create('tenancy/tenant-groups', { name: 'Alpha', slug: 'alpha', parent: last });
    const { body } = await test.api.get<{ results: Json[] }>('/api/tenancy/tenant-groups/');
    expect(body.results.map(({ name }) => name)).toEqual(['Beta', 'Zeta', 'Alpha']);
  });

  it.each(['core/data-sources', 'ipam/vlan-translation-policies', 'ipam/vlan-translation-rules'])(
    'GET /api/%s/ accepts the filter tag, although objects of the model have no tags',
    async (path) => {
      const slug = path.replace('/', '-');
      await create('extras/tags', { name: slug, slug });
      const { body } = await test.api.get<{ count: number }>(`/api/${path}/?tag=${slug}`);
      expect(body.count).toBe(0);
      const unknown = await test.api.get(`/api/${path}/?tag=unknown`);
      expect(unknown.status).toBe(400);
    },
  );
});
