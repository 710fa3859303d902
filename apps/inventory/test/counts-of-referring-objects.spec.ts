import { systemClock } from '@switchboard/platform';
import { FakeClock, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RowCountMerger, type RowCountTable, rowCountTables } from '../src/row-count-merger.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

function tableOf(name: string): RowCountTable {
  const found = rowCountTables.find(({ table }) => table === name);
  if (found === undefined) throw new Error(`no table of counts: ${name}`);
  return found;
}

describe('table reference_counts', () => {
  let test: TestInventory;
  let types: number[];
  let site: number;
  let role: number;
  beforeAll(async () => {
    test = await startInventory();
    site = await create('dcim/sites', { name: 'Site', slug: 'site' });
    role = await create('dcim/device-roles', { name: 'Role', slug: 'role' });
    const manufacturer = await create('dcim/manufacturers', { name: 'Maker', slug: 'maker' });
    const newType = (model: string): Promise<number> =>
      create('dcim/device-types', { manufacturer, model, slug: model.toLowerCase() });
    types = [await newType('One'), await newType('Two')];
  });
  afterAll(() => test.close());

  const create = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status]).toEqual([path, 201]);
    return body.id;
  };
  const device = (name: string, more: Json = {}): Json => ({ name, site, role, device_type: types[0], ...more });
  /**
   * Returns `device_count` of both device types from three sources: nested in a device, from the type's endpoint, and
   * by SQL COUNT.
   */
  const counts = async (): Promise<{ nested: number[]; own: number[]; stored: number[] }> => {
    const own: number[] = [];
    const nested: number[] = [];
    const stored: number[] = [];
    for (const type of types) {
      own.push((await test.api.get<{ device_count: number }>(`/api/dcim/device-types/${type}/`)).body.device_count);
      const { rows } = await test.inventory.database.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM dcim_device WHERE device_type_id = $1',
        [type],
      );
      stored.push(rows[0]?.n ?? -1);
      const list = await test.api.get<{ results: { device_type: { device_count: number } }[] }>(
        `/api/dcim/devices/?device_type_id=${type}&limit=1`,
      );
      nested.push(list.body.results[0]?.device_type.device_count ?? 0);
    }
    return { nested, own, stored };
  };

  it('changes with every write of objects, singly or in bulk', async () => {
    const one = await create('dcim/devices', device('one'));
    const bulk = await test.api.post<{ id: number }[]>('/api/dcim/devices/', {
      json: [device('two'), device('three'), device('four', { device_type: types[1] })],
    });
    expect(bulk.status).toBe(201);
    expect(await counts()).toEqual({ nested: [3, 1], own: [3, 1], stored: [3, 1] });
    await test.api.patch(`/api/dcim/devices/${one}/`, { json: { device_type: types[1] } });
    expect(await counts()).toEqual({ nested: [2, 2], own: [2, 2], stored: [2, 2] });
    const gone = bulk.body.map(({ id }) => ({ id }));
    await test.api.request('DELETE', '/api/dcim/devices/', { json: gone });
    expect(await counts()).toEqual({ nested: [0, 1], own: [0, 1], stored: [0, 1] });
  });

  it('contains the counts of chassis members and of racks per rack type that nested objects show', async () => {
    const { inventory, api } = test;
    const chassis = await create('dcim/virtual-chassis', { name: 'Chassis' });
    const member = await create('dcim/devices', device('member', { virtual_chassis: chassis, vc_position: 1 }));
    const rackType = await create('dcim/rack-types', {
      manufacturer: (await api.get<{ results: { id: number }[] }>('/api/dcim/manufacturers/')).body.results[0]?.id,
      model: 'Frame',
      slug: 'frame',
      form_factor: '4-post-frame',
    });
    const rack = await create('dcim/racks', { name: 'Rack', site, rack_type: rackType });
    const shown = async (path: string): Promise<Json> => (await api.get<Json>(`/api/${path}/`)).body;
    expect(await shown(`dcim/devices/${member}`)).toMatchObject({ virtual_chassis: { member_count: 1 } });
    expect(await shown(`dcim/racks/${rack}`)).toMatchObject({ rack_type: { rack_count: 1 } });
    await inventory.database.query('DELETE FROM dcim_rack WHERE id = $1', [rack]);
    expect(await shown(`dcim/rack-types/${rackType}`)).toMatchObject({ rack_count: 0 });
  });

  it('retains its sums when rows are merged during writes', async () => {
    const { database } = test.inventory;
    const folder = new RowCountMerger({
      counts: tableOf('reference_counts'),
      database,
      clock: systemClock,
      logger: { warn: () => undefined },
    });
    const writes = Array.from({ length: 24 }, (_, index) => create('dcim/devices', device(`fold ${index}`)));
    const folds = [folder.mergeRowCounts(), folder.mergeRowCounts(), folder.mergeRowCounts()];
    await Promise.all([...writes, ...folds]);
    await Promise.all([folder.mergeRowCounts(), folder.mergeRowCounts()]);
    const { own, stored } = await counts();
    expect(own).toEqual(stored);
    const { rows } = await database.query<{ most: number }>(
      'SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM reference_counts GROUP BY reference, object_id) counts',
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(8);
  });

  it('contains no row for objects without references', async () => {
    const { database } = test.inventory;
    const rows = `INSERT INTO reference_counts (reference, object_id, n)
      SELECT 'dcim.device.device_type', 1000000 + id, n FROM generate_series(1, 20) id, unnest('{2, -1, -1}'::int[]) n`;
    await database.query(rows);
    const folder = new RowCountMerger({
      counts: tableOf('reference_counts'),
      database,
      clock: systemClock,
      logger: { warn: () => undefined },
    });
    await folder.mergeRowCounts();
    expect((await database.query('SELECT FROM reference_counts WHERE object_id > 1000000')).rows).toHaveLength(0);
  });

  it('contains few rows a few seconds after many writes', async () => {
    const { database } = test.inventory;
    const clock = new FakeClock();
    const folder = new RowCountMerger({
      counts: tableOf('reference_counts'),
      database,
      clock,
      logger: { warn: () => undefined },
    });
    const rowCount = async (): Promise<number> =>
      (await database.query('SELECT FROM reference_counts WHERE object_id = $1', [types[0]])).rows.length;
    folder.start();
    await waitFor(async () => {
      await clock.advanceTime(5_000);
      return (await rowCount()) <= 8;
    });
    const rows = `INSERT INTO reference_counts (reference, object_id, n)
      SELECT 'dcim.device.device_type', $1, n FROM generate_series(1, 20), unnest('{1, -1}'::int[]) n`;
    await database.query(rows, [types[0]]);
    // A round skips rows that a round of the service itself has locked.
    await waitFor(async () => {
      await clock.advanceTime(5_000);
      return (await rowCount()) <= 8;
    });
    await folder.stop();
    expect((await counts()).own[0]).toBe((await counts()).stored[0]);
  });
});

