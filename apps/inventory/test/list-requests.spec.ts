import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

interface ListBody {
  readonly count: number;
  readonly next: string | null;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

describe('GET of a list', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const vrfs = async (query = ''): Promise<ListBody> => (await test.api.get<ListBody>(`/api/ipam/vrfs/?${query}`)).body;

  it('returns the exact count after concurrent creates, failures and deletes', async () => {
    const create = (name: string, rd: string | null = null) =>
      test.api.post<{ id: number }>('/api/ipam/vrfs/', { json: [{ name }, { name: `${name} b`, rd }] });
    await test.api.post('/api/ipam/vrfs/', { json: { name: 'Taken', rd: '1:1' } });
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    await Promise.all(
      numbers.map(async (number) => {
        const refused = number % 4 === 0;
        const { status, body } = await create(`VRF ${number}`, refused ? '1:1' : null);
        expect([number, status]).toEqual([number, refused ? 400 : 201]);
        if (!refused && Array.isArray(body) && number % 4 === 1) {
          await test.api.delete(`/api/ipam/vrfs/${String(Object(body[0])['id'])}/`);
        }
      }),
    );
    const { count } = await vrfs('limit=1');
    expect(count).toBe(1 + 30 * 2 - 10);
    expect((await vrfs('limit=1000')).results).toHaveLength(count);
    expect((await vrfs('name__empty=false')).count).toBe(count);
  });

  it('counts an unfiltered list without reading the rows of its table', async () => {
    const text = `EXPLAIN (FORMAT JSON) SELECT coalesce(sum(n), 0)::bigint FROM row_counts WHERE model = 'ipam.vrf'`;
    const { rows } = await test.inventory.database.query(text);
    expect(JSON.stringify(rows)).not.toContain('ipam_vrf');
  });

  it('sorts components by their parent object, also if the parent has no name', async () => {
    const [slug, name] = ['acme', 'Acme'];
    const surroundings = [
      ['dcim/manufacturers', { name, slug }],
      ['dcim/device-types', { manufacturer: { slug }, model: name, slug }],
      ['dcim/device-roles', { name, slug }],
      ['dcim/sites', { name, slug }],
    ] as const;
    for (const [path, json] of surroundings) expect((await test.api.post(`/api/${path}/`, { json })).status).toBe(201);
    const device = { device_type: { slug }, role: { slug }, site: { slug } };
    const made = await test.api.post<{ id: number }[]>('/api/dcim/devices/', {
      json: [device, { ...device, name }, device],
    });
    const ids = made.body.map(({ id }) => id);
    const interfaces = ids.flatMap((id) => [2, 10, 1].map((n) => ({ device: id, name: `eth${n}`, type: 'virtual' })));
    expect((await test.api.post('/api/dcim/interfaces/', { json: interfaces })).status).toBe(201);
    const sorted = async (ordering: string): Promise<string[]> => {
      const { body } = await test.api.get<ListBody>('/api/dcim/interfaces/', { query: { ordering } });
      return body.results.map(({ device: of, name: own }) => `${ids.indexOf(Number(Object(of)['id']))} ${String(own)}`);
    };
    const usual = [1, 0, 2].flatMap((index) => ['eth1', 'eth2', 'eth10'].map((own) => `${index} ${own}`));
    expect(await sorted('')).toEqual(usual);
    expect((await sorted('-device,name')).map((text) => text[0])).toEqual([...'222000111']);
    await test.api.delete('/api/dcim/devices/', { json: ids.map((id) => ({ id })) });
    await test.api.delete('/api/dcim/sites/', {
      json: (await test.api.get<{ results: object[] }>('/api/dcim/sites/')).body.results,
    });
  });

  it('sorts names naturally and case-insensitively in both directions', async () => {
    const names = ['Delta 10', 'delta 9', 'Delta 2', 'echo'];
    await test.api.post('/api/dcim/sites/', { json: names.map((name, slug) => ({ name, slug: `s${slug}` })) });
    const sorted = async (ordering: string) =>
      (await test.api.get<ListBody>('/api/dcim/sites/', { query: { ordering } })).body.results.map(({ name }) => name);
    const natural = ['Delta 2', 'delta 9', 'Delta 10', 'echo'];
    expect(await sorted('')).toEqual(natural);
    expect(await sorted('-name')).toEqual(natural.toReversed());
    expect(await sorted('nope,-status,name')).toEqual(natural);
  });

  it('pages by offset and by id, with every parameter in the links', async () => {
    for (const mode of ['offset=0', 'start=0']) {
      const seen: unknown[] = [];
      let url: string | null = `/api/dcim/sites/?${mode}&limit=3&name__isw=d&name__isw=e&fields=name`;
      while (url !== null) {
        const { body }: { body: ListBody } = await test.api.get<ListBody>(url.replace('http://localhost', ''));
        seen.push(...body.results.map(({ name }) => name));
        url = body.next;
      }
      expect(seen.toSorted()).toEqual(['Delta 10', 'Delta 2', 'delta 9', 'echo']);
    }
  });

  it('reuses one prepared statement when requests differ only in the values of their parameters', async () => {
    const spy = vi.spyOn(test.inventory.database.pool, 'query');
    for (const query of [
      { slug: 's1', limit: 7 },
      { slug: 'other', limit: 8 },
      { slug: 's3', limit: 9, nope: 1 },
    ]) {
      await test.api.get('/api/dcim/sites/', { query, unchecked: true });
    }
    const asked = spy.mock.calls.flatMap(([statement]) => {
      const { text }: { text?: string } = Object(statement);
      return text?.includes('dcim_site') === true ? [text] : [];
    });
    spy.mockRestore();
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
  });
});
