import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser, removePermittedUsers } from './support/permitted-user.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';

type Json = Record<string, unknown>;
interface Entry {
  readonly prechange_data: Json;
  readonly postchange_data: Json;
}

const sites = '/api/dcim/sites/';

let test: TestInventory;
let names = 0;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

async function makeSite(more: Json = {}): Promise<number> {
  names += 1;
  const json = { name: `Site ${names}`, slug: `site-${names}`, ...more };
  return (await test.api.post<{ id: number }>(sites, { json })).body.id;
}

describe('PATCH /api/dcim/sites/{id}/', () => {
  it('records only its own change after waiting for a request that changed the tags', async () => {
    const { database } = test.inventory;
    await test.api.post('/api/extras/tags/', { json: { name: 'Alpha', slug: 'alpha' } });
    const site = await makeSite();
    const path = `${sites}${site}/`;
    const hold = await runInOpenTransaction(database, (tx) =>
      tx.query('SELECT FROM dcim_site WHERE id = $1 FOR UPDATE', [site]),
    );
    const tagging = test.api.patch(path, { json: { tags: [{ slug: 'alpha' }] } });
    await untilWaiting(database, 1);
    const describing = test.api.patch(path, { json: { description: 'described' } });
    await untilWaiting(database, 2);
    await hold.release();
    expect([(await tagging).status, (await describing).status]).toEqual([200, 200]);
    const query = { changed_object_type: 'dcim.site', changed_object_id: site, ordering: 'id' };
    const log = await test.api.get<{ results: Entry[] }>('/api/core/object-changes/', { query });
    const [made, tagged, described] = log.body.results;
    expect(tagged?.prechange_data).toEqual(made?.postchange_data);
    expect(described?.prechange_data).toEqual(tagged?.postchange_data);
    expect(described?.prechange_data).toMatchObject({ tags: ['Alpha'], description: '' });
    expect(described?.postchange_data).toMatchObject({ tags: ['Alpha'], description: 'described' });
  });
});

describe.each(['DELETE', 'PATCH'] as const)('%s /api/dcim/sites/{id}/', (method) => {
  it("responds 404 when the object no longer meets the user's permission after the lock wait", async () => {
    const { database } = test.inventory;
    const tenant = await test.api.post<{ id: number }>('/api/tenancy/tenants/', {
      json: { name: `Ours ${method}`, slug: `ours-${method.toLowerCase()}` },
    });
    const site = await makeSite({ tenant: tenant.body.id });
    const { api } = await permittedUser(test, {
      types: ['dcim.site'],
      actions: ['view', 'change', 'delete'],
      constraints: { tenant__name: `Ours ${method}` },
    });
    const hold = await runInOpenTransaction(database, async (tx) => {
      await tx.query('UPDATE dcim_site SET description = description WHERE id = $1', [site]);
      await tx.query("UPDATE tenancy_tenant SET name = 'Theirs ' || id WHERE id = $1", [tenant.body.id]);
    });
    const writing = api.request(method, `${sites}${site}/`, method === 'PATCH' ? { json: { description: 'x' } } : {});
    await untilWaiting(database, 1);
    await hold.release();
    expect((await writing).status).toBe(404);
    expect((await test.api.get(`${sites}${site}/`)).status).toBe(200);
    await removePermittedUsers(test);
  });
});

describe.each(['DELETE', 'PATCH'] as const)('%s /api/dcim/cables/{id}/', (method) => {
  it('locks connected objects before cable terminations, in the same order as deletions', async () => {
    const { database } = test.inventory;
    const make = async (path: string, json: Json): Promise<number> =>
      (await test.api.post<{ id: number }>(`/api/dcim/${path}/`, { json })).body.id;
    const [site, role, manufacturer] = [
      await makeSite(),
      await make('device-roles', { name: method, slug: method.toLowerCase() }),
      await make('manufacturers', { name: method, slug: method.toLowerCase() }),
    ];
    const type = await make('device-types', { manufacturer, model: 'Box', slug: 'box' });
    const device = await make('devices', { name: 'Box 1', site, role, device_type: type });
    const near = await make('interfaces', { device, name: 'near', type: '1000base-t' });
    const far = await make('interfaces', { device, name: 'far', type: '1000base-t' });
    const end = (id: number): Json[] => [{ object_type: 'dcim.interface', object_id: id }];
    const sides = { a_terminations: end(near), b_terminations: end(far) };
    const cable = await make('cables', sides);
    const hold = await runInOpenTransaction(database, (tx) =>
      tx.query('SELECT FROM dcim_interface WHERE id = $1 FOR NO KEY UPDATE', [near]),
    );
    const json = { label: 'One', ...sides };
    const writing = test.api.request(method, `/api/dcim/cables/${cable}/`, method === 'PATCH' ? { json } : {});
    await untilWaiting(database, 1);
    const free = 'SELECT id FROM dcim_cabletermination WHERE cable_id = $1 FOR UPDATE SKIP LOCKED';
    const { rows } = await database.query(free, [cable]);
    await hold.release();
    expect([(await writing).status, rows.length]).toEqual([method === 'PATCH' ? 200 : 204, 2]);
  });
});

