import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceIn, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { statementsOf } from './support/record-list-statements.js';

type Json = Record<string, unknown>;

/** Number of interfaces that one virtual circuit connects with one another. */
const meshSize = 60;

let test: TestInventory;
let mesh: readonly number[];
let star: readonly number[];

const make = async (path: string, json: unknown): Promise<number> => {
  const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
  expect([path, status, body]).toEqual([path, 201, body]);
  return body.id;
};
const makeAll = async (path: string, json: readonly Json[]): Promise<readonly number[]> => {
  const { status, body } = await test.api.post<{ id: number }[]>(`/api/${path}/`, { json });
  expect([path, status]).toEqual([path, 201]);
  return body.map(({ id }) => id);
};

/** Creates a virtual circuit that has one interface for each of the given roles. Returns the ids of the interfaces. */
async function circuitOf(cid: string, roles: readonly string[]): Promise<readonly number[]> {
  const circuit = await make('circuits/virtual-circuits', {
    cid,
    provider_network: { name: 'Backbone' },
    type: { slug: 'wave' },
  });
  const own = { device: { name: 'Switch' }, type: 'virtual' };
  const interfaces = await makeAll(
    'dcim/interfaces',
    roles.map((_, index) => ({ ...own, name: `${cid} ${index}` })),
  );
  await makeAll(
    'circuits/virtual-circuit-terminations',
    roles.map((role, index) => ({ virtual_circuit: circuit, role, interface: interfaces[index] })),
  );
  return interfaces;
}

beforeAll(async () => {
  // The peers of a dozen interfaces fit into the limit, those of all do not.
  test = await startInventory({ UPDATE_TEXT_BYTES_MAX: '1000000', RESPONSE_MEMORY_BYTES: '0' });
  for (const { path, body } of [...deviceSurroundings, deviceIn('Switch')]) await make(path.slice(5, -1), body);
  await make('circuits/providers', { name: 'Carrier', slug: 'carrier' });
  await make('circuits/provider-networks', { provider: { slug: 'carrier' }, name: 'Backbone' });
  await make('circuits/virtual-circuit-types', { name: 'Wave', slug: 'wave' });
  mesh = await circuitOf('mesh', Array<string>(meshSize).fill('peer'));
  star = await circuitOf('star', ['hub', 'spoke', 'spoke', 'hub', 'spoke']);
});
afterAll(() => test.close());

/** Returns the names of the interfaces in a list of virtual circuit terminations. */
function namesOf(endpoints: unknown): readonly unknown[] {
  return (endpoints as { interface: Json }[]).map((one) => one.interface['name']);
}

describe('GET /api/dcim/interfaces/: connected_endpoints', () => {
  it('returns the same terminations of a virtual circuit in lists and in single objects', async () => {
    const { body } = await test.api.get<{ results: Json[] }>('/api/dcim/interfaces/', { query: { limit: 100 } });
    expect(body.results).toHaveLength(meshSize + 5);
    const listed = new Map(body.results.map((one) => [one['id'], one['connected_endpoints']]));
    for (const id of [...star, ...mesh.slice(0, 2)]) {
      const { body: object } = await test.api.get<Json>(`/api/dcim/interfaces/${id}/`);
      expect(listed.get(id)).toEqual(object['connected_endpoints']);
    }
    expect(namesOf(listed.get(star[0]))).toEqual(['star 1', 'star 2', 'star 4']);
    expect(namesOf(listed.get(star[4]))).toEqual(['star 0', 'star 3']);
    expect(namesOf(listed.get(mesh[1]))).toEqual(mesh.flatMap((_, n) => (n === 1 ? [] : `mesh ${n}`)));
  });

  it('computes each termination once for all interfaces of a page', async () => {
    const { database } = test.inventory;
    const { reading } = await statementsOf(test, 'dcim/interfaces/?limit=100');
    const explained = await database.query<{ 'QUERY PLAN': { Plan: Json }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${reading.text}`,
      reading.values,
    );
    const blocks = explained.rows[0]?.['QUERY PLAN'][0]?.Plan['Shared Hit Blocks'];
    expect(blocks).toBeLessThan(meshSize * meshSize * 2);
  });
});

describe('PATCH of a list of interfaces', () => {
  const patch = (ids: readonly number[]) =>
    test.api.patch<Json[]>('/api/dcim/interfaces/', { json: ids.map((id) => ({ id, description: 'changed' })) });

  it('responds 400 when the interfaces in the response would contain too many virtual circuit terminations', async () => {
    const { status, body } = await patch(mesh);
    expect([status, body]).toEqual([
      400,
      {
        non_field_errors: [
          'Write fewer objects in one request: these show more than 1000000 bytes of other objects, such as config contexts.',
        ],
      },
    ]);
    const some = await patch(mesh.slice(0, 12));
    expect([some.status, some.body.length]).toEqual([200, 12]);
    expect(some.body[0]?.['connected_endpoints']).toHaveLength(meshSize - 1);
  });
});
