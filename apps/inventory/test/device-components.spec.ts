import type { Database } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InventoryChange } from '../src/changes/inventory-change-message.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { observeStatements } from './support/record-observed-statements.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';
import { permittedUser } from './support/permitted-user.js';

type Json = Record<string, unknown>;

interface List {
  readonly count: number;
  readonly results: readonly Json[];
}

/**
 * Sends a request that creates an object. Returns the number of SQL statements that the request runs in transactions.
 */
async function statementsOf(database: Database, send: () => Promise<{ readonly status: number }>): Promise<number> {
  let count = 0;
  const { status } = await observeStatements(database, () => (count += 1), send);
  expect(status).toBe(201);
  return count;
}

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

describe('POST /api/dcim/devices/', () => {
  it('creates inventory items in the same tree structure as their templates', async () => {
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

  it('emits one event per component of the device, with the final state of the component', async () => {
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

  it("does not wait for a change of another device's inventory items", async () => {
    const id = await make('dcim/devices', device('renamed'));
    const hold = await runInOpenTransaction(test.inventory.database, (tx) =>
      tx.query(`UPDATE dcim_inventoryitem SET name = 'other ' || name WHERE device_id = $1`, [id]),
    );
    try {
      await make('dcim/devices', device('beside a renaming'));
    } finally {
      await hold.release();
    }
  });

  it('creates components for a user who may add only devices', async () => {
    const { api } = await permittedUser(test, { types: ['dcim.device'], actions: ['add', 'view'], constraints: null });
    const { status, body } = await api.post<Json>('/api/dcim/devices/', { json: device('by a plain user') });
    expect([status, body['interface_count'], body['inventory_item_count']]).toEqual([201, 3, 3]);
  });

  it('creates nothing when the constraints of the permission exclude the device', async () => {
    const constraints = { name: 'another' };
    const { api } = await permittedUser(test, { types: ['dcim.device'], actions: ['add'], constraints });
    const before = await list('dcim/interfaces/?limit=1');
    const { status } = await api.post('/api/dcim/devices/', { json: device('outside') });
    expect([status, await list('dcim/interfaces/?limit=1')]).toEqual([403, before]);
  });

  it('runs as many SQL statements for 50 devices as for 20', async () => {
    const counts: number[] = [];
    for (const [name, length] of Object.entries({ twenty: 20, fifty: 50 })) {
      const json = Array.from({ length }, (_, index) => device(`${name}-${index}`));
      counts.push(await statementsOf(test.inventory.database, () => test.api.post('/api/dcim/devices/', { json })));
    }
    expect(counts[0]).toBeGreaterThan(10);
    expect(counts[1]).toBe(counts[0]);
    expect(await list('dcim/inventory-items/?device=fifty-49')).toMatchObject({ count: 3 });
  });

  it('creates the components of several devices with different device types in one request', async () => {
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

  it('runs few SQL statements even if one device in the list has many components', async () => {
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

  it('links components to each other correctly while another transaction renames their templates', async () => {
    const { database } = test.inventory;
    const type = await newType('renamed-templates');
    const own = { device_type: type };
    const bridge = await make('dcim/interface-templates', { ...own, name: 'br0', type: 'bridge' });
    await make('dcim/interface-templates', { ...own, name: 'eth0', type: 'other', bridge });
    const rear = await make('dcim/rear-port-templates', { ...own, name: 'rear', type: 'mpo' });
    const rear_ports = [{ position: 1, rear_port: rear, rear_port_position: 1 }];
    await make('dcim/front-port-templates', { ...own, name: 'front', type: 'lc', rear_ports });
    const powerPort = await make('dcim/power-port-templates', { ...own, name: 'inlet' });
    await make('dcim/power-outlet-templates', { ...own, name: 'outlet', power_port: powerPort });
    const rename = async (): Promise<void> => {
      for (const table of ['powerport', 'interface', 'rearport', 'frontport']) {
        await database.query(`UPDATE dcim_${table}template SET name = 'new ' || name WHERE device_type_id = $1`, [
          type,
        ]);
      }
    };
    const parts = /INSERT INTO dcim_(?:poweroutlet|portmapping) |UPDATE dcim_interface i /u;
    const json = device('of renamed templates', own);
    const { status } = await observeStatements(
      database,
      (statement) => (parts.test(statement) ? rename() : null),
      () => test.api.post('/api/dcim/devices/', { json }),
    );
    expect(status).toBe(201);
    const { results } = await list('dcim/devices/?name=of%20renamed%20templates');
    const named = async (path: string) => (await list(`dcim/${path}/?device_id=${String(results[0]?.['id'])}`)).results;
    expect(await named('power-outlets')).toMatchObject([{ power_port: { name: 'inlet' } }]);
    expect((await named('interfaces')).map((one) => one['bridge'] !== null)).toEqual([false, true]);
    expect(await named('front-ports')).toMatchObject([{ rear_ports: [{ position: 1 }] }]);
  });

  it('rejects a device with two module bays that would have the same name', async () => {
    const equal = await newType('with-equal-bays');
    await make('dcim/module-bay-templates', { device_type: equal, name: 'bay 0' });
    await make('dcim/module-bay-templates', { device_type: equal, name: 'bay {vc_position}' });
    const { status, body } = await test.api.post('/api/dcim/devices/', {
      json: device('bays', { device_type: equal }),
    });
    expect([status, body]).toEqual([400, { detail: 'Component name conflict after resolving {vc_position}: bay 0' }]);
  });

  it('responds 400 above CREATION_OBJECTS_MAX objects, and creates nothing', async () => {
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

describe('POST /api/dcim/modules/', () => {
  let chassis = 0;
  let moduleType = 0;

  const newModuleType = async (model: string, interfaces: readonly Json[]): Promise<number> => {
    const id = await make('dcim/module-types', { manufacturer: basics['manufacturer'], model });
    for (const template of interfaces) {
      await make('dcim/interface-templates', { module_type: id, type: 'other', ...template });
    }
    return id;
  };
  /** Creates a device with two module bays. Returns the ids of the device and of its two bays. */
  const newChassis = async (name: string): Promise<[number, number, number]> => {
    const id = await make('dcim/devices', device(name, { device_type: chassis }));
    const { results } = await list(`dcim/module-bays/?device_id=${id}`);
    return [id, Number(results[0]?.['id']), Number(results[1]?.['id'])];
  };
  const add = (json: unknown) => test.api.post<Json>('/api/dcim/modules/', { json });
  const interfacesOf = async (id: number): Promise<unknown[]> =>
    (await list(`dcim/interfaces/?device_id=${id}`)).results.map((one) => [one['name'], one['module'] !== null]);

  beforeAll(async () => {
    chassis = await newType('chassis');
    for (const position of ['1', '2']) {
      await make('dcim/module-bay-templates', { device_type: chassis, name: `bay ${position}`, position });
    }
    moduleType = await newModuleType('Card', [{ name: 'br{module}' }, { name: 'eth{module}' }]);
    const { results } = await list(`dcim/interface-templates/?module_type_id=${moduleType}`);
    await test.api.patch(`/api/dcim/interface-templates/${String(results[1]?.['id'])}/`, {
      json: { bridge: results[0]?.['id'] },
    });
    const rear = await make('dcim/rear-port-templates', { module_type: moduleType, name: 'r{module}', type: 'mpo' });
    await make('dcim/front-port-templates', {
      module_type: moduleType,
      name: 'f{module}',
      type: 'lc',
      rear_ports: [{ position: 1, rear_port: rear, rear_port_position: 1 }],
    });
    await make('dcim/module-bay-templates', { module_type: moduleType, name: 'sub', position: '{module}a' });
  });

  it('adopts existing components of the device instead of creating components, and links them to each other', async () => {
    const { database } = test.inventory;
    const [id, bay] = await newChassis('adopting');
    await make('dcim/interfaces', { device: id, name: 'br1', type: 'bridge' });
    const bridged = await make('dcim/interfaces', { device: id, name: 'eth1', type: 'other', label: 'kept' });
    const rear = await make('dcim/rear-ports', { device: id, name: 'r1', type: 'mpo' });
    const front = await make('dcim/front-ports', { device: id, name: 'f1', type: 'lc' });
    const sub = await make('dcim/module-bays', { device: id, name: 'sub' });
    await database.query('DELETE FROM queue.outbox');
    const { status, body } = await add({
      device: id,
      module_bay: bay,
      module_type: moduleType,
      replicate_components: false,
      adopt_components: true,
    });
    expect([status, await interfacesOf(id)]).toEqual([
      201,
      [
        ['br1', true],
        ['eth1', true],
      ],
    ]);
    expect((await list(`dcim/interfaces/?id=${bridged}`)).results).toMatchObject([
      { module: { id: body['id'] }, bridge: { name: 'br1' }, label: 'kept' },
    ]);
    expect((await list(`dcim/front-ports/?id=${front}`)).results).toMatchObject([
      { rear_ports: [{ position: 1, rear_port: rear, rear_port_position: 1 }] },
    ]);
    expect((await list(`dcim/module-bays/?parent_id=${bay}`)).results).toMatchObject([{ id: sub, position: '' }]);
    const { rows } = await database.query<{ payload: InventoryChange }>('SELECT payload FROM queue.outbox ORDER BY id');
    expect(rows.map(({ payload: { model, event } }) => [model, event])).toEqual([
      ['dcim.module', 'created'],
      ...['interface', 'interface', 'rearport', 'frontport', 'modulebay'].map((kind) => [`dcim.${kind}`, 'updated']),
    ]);
    expect(rows[2]?.payload.data).toMatchObject({ name: 'eth1', bridge: { name: 'br1' } });
  });

  it('retains the port mappings of existing ports that a module adopts', async () => {
    const [id, bay] = await newChassis('mapped');
    const other = await make('dcim/rear-ports', { device: id, name: 'other', type: 'mpo' });
    const rear_ports = [{ position: 1, rear_port: other, rear_port_position: 1 }];
    const front = await make('dcim/front-ports', { device: id, name: 'f1', type: 'lc', rear_ports });
    await make('dcim/modules', { device: id, module_bay: bay, module_type: moduleType, adopt_components: true });
    expect((await list(`dcim/front-ports/?id=${front}`)).results).toMatchObject([{ rear_ports }]);
  });

  it('runs as many SQL statements for ten modules as for two', async () => {
    const { database } = test.inventory;
    const counts: number[] = [];
    for (const [name, length] of Object.entries({ pair: 2, crowd: 10 })) {
      const json: Json[] = [];
      for (let n = 0; n < length / 2; n += 1) {
        const [id, one, two] = await newChassis(`${name}-${n}`);
        json.push({ device: id, module_bay: one, module_type: moduleType });
        json.push({ device: id, module_bay: two, module_type: moduleType, adopt_components: true });
      }
      counts.push(await statementsOf(database, () => test.api.post('/api/dcim/modules/', { json })));
      const last = Number(json.at(-1)?.['device']);
      expect((await interfacesOf(last)).map((found) => Object(found)[0])).toEqual(['br1', 'br2', 'eth1', 'eth2']);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  it('creates components for a user who may add only modules', async () => {
    const [id, bay] = await newChassis('for a plain user');
    const { api } = await permittedUser(test, {
      types: ['dcim.module', 'dcim.device', 'dcim.modulebay', 'dcim.moduletype'],
      actions: ['add', 'view'],
      constraints: null,
    });
    const { status } = await api.post('/api/dcim/modules/', {
      json: { device: id, module_bay: bay, module_type: moduleType },
    });
    expect([status, (await interfacesOf(id)).length]).toEqual([201, 2]);
  });

  it('rejects the second of two modules that would create a component with the same name', async () => {
    const [id, one, two] = await newChassis('same names');
    const plain = await newModuleType('Fixed', [{ name: 'fixed' }]);
    const pair = (more: Json): Json[] =>
      [one, two].map((bay) => ({ device: id, module_bay: bay, module_type: plain, ...more }));
    const refusal = [{}, { non_field_errors: ['A Interface named fixed already exists'] }];
    const both = await add(pair({}));
    expect([both.status, both.body]).toEqual([400, refusal]);
    await make('dcim/interfaces', { device: id, name: 'fixed', type: 'other' });
    const adopting = await add(pair({ adopt_components: true, replicate_components: false }));
    expect([adopting.status, adopting.body, await interfacesOf(id)]).toEqual([400, refusal, [['fixed', false]]]);
  });

  it('creates a component that an earlier module in the same list looked for but did not find', async () => {
    const [id, one, two] = await newChassis('not found');
    const plain = await newModuleType('Not found', [{ name: 'fixed' }]);
    const { status } = await add([
      { device: id, module_bay: one, module_type: plain, adopt_components: true, replicate_components: false },
      { device: id, module_bay: two, module_type: plain },
    ]);
    expect([status, await interfacesOf(id)]).toEqual([201, [['fixed', true]]]);
  });

  it('rejects a module when another request concurrently adopts the same component', async () => {
    const { database } = test.inventory;
    const [id, one, two] = await newChassis('adopted meanwhile');
    const plain = await newModuleType('Adopted meanwhile', [{ name: 'fixed' }]);
    const taken = await make('dcim/interfaces', { device: id, name: 'fixed', type: 'other' });
    const none = { replicate_components: false, adopt_components: false };
    const owner = await make('dcim/modules', { device: id, module_bay: two, module_type: plain, ...none });
    const hold = await runInOpenTransaction(database, async (tx) => {
      await tx.query(`SELECT FROM dcim_device WHERE id = $1 FOR NO KEY UPDATE`, [id]);
      await tx.query(`UPDATE dcim_interface SET module_id = $2 WHERE id = $1`, [taken, owner]);
    });
    const options = { replicate_components: false, adopt_components: true };
    const adding = add({ device: id, module_bay: one, module_type: plain, ...options });
    await untilWaiting(database, 1, 30_000);
    await hold.release();
    const { status, body } = await adding;
    const refusal = { non_field_errors: ['Cannot adopt Interface fixed as it already belongs to a module'] };
    expect([status, body]).toEqual([400, refusal]);
  });

  it.each([
    ['{module}', '{module}-{module}', 'in a module bay tree 1 levels deep but 2 placeholders given.'],
    [`{module}${'x'.repeat(56)}`, '', 'is too long after resolving {module}.'],
  ])(
    'rejects a module if the template name and label are invalid for the bay: %s, %s',
    async (name, label, message) => {
      const [id, bay] = await newChassis(`does not fit: ${label}`);
      await test.api.patch(`/api/dcim/module-bays/${bay}/`, { json: { position: '1234567890' } });
      const wrong = await newModuleType(`Wrong ${label}`, [{ name, label }]);
      const { status, body } = await add({ device: id, module_bay: bay, module_type: wrong });
      expect([status, body]).toEqual([400, { non_field_errors: [expect.stringContaining(message)] }]);
    },
  );

  it('rejects a module when another request concurrently creates a component with the same name', async () => {
    const { database } = test.inventory;
    const [id, bay] = await newChassis('beside another request');
    const hold = await runInOpenTransaction(database, (tx) =>
      tx.query(`INSERT INTO dcim_interface (device_id, name, type) VALUES ($1, 'eth1', 'other')`, [id]),
    );
    const adding = add({ device: id, module_bay: bay, module_type: moduleType });
    await untilWaiting(database, 1, 30_000);
    await hold.release();
    const { status, body } = await adding;
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('A Interface named eth1 already exists'),
    ]);
  });

  it('writes change records for the bays inside a module that moves to another bay', async () => {
    const [id, one, two] = await newChassis('moving');
    const module = await make('dcim/modules', { device: id, module_bay: one, module_type: moduleType });
    const { headers } = await test.api.patch(`/api/dcim/modules/${module}/`, { json: { module_bay: two } });
    const { results } = await list(`core/object-changes/?request_id=${String(headers['x-request-id'])}&ordering=id`);
    expect(results).toMatchObject([
      { changed_object_type: 'dcim.module' },
      { changed_object_type: 'dcim.modulebay', prechange_data: { parent: one }, postchange_data: { parent: two } },
    ]);
  });
});