/** Names of the tables of components whose lists are sorted by the name of the device. */
const componentTables = [
  'dcim_interface',
  'dcim_consoleport',
  'dcim_consoleserverport',
  'dcim_powerport',
  'dcim_poweroutlet',
  'dcim_frontport',
  'dcim_rearport',
  'dcim_modulebay',
  'dcim_devicebay',
];

describe('PATCH /api/dcim/devices/{id}/', () => {
  const add = (table: string): string => {
    const isTyped = ['dcim_interface', 'dcim_frontport', 'dcim_rearport'].includes(table);
    return `INSERT INTO ${table} (device_id, name${isTyped ? ', type' : ''}) VALUES ($1, $2${isTyped ? ", 'other'" : ''})`;
  };

  async function makeDevice(slug: string): Promise<number> {
    const make = async (path: string, json: Json): Promise<number> =>
      (await test.api.post<{ id: number }>(`/api/dcim/${path}/`, { json })).body.id;
    const role = await make('device-roles', { name: slug, slug });
    const manufacturer = await make('manufacturers', { name: slug, slug });
    const type = await make('device-types', { manufacturer, model: slug, slug, subdevice_role: 'parent' });
    return make('devices', { name: `${slug} before`, site: await makeSite(), role, device_type: type });
  }

  async function storedNames(device: number): Promise<unknown[]> {
    const read = componentTables.map((table) => `SELECT _device_name FROM ${table} WHERE device_id = $1`);
    const { rows } = await test.inventory.database.query<{ _device_name: unknown }>(read.join(' UNION ALL '), [device]);
    return rows.map((row) => row._device_name);
  }

  it.each([['after'], [null]])('updates the stored device name in components of each kind: %s', async (name) => {
    const device = await makeDevice(`renamed-${name}`);
    for (const table of componentTables) await test.inventory.database.query(add(table), [device, 'one']);
    const unchanged = componentTables.map(() => `renamed-${name} before`);
    expect(await storedNames(device)).toEqual(unchanged);
    expect((await test.api.patch(`/api/dcim/devices/${device}/`, { json: { name } })).status).toBe(200);
    expect(await storedNames(device)).toEqual(componentTables.map(() => name));
  });

  it('renames the device in a component that is created concurrently', async () => {
    const { database } = test.inventory;
    const device = await makeDevice('first');
    const hold = await runInOpenTransaction(database, (tx) => tx.query(add('dcim_interface'), [device, 'one']));
    const renaming = test.api.patch(`/api/dcim/devices/${device}/`, { json: { name: 'first after' } });
    await untilWaiting(database, 1);
    await hold.release();
    expect((await renaming).status).toBe(200);
    expect(await storedNames(device)).toEqual(['first after']);
  });

  it('renames each device of a list in its components', async () => {
    const { database } = test.inventory;
    const devices = [await makeDevice('list-1'), await makeDevice('list-2')];
    for (const device of devices) await database.query(add('dcim_interface'), [device, 'one']);
    const json = devices.map((id, index) => ({ id, name: `list ${index} after` }));
    expect((await test.api.patch('/api/dcim/devices/', { json })).status).toBe(200);
    expect(await Promise.all(devices.map(storedNames))).toEqual([['list 0 after'], ['list 1 after']]);
  });

  it('waits for a change of a device bay without a deadlock', async () => {
    const { database } = test.inventory;
    const device = await makeDevice('bays');
    await database.query(add('dcim_devicebay'), [device, 'one']);
    let attempts = 0;
    const hold = await runInOpenTransaction(
      database,
      async (tx) => {
        attempts += 1;
        // If there is a deadlock, PostgreSQL aborts this transaction and not the renaming.
        await tx.query("SET LOCAL deadlock_timeout = '10ms'");
        await tx.query('SELECT FROM dcim_devicebay WHERE device_id = $1 FOR UPDATE', [device]);
      },
      (tx) =>
        tx.query(
          `UPDATE dcim_devicebay SET label = 'changed', device_id = device_id, installed_device_id = installed_device_id
           WHERE device_id = $1`,
          [device],
        ),
    );
    const renaming = test.api.patch(`/api/dcim/devices/${device}/`, { json: { name: 'bays after' } });
    await untilWaiting(database, 1);
    await hold.release();
    expect((await renaming).status).toBe(200);
    expect(attempts).toBe(1);
    expect(await storedNames(device)).toEqual(['bays after']);
  });

  it('makes concurrently created components wait, so that they store the new device name', async () => {
    const { database } = test.inventory;
    const device = await makeDevice('second');
    const rename = 'UPDATE dcim_device SET name = $2 WHERE id = $1';
    const hold = await runInOpenTransaction(database, (tx) => tx.query(rename, [device, 'second after']));
    const creating = test.api.post('/api/dcim/interfaces/', { json: { device, name: 'one', type: 'other' } });
    await untilWaiting(database, 1);
    await hold.release();
    expect((await creating).status).toBe(201);
    expect(await storedNames(device)).toEqual(['second after']);
  });
});