describe.each([['row_counts', "model = 'ipam.prefix'"]])('count table %s', (table, own) => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    expect((await test.api.post('/api/ipam/prefixes/', { json: { prefix: '10.0.0.0/8' } })).status).toBe(201);
  });
  afterAll(() => test.close());

  const rowsOf = async (): Promise<number> =>
    (await test.inventory.database.query(`SELECT FROM ${table} WHERE ${own}`)).rows.length;
  const insert = (from: number): string =>
    `INSERT INTO ipam_prefix (prefix) SELECT format('10.%s.%s.0/24', ${from}, n)::cidr FROM generate_series(0, 9) n`;
  const listed = async (): Promise<Json> => {
    const { body } = await test.api.get<{ count: number; results: Json[] }>('/api/ipam/prefixes/?limit=1');
    return { count: body.count, children: body.results[0]?.['children'] };
  };

  it('receives a separate row per SQL statement, so that writers do not wait for each other', async () => {
    const before = await rowsOf();
    // A single database connection, whose statements once shared one slot of the counter.
    await test.inventory.database.inTransaction(async (tx) => {
      await tx.query(insert(1));
      await tx.query(insert(2));
    });
    expect(await rowsOf()).toBe(before + 2);
    expect(await listed()).toEqual({ count: 21, children: 20 });
  });

  it('retains its sums when rows are merged during writes', async () => {
    const { database } = test.inventory;
    const folder = new RowCountMerger({
      counts: tableOf(table),
      database,
      clock: systemClock,
      logger: { warn: () => undefined },
    });
    const writes = [3, 4, 5, 6].map((block) => database.query(insert(block)));
    const gone = database.query("DELETE FROM ipam_prefix WHERE prefix << '10.1.0.0/16'");
    await Promise.all([...writes, gone, folder.mergeRowCounts(), folder.mergeRowCounts()]);
    await folder.mergeRowCounts();
    expect(await rowsOf()).toBeLessThanOrEqual(8);
    expect(await listed()).toEqual({ count: 51, children: 50 });
  });
});
