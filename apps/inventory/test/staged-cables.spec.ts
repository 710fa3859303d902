import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ComparedServices } from './support/compared-services.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

/** Two services with the same data: one writes cables in memory, the other through temporary tables. */
let inMemory: TestInventory;
let staged: TestInventory;
let services: ComparedServices;

beforeAll(async () => {
  [inMemory, staged] = await Promise.all([
    startInventory({ DELETION_IN_MEMORY_MAX: '10000' }),
    startInventory({ CREATION_IN_MEMORY_MAX: '1', DELETION_IN_MEMORY_MAX: '1', UPDATE_IN_MEMORY_MAX: '1' }),
  ]);
  services = new ComparedServices(inMemory, staged);
});
afterAll(() => Promise.all([inMemory.close(), staged.close()]));

/** Creates the same objects in both services. Returns the ids of the objects, which are the same in both services. */
async function make(path: string, items: readonly Json[]): Promise<number[]> {
  const [one, other] = await Promise.all(
    [inMemory, staged].map(({ api }) => api.post<{ id: number }[]>(`/api/${path}/`, { json: items })),
  );
  const ids = (one?.body ?? []).map(({ id }) => id);
  expect([path, one?.status, ids]).toEqual([path, 201, other?.body.map(({ id }) => id)]);
  return ids;
}

const endsOf =
  (type: string) =>
  (...ids: readonly (number | undefined)[]): Json[] =>
    ids.map((id) => ({ object_type: `dcim.${type}`, object_id: id }));
const ports = endsOf('interface');

/** Ids of the objects that the tests connect with cables, by model. */
type PortIds = Readonly<Record<'device' | 'eth' | 'virtual' | 'rear' | 'front' | 'inlet' | 'outlet' | 'tag', number[]>>;

let names = 0;

async function makePorts(): Promise<PortIds> {
  names += 1;
  const name = `cabled-${names}`;
  const [manufacturer] = await make('dcim/manufacturers', [{ name, slug: name }]);
  const [type] = await make('dcim/device-types', [{ model: name, slug: name, manufacturer }]);
  const [role] = await make('dcim/device-roles', [{ name, slug: name }]);
  const [site] = await make('dcim/sites', [{ name, slug: name }]);
  const device = await make(
    'dcim/devices',
    [0, 1, 2].map((n) => ({ name: `${name}-${n}`, device_type: type, role, site })),
  );
  const on = (count: number, more: (n: number) => Json): Json[] =>
    Array.from({ length: count }, (_, n) => ({ device: device[n % 2], name: `${name}-${n}`, ...more(n) }));
  const rear = await make(
    'dcim/rear-ports',
    on(2, () => ({ type: '8p8c', positions: 2 })),
  );
  return {
    device,
    eth: await make(
      'dcim/interfaces',
      on(16, () => ({ type: '1000base-t' })),
    ),
    virtual: await make('dcim/interfaces', [{ device: device[2], name: 'virtual', type: 'virtual' }]),
    rear,
    front: await make(
      'dcim/front-ports',
      on(4, (n) => ({
        type: '8p8c',
        rear_ports: [{ position: 1, rear_port: rear[n % 2], rear_port_position: 1 + (n >> 1) }],
      })),
    ),
    inlet: await make(
      'dcim/power-ports',
      on(1, () => ({})),
    ),
    outlet: await make(
      'dcim/power-outlets',
      on(1, () => ({})),
    ),
    tag: await make('extras/tags', [{ name, slug: name }]),
  };
}

/** Returns cables between interfaces, through a panel, and of power. The second cable has two ends at each side. */
function createCableBodies({ eth, rear, front, inlet, outlet, tag }: PortIds): Json[] {
  return [
    { a_terminations: ports(eth[0]), b_terminations: ports(eth[1]), label: 'plain', changelog_message: 'why' },
    { a_terminations: ports(eth[2], eth[3]), b_terminations: ports(eth[4], eth[5]), profile: 'trunk-2c1p', tags: tag },
    { a_terminations: endsOf('rearport')(rear[1]), b_terminations: endsOf('rearport')(rear[0]) },
    { a_terminations: ports(eth[6]), b_terminations: endsOf('frontport')(front[0]) },
    { a_terminations: endsOf('frontport')(front[1]), b_terminations: ports(eth[7]), status: 'planned' },
    { a_terminations: endsOf('powerport')(inlet[0]), b_terminations: endsOf('poweroutlet')(outlet[0]) },
  ];
}

describe('POST /api/dcim/cables/ above CREATION_IN_MEMORY_MAX', () => {
  it('creates the same cables, paths, change records and events as a creation in memory', async () => {
    const found = await makePorts();
    const { eth, virtual, rear } = found;
    const since = await services.beginComparison();
    const statuses = [await services.writeInBoth('post', 'dcim/cables', createCableBodies(found))];
    const good = { a_terminations: ports(eth[8]), b_terminations: ports(eth[9]) };
    const bad: Json[] = [
      { a_terminations: ports(eth[10]), b_terminations: ports(eth[8]) },
      { a_terminations: ports(eth[10]), b_terminations: ports(eth[0]) },
      { a_terminations: ports(eth[10]), b_terminations: ports(999_999) },
      { a_terminations: ports(eth[10]), b_terminations: ports(virtual[0]) },
      { a_terminations: ports(eth[10]), b_terminations: [...ports(eth[11]), ...endsOf('rearport')(rear[0])] },
      { a_terminations: ports(eth[10]), b_terminations: [] },
      { a_terminations: ports(eth[10]), b_terminations: ports(eth[11]), length: 3 },
    ];
    for (const each of bad) statuses.push(await services.writeInBoth('post', 'dcim/cables', [good, each]));
    expect(statuses).toEqual([201, ...bad.map(() => 400)]);
    await services.expectEqualStates(since);
  });
});

