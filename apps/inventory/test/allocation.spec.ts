import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const exhausted = {
  status: 409,
  body: { detail: 'Insufficient resources are available to satisfy the request' },
};

describe('POST /api/ipam/…/available-…/', () => {
  let test: TestInventory;
  let rir: number;
  beforeAll(async () => {
    test = await startInventory();
    rir = await make('rirs', { name: 'RFC 6996', slug: 'rfc-6996' });
  });
  afterAll(() => test.close());

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/ipam/${path}/`, { json });
    expect(status).toBe(201);
    return body.id;
  };
  const free = async (path: string, limit?: number): Promise<Json[]> => {
    const { status, body } = await test.api.get<Json[]>(`/api/ipam/${path}/`, {
      query: limit === undefined ? {} : { limit },
    });
    expect(status).toBe(200);
    return body;
  };
  const take = (path: string, json: unknown): Promise<{ status: number; body: unknown }> =>
    test.api.post<unknown>(`/api/ipam/${path}/`, { json });
  const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => run(index)));
  const values = (responses: readonly { body: unknown }[], key: string): unknown[] =>
    responses.map(({ body }) => new Map(Object.entries(Object(body))).get(key));

  it('allocates different addresses to 50 concurrent clients, and responds 409 to the next request', async () => {
    const id = await make('prefixes', { prefix: '10.1.0.0/26' });
    await make('ip-addresses', { address: '10.1.0.7/32' });
    const responses = await times(50, () => take(`prefixes/${id}/available-ips`, {}));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const given = new Set(values(responses, 'address'));
    expect(given.size).toBe(50);
    expect(given).not.toContain('10.1.0.7/26');
    expect(await take(`prefixes/${id}/available-ips`, Array(12).fill({}))).toMatchObject(exhausted);
    expect((await take(`prefixes/${id}/available-ips`, Array(11).fill({}))).status).toBe(201);
    expect(await free(`prefixes/${id}/available-ips`)).toEqual([]);
    expect(await take(`prefixes/${id}/available-ips`, {})).toMatchObject(exhausted);
  });

  it('never allocates an address twice, even when prefixes and ranges overlap', async () => {
    const vrf = await make('vrfs', { name: 'Lax', enforce_unique: false });
    const outer = await make('prefixes', { prefix: '10.2.0.0/24', vrf });
    const inner = await make('prefixes', { prefix: '10.2.0.0/25', vrf });
    const range = await make('ip-ranges', { start_address: '10.2.0.1/24', end_address: '10.2.0.100/24', vrf });
    const paths = [`prefixes/${outer}`, `prefixes/${inner}`, `ip-ranges/${range}`];
    const responses = await times(30, (index) =>
      index % 5 === 4
        ? take('ip-addresses', { address: `10.2.0.${index * 2}/24`, vrf })
        : take(`${paths[index % 3]}/available-ips`, {}),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const hosts = values(responses, 'address').map((address) => String(address).split('/', 1)[0]);
    const allocated = hosts.filter((_, index) => index % 5 !== 4);
    expect(new Set(allocated).size).toBe(allocated.length);
  });

  it('omits network and broadcast addresses, unless the prefix is a pool', async () => {
    const small = await make('prefixes', { prefix: '10.3.0.0/29' });
    const shown = await free(`prefixes/${small}/available-ips`, 2);
    expect(shown).toEqual([
      { family: 4, address: '10.3.0.1/29', vrf: null },
      { family: 4, address: '10.3.0.2/29', vrf: null },
    ]);
    expect(await free(`prefixes/${small}/available-ips`)).toHaveLength(6);
    const pool = await make('prefixes', { prefix: '10.3.1.0/29', is_pool: true });
    expect(await free(`prefixes/${pool}/available-ips`, 0)).toHaveLength(8);
    const pair = await make('prefixes', { prefix: '10.3.2.0/31' });
    expect(await free(`prefixes/${pair}/available-ips`)).toHaveLength(2);
    const six = await make('prefixes', { prefix: '2001:db8::/64' });
    expect((await free(`prefixes/${six}/available-ips`))[0]).toEqual({
      family: 6,
      address: '2001:db8::1/64',
      vrf: null,
    });
  });

  it('skips populated ranges, and respects addresses of all VRFs in a container prefix of the global table', async () => {
    const vrf = await make('vrfs', { name: 'Red', rd: '65000:1' });
    const container = await make('prefixes', { prefix: '10.4.0.0/28', status: 'container' });
    await make('ip-addresses', { address: '10.4.0.1/28', vrf });
    const range = await make('ip-ranges', {
      start_address: '10.4.0.3/28',
      end_address: '10.4.0.14/28',
      mark_populated: true,
    });
    expect((await free(`prefixes/${container}/available-ips`)).map(({ address }) => address)).toEqual(['10.4.0.2/28']);
    expect(await free(`ip-ranges/${range}/available-ips`)).toEqual([]);
    const refused = await take('ip-addresses', { address: '10.4.0.5/28' });
    expect(refused).toMatchObject({
      status: 400,
      body: { address: ['Cannot create IP address 10.4.0.5/28 inside range 10.4.0.3-14/28.'] },
    });
  });

  it('accepts a list of requested addresses, and returns objects or errors in the same order', async () => {
    const id = await make('prefixes', { prefix: '10.5.0.0/24' });
    const { status, body } = await take(`prefixes/${id}/available-ips`, [
      { dns_name: 'one.example', address: '192.0.2.1/32' },
      { description: 'two', prefix_length: 32 },
    ]);
    expect(status).toBe(201);
    expect(body).toMatchObject([
      { address: '10.5.0.1/24', dns_name: 'one.example' },
      { address: '10.5.0.2/32', description: 'two' },
    ]);
    expect(await take(`prefixes/${id}/available-ips`, [])).toMatchObject({ status: 201, body: [] });
    const bad = await take(`prefixes/${id}/available-ips`, [{}, { status: 'nope' }]);
    expect(bad).toMatchObject({ status: 400, body: [{}, { status: ['nope is not a valid choice.'] }] });
    expect((await free(`prefixes/${id}/available-ips`, 1))[0]).toMatchObject({ address: '10.5.0.3/24' });
  });

  it('responds 404 for an unknown prefix, 403 without a token and 405 to PUT', async () => {
    const id = await make('prefixes', { prefix: '10.250.0.0/24' });
    expect((await test.api.get('/api/ipam/prefixes/99999/available-ips/')).status).toBe(404);
    expect((await test.stranger.get(`/api/ipam/prefixes/${id}/available-ips/`)).status).toBe(403);
    expect((await test.api.put(`/api/ipam/prefixes/${id}/available-ips/`, { json: {}, unchecked: true })).status).toBe(
      405,
    );
  });

  it('allocates the first block that fits each prefix length, and different blocks to 50 clients', async () => {
    const id = await make('prefixes', { prefix: '10.6.0.0/22' });
    await make('prefixes', { prefix: '10.6.0.0/26' });
    const path = `prefixes/${id}/available-prefixes`;
    expect((await free(path)).map(({ prefix }) => prefix)).toEqual([
      '10.6.0.64/26',
      '10.6.0.128/25',
      '10.6.1.0/24',
      '10.6.2.0/23',
    ]);
    const { body } = await take(path, [{ prefix_length: 24 }, { prefix_length: 27, status: 'reserved' }]);
    expect(body).toMatchObject([
      { prefix: '10.6.1.0/24', _depth: 1 },
      { prefix: '10.6.0.64/27', status: { value: 'reserved' } },
    ]);
    const responses = await times(50, () => take(path, { prefix_length: 30 }));
    expect(new Set(values(responses, 'prefix')).size).toBe(50);
    expect(await take(path, { prefix_length: 22 })).toMatchObject(exhausted);
  });

  it('rejects an invalid prefix length with an error that names the cause', async () => {
    const path = `prefixes/${await make('prefixes', { prefix: '10.7.0.0/29' })}/available-prefixes`;
    const problems: [Json, string][] = [
      [{}, 'this field can not be missing'],
      [{ prefix_length: '30' }, 'this field must be int type'],
      [{ prefix_length: 33 }, 'Invalid prefix length (33) for IPv4'],
      [{ prefix_length: 8 }, 'Prefix length must be greater than or equal to the parent mask length (29)'],
    ];
    for (const [json, prefix_length] of problems) {
      expect(await take(path, json)).toMatchObject({ status: 400, body: { 0: { prefix_length } } });
    }
  });

  it('allocates each AS number only once when ranges overlap', async () => {
    const low = await make('asn-ranges', { name: 'Low', slug: 'low', rir, start: 64_512, end: 64_531 });
    const high = await make('asn-ranges', { name: 'High', slug: 'high', rir, start: 64_512, end: 4_294_967_295 });
    expect(await free(`asn-ranges/${low}/available-asns`, 1)).toMatchObject([{ rir: { id: rir }, asn: 64_512 }]);
    const responses = await times(20, (index) => take(`asn-ranges/${index % 2 === 0 ? low : high}/available-asns`, {}));
    const given = responses.filter(({ status }) => status === 201);
    expect(new Set(values(given, 'asn')).size).toBe(20);
    expect(given[0]?.body).toMatchObject({ rir: { id: rir } });
    expect(await take(`asn-ranges/${low}/available-asns`, [{}, {}])).toMatchObject(exhausted);
  });

  it('allocates the lowest free numbers in order, even if very many are used', async () => {
    const { database } = test.inventory;
    const range = { name: 'Wide', slug: 'wide', rir, start: 4_200_000_000, end: 4_294_967_294 };
    const id = await make('asn-ranges', range);
    await database.query(
      `INSERT INTO ipam_asn (asn, rir_id) SELECT 4200000000 + n, $1 FROM generate_series(0, 20000) n WHERE n % 100 <> 7`,
      [rir],
    );
    await database.query('ANALYZE ipam_asn');
    const path = `asn-ranges/${id}/available-asns`;
    const lowest = Array.from({ length: 5 }, (_, index) => 4_200_000_007 + index * 100);
    expect((await free(path, 5)).map(({ asn }) => asn)).toEqual(lowest);
    const { status, body } = await take(path, [{}, {}, {}]);
    expect([status, values([{ body: Object(body)[0] }, { body: Object(body)[2] }], 'asn')]).toEqual([
      201,
      [lowest[0], lowest[2]],
    ]);
    expect((await free(path, 300)).map(({ asn }) => asn).slice(196, 199)).toEqual([
      4_200_019_907, 4_200_020_001, 4_200_020_002,
    ]);
  });

  it('allocates VLAN ids only within the ranges of the VLAN group', async () => {
    const id = await make('vlan-groups', {
      name: 'Ten',
      slug: 'ten',
      vid_ranges: [
        [20, 29],
        [5, 6],
      ],
    });
    const path = `vlan-groups/${id}/available-vlans`;
    expect((await free(path, 3)).map(({ vid }) => vid)).toEqual([5, 6, 20]);
    expect((await free(path, 1))[0]).toMatchObject({ group: { id, name: 'Ten' } });
    const responses = await times(12, (index) => take(path, { name: `V${index}`, vid: 1 }));
    expect(
      values(responses, 'vid')
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual([5, 6, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    expect(await take(path, { name: 'One more' })).toMatchObject(exhausted);
    const nameless = await take(
      `vlan-groups/${await make('vlan-groups', { name: 'N', slug: 'n' })}/available-vlans`,
      {},
    );
    expect(nameless).toMatchObject({ status: 400, body: [{ name: ['This field is required.'] }] });
  });
});
