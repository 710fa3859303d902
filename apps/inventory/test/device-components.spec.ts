import type { Database } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InventoryChange } from '../src/changes/topic.js';
import { startInventory, type TestInventory } from './support/harness.js';
import { holdOpen } from './support/row-locks.js';
import { permittedUser } from './support/permitted-user.js';

type Json = Record<string, unknown>;

interface List {
  readonly count: number;
  readonly results: readonly Json[];
}

/** Counts the statements in transactions during a request that creates something. */
async function statementsOf(database: Database, send: () => Promise<{ readonly status: number }>): Promise<number> {
  const original = database.inTransaction.bind(database);
  let count = 0;
  database.inTransaction = (run, options) =>
    original((tx) => {
      const query = tx.query.bind(tx);
      tx.query = (...given: Parameters<typeof query>) => {
        count += 1;
        return query(...given);
      };
      return run(tx);
    }, options);
  try {
    expect((await send()).status).toBe(201);
  } finally {
    database.inTransaction = original;
  }
  return count;
}

describe('POST /api/dcim/devices/', () => {
  let test: TestInventory;
  let deviceType = 0;
  let plain = 0;
  const basics: Json = {};

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const list = async (path: string): Promise<List> => (await test.api.get<List>(`/api/${path}`)).body;
  const newType = async (slug: string): Promise<number> =>
    make('dcim/device-types', { manufacturer: basics['manufacturer'], model: slug, slug });
  const device = (name: string, more: Json = {}): Json => ({
    name,
    role: basics['role'],
    site: basics['site'],
    device_type: deviceType,
    ...more,
  });

  beforeAll(async () => {
    test = await startInventory({ CREATION_OBJECTS_MAX: '400', CREATION_IN_MEMORY_MAX: '30' });
    basics['manufacturer'] = await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
    basics['role'] = await make('dcim/device-roles', { name: 'Switch', slug: 'switch' });
    basics['site'] = await make('dcim/sites', { name: 'Here', slug: 'here' });
    plain = await newType('without-parts');
    deviceType = await newType('with-parts');
    const own = { device_type: deviceType };
    const bridge = await make('dcim/interface-templates', { ...own, name: 'br0', type: 'bridge' });
    const bridged = { ...own, type: '1000base-t', bridge };
    await make('dcim/interface-templates', { ...bridged, name: 'eth1' });
    await make('dcim/interface-templates', { ...bridged, name: 'eth2' });
    const chassis = await make('dcim/inventory-item-templates', { ...own, name: 'chassis' });
    const board = await make('dcim/inventory-item-templates', { ...own, name: 'board', parent: chassis });
    await make('dcim/inventory-item-templates', { ...own, name: 'chip', parent: board });
  });
  afterAll(() => test.close());

  it('creates a tree of inventory items from that of their templates', async () => {
    const ids = [await make('dcim/devices', device('tree-1')), await make('dcim/devices', device('tree-2'))];
    for (const id of ids) {
      const { results } = await list(`dcim/inventory-items/?device_id=${id}`);
      const names = new Map(results.map((item) => [item['id'], item['name']]));
      expect(results.map((item) => [item['name'], names.get(item['parent']) ?? null, item['_depth']])).toEqual([
        ['chassis', null, 0],
        ['board', 'chassis', 1],
        ['chip', 'board', 2],
      ]);
    }
  });

  it('sends one event for each component, which shows the component in its last state', async () => {
    const { database } = test.inventory;
    await database.query('DELETE FROM queue.outbox');
    const id = await make('dcim/devices', device('events'));
    const { rows } = await database.query<{ payload: InventoryChange }>('SELECT payload FROM queue.outbox ORDER BY id');
    expect(rows.map(({ payload: { model, event, data } }) => [model, event, data['name']])).toEqual([
      ['dcim.device', 'created', 'events'],
      ...['br0', 'eth1', 'eth2'].map((name) => ['dcim.interface', 'created', name]),
      ...['chassis', 'board', 'chip'].map((name) => ['dcim.inventoryitem', 'created', name]),
    ]);
    const bridge = rows[1]?.payload.id;
    expect(rows[2]?.payload).toMatchObject({
      data: { device: { id }, bridge: { id: bridge } },
      snapshots: { prechange: null, postchange: { bridge } },
    });
    expect(new Set(rows.map(({ payload }) => payload.requestId)).size).toBe(1);
  });

  it('does not wait for a transaction that renames an inventory item of another device', async () => {
    const id = await make('dcim/devices', device('renamed'));
    const hold = await holdOpen(test.inventory.database, (tx) =>
      tx.query(`UPDATE dcim_inventoryitem SET name = 'other ' || name WHERE device_id = $1`, [id]),
    );
    try {
      await make('dcim/devices', device('beside a renaming'));
    } finally {
      await hold.release();
    }
  });

  it('creates components for a user who may add devices alone', async () => {
    const { api } = await permittedUser(test, { types: ['dcim.device'], actions: ['add', 'view'], constraints: null });
    const { status, body } = await api.post<Json>('/api/dcim/devices/', { json: device('by a plain user') });
    expect([status, body['interface_count'], body['inventory_item_count']]).toEqual([201, 3, 3]);
  });

  it('creates nothing when the device would be outside the permission', async () => {
    const constraints = { name: 'another' };
    const { api } = await permittedUser(test, { types: ['dcim.device'], actions: ['add'], constraints });
    const before = await list('dcim/interfaces/?limit=1');
    const { status } = await api.post('/api/dcim/devices/', { json: device('outside') });
    expect([status, await list('dcim/interfaces/?limit=1')]).toEqual([403, before]);
  });

  it('sends as many statements for 20 devices as for two', async () => {
    const counts: number[] = [];
    for (const [name, length] of Object.entries({ two: 2, twenty: 20 })) {
      const json = Array.from({ length }, (_, index) => device(`${name}-${index}`));
      counts.push(await statementsOf(test.inventory.database, () => test.api.post('/api/dcim/devices/', { json })));
    }
    expect(counts[0]).toBeGreaterThan(10);
    expect(counts[1]).toBe(counts[0]);
    expect(await list('dcim/inventory-items/?device=twenty-19')).toMatchObject({ count: 3 });
  });

  it('creates the components of devices of several types in one request', async () => {
    const other = await newType('with-console');
    await make('dcim/console-port-templates', { device_type: other, name: 'con{vc_position:1}' });
    const json = [
      device('mixed-1', { device_type: other }),
      device('mixed-2', { device_type: plain }),
      device('mixed-3'),
    ];
    const { body } = await test.api.post<Json[]>('/api/dcim/devices/', { json });
    const counts = ['console_port_count', 'interface_count', 'inventory_item_count'];
    expect(body.map((one) => counts.map((name) => one[name]))).toEqual([
      [1, 0, 0],
      [0, 0, 0],
      [0, 3, 3],
    ]);
    expect(await list(`dcim/console-ports/?device=mixed-1`)).toMatchObject({ results: [{ name: 'con1' }] });
    const { results } = await list(`core/object-changes/?changed_object_type=dcim.device&ordering=-id&limit=3`);
    const after = await list(`core/object-changes/?request_id=${String(results[0]?.['request_id'])}&ordering=id`);
    expect(after.results.map((change) => change['changed_object_type'])).toEqual([
      'dcim.device',
      'dcim.consoleport',
      'dcim.device',
      'dcim.device',
      ...Array<string>(3).fill('dcim.interface'),
      ...Array<string>(3).fill('dcim.inventoryitem'),
      ...Array<string>(2).fill('dcim.interface'),
    ]);
  });

  it('sends few statements for devices of which one brings many components', async () => {
    const { database } = test.inventory;
    const large = await newType('with-many');
    const templates = Array.from({ length: 300 }, (_, index) => ({
      device_type: large,
      name: `port ${index}`,
    }));
    await test.api.post('/api/dcim/console-port-templates/', { json: templates });
    const json = [
      device('large', { device_type: large }),
      ...Array.from({ length: 60 }, (_, n) => device(`small-${n}`, { device_type: plain })),
    ];
    await database.query('DELETE FROM queue.outbox');
    const count = await statementsOf(database, () => test.api.post('/api/dcim/devices/', { json }));
    expect(count).toBeLessThan(60);
    const { rows } = await database.query<{ n: number }>('SELECT count(*) AS n FROM queue.outbox');
    expect(rows).toEqual([{ n: 361 }]);
  });

  it('refuses two module bays that get one name', async () => {
    const equal = await newType('with-equal-bays');
    await make('dcim/module-bay-templates', { device_type: equal, name: 'bay 0' });
    await make('dcim/module-bay-templates', { device_type: equal, name: 'bay {vc_position}' });
    const { status, body } = await test.api.post('/api/dcim/devices/', {
      json: device('bays', { device_type: equal }),
    });
    expect([status, body]).toEqual([400, { detail: 'Component name conflict after resolving {vc_position}: bay 0' }]);
  });

  it('refuses with 400 what creates more than CREATION_OBJECTS_MAX, and creates nothing', async () => {
    const before = await list('dcim/devices/?limit=1');
    const json = Array.from({ length: 60 }, (_, index) => device(`many-${index}`));
    const { status, body } = await test.api.post<Json>('/api/dcim/devices/', { json });
    expect([status, String(body['detail'])]).toEqual([400, expect.stringContaining('420 objects in total')]);
    expect(await list('dcim/devices/?limit=1')).toEqual(before);
  });

  it('deletes the components with their device, each with a change record', async () => {
    const id = await make('dcim/devices', device('deleted'));
    const { headers } = await test.api.delete(`/api/dcim/devices/${id}/`);
    const { results } = await list(`core/object-changes/?request_id=${String(headers['x-request-id'])}&limit=100`);
    const deleted = results.filter(({ action }) => (action as Json)['value'] === 'delete');
    expect(new Set(deleted.map((change) => change['object_repr']))).toEqual(
      new Set(['deleted', 'br0', 'eth1', 'eth2', 'chassis', 'board', 'chip']),
    );
  });
});