describe('PATCH and PUT /api/dcim/cables/ above UPDATE_IN_MEMORY_MAX', () => {
  it('change the same cables, paths, change records and events as an update in memory', async () => {
    const found = await makePorts();
    const { eth, virtual } = found;
    const ids = await make('dcim/cables', createCableBodies(found));
    const since = await services.beginComparison();
    const [plain, trunk, between, front, planned] = ids;
    const all = (change: (n: number) => Json): Json[] => ids.map((id, n) => ({ id, ...change(n) }));
    const both = (one: Json, other: Json): Json[] => [
      { id: plain, ...one },
      { id: trunk, ...other },
    ];
    const requests: [items: Json[], status: number][] = [
      [all((n) => ({ label: `label ${n}`, changelog_message: n % 2 ? 'why' : '' })), 200],
      [all((n) => ({ status: n % 2 ? 'connected' : 'planned' })), 200],
      // The cables exchange ends.
      [both({ b_terminations: ports(eth[4]) }, { b_terminations: ports(eth[1], eth[5]) }), 200],
      [both({ a_terminations: ports(eth[8]) }, { a_terminations: ports(eth[2]), profile: null }), 200],
      [both({ a_terminations: [] }, {}), 200],
      [[between, front, planned].map((id) => ({ id, length: 2, length_unit: 'm' })), 200],
      [both({ a_terminations: ports(eth[8]) }, { a_terminations: ports(eth[8]) }), 400],
      [both({ a_terminations: ports(eth[8]) }, { a_terminations: ports(virtual[0]) }), 400],
      [both({ label: 'x' }, { profile: 'trunk-2c1p', a_terminations: ports(eth[8], eth[9], eth[10]) }), 400],
    ];
    const statuses: number[] = [];
    for (const [items] of requests) statuses.push(await services.writeInBoth('patch', 'dcim/cables', items));
    expect(statuses).toEqual(requests.map(([, status]) => status));
    const put = both(
      { a_terminations: ports(eth[10]), b_terminations: ports(eth[11]) },
      { a_terminations: ports(eth[12]), b_terminations: ports(eth[13]) },
    );
    expect(await services.writeInBoth('put', 'dcim/cables', put)).toBe(200);
    await services.expectEqualStates(since);
  });
});

describe('DELETE /api/dcim/devices/ above DELETION_IN_MEMORY_MAX', () => {
  it('deletes the same cabled ports and paths as a deletion in memory', async () => {
    const found = await makePorts();
    await make('dcim/cables', createCableBodies(found));
    const since = await services.beginComparison();
    const devices = found.device.slice(0, 1).map((id) => ({ id }));
    expect(await services.writeInBoth('delete', 'dcim/devices', devices)).toBe(204);
    await services.expectEqualStates(since);
  });
});

/** Runs `send`. Returns the largest number of rows with long texts, such as the JSON of objects, that a statement returned. */
async function countRowsOfLargestResult({ database }: TestInventory['inventory'], send: () => Promise<unknown>) {
  let largest = 0;
  const original = database.inTransaction.bind(database);
  const observed = vi.spyOn(database, 'inTransaction').mockImplementation((run, options) =>
    original((tx) => {
      const query = tx.query.bind(tx);
      vi.spyOn(tx, 'query').mockImplementation(async (statement, values) => {
        const result = await query<object>(statement, values);
        const isLong = (row: object): boolean =>
          Object.values(row).some((value) => typeof value === 'string' && value.length > 100);
        largest = Math.max(largest, result.rows.filter(isLong).length);
        return result as never;
      });
      return run(tx);
    }, options),
  );
  try {
    await send();
  } finally {
    observed.mockRestore();
  }
  return largest;
}

// This test follows those that compare the data of both services.
describe('POST and PATCH /api/dcim/cables/', () => {
  it('read at most 500 objects in one statement, also those that the cables connect', async () => {
    const { api, inventory } = inMemory;
    const [device] = (await makePorts()).device;
    const { rows } = await inventory.database.query<{ id: number }>(
      `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type)
        SELECT d.id, d.name, 'long ' || n, 'long ' || n, '1000base-t'
        FROM dcim_device d, generate_series(1, 520) n WHERE d.id = $1 RETURNING id`,
      [device],
    );
    const at = (index: number): Json[] => ports(rows[index]?.id);
    const cables = Array.from({ length: 260 }, (_, n) => ({
      a_terminations: at(2 * n),
      b_terminations: at(2 * n + 1),
    }));
    let ids: number[] = [];
    const most = await countRowsOfLargestResult(inventory, async () => {
      const { status, body } = await api.post<{ id: number }[]>('/api/dcim/cables/', { json: cables });
      ids = body.map(({ id }) => id);
      expect([status, ids.length]).toEqual([201, 260]);
    });
    const changes = ids.map((id) => ({ id, status: 'planned' }));
    const mostOfChange = await countRowsOfLargestResult(inventory, async () => {
      expect((await api.patch('/api/dcim/cables/', { json: changes })).status).toBe(200);
    });
    expect([most, mostOfChange]).toEqual([260, 260]);
  });
});
