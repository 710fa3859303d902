import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPaths, rebuildPaths } from '../src/cable-paths/index.js';
import { startInventory, type TestInventory } from './support/harness.js';

type Json = Record<string, unknown>;

let test: TestInventory;
const basics: Json = {};

const make = async (path: string, json: Json): Promise<number> => {
  const { status, body } = await test.api.post<{ id: number }>(`/api/dcim/${path}/`, { json });
  expect([path, status, body]).toEqual([path, 201, body]);
  return body.id;
};
const end = (model: string, id: number): Json => ({ object_type: `dcim.${model}`, object_id: id });
const connect = (a: readonly Json[], b: readonly Json[]): Promise<number> =>
  make('cables', { a_terminations: a, b_terminations: b });
const device = (name: string): Promise<number> => make('devices', { ...basics, name });
const interfaceOf = (id: number, name: string): Promise<number> =>
  make('interfaces', { device: id, name, type: '1000base-t' });

async function traced(id: number): Promise<readonly [readonly Json[], Json | [], readonly Json[]][]> {
  return (await test.api.get<[Json[], Json | [], Json[]][]>(`/api/dcim/interfaces/${id}/trace/`)).body;
}

beforeAll(async () => {
  test = await startInventory();
  const manufacturer = await make('manufacturers', { name: 'Acme', slug: 'acme' });
  basics['device_type'] = await make('device-types', { manufacturer, model: 'Panel', slug: 'panel' });
  basics['role'] = await make('device-roles', { name: 'Patch', slug: 'patch' });
  basics['site'] = await make('sites', { name: 'Here', slug: 'here' });
  basics['manufacturer'] = manufacturer;
});
afterAll(() => test.close());

describe('cablePaths', () => {
  it('traces a ring in which positions multiply', async () => {
    const panel = await device('ring');
    const outer = await make('rear-ports', { device: panel, name: 'outer', type: '8p8c', positions: 1 });
    const inner = await make('rear-ports', { device: panel, name: 'inner', type: '8p8c', positions: 8 });
    const fronts: number[] = [];
    for (let position = 1; position <= 8; position += 1) {
      const rear_ports = [{ position: 1, rear_port: inner, rear_port_position: position }];
      fronts.push(await make('front-ports', { device: panel, name: `f${position}`, type: '8p8c', rear_ports }));
    }
    const back = [{ position: 1, rear_port: outer, rear_port_position: 1 }];
    const front = await make('front-ports', { device: panel, name: 'back', type: '8p8c', rear_ports: back });
    await connect([end('rearport', inner)], [end('frontport', front)]);
    const ends = fronts.map((id) => end('frontport', id));
    const cable = await connect([end('rearport', outer)], ends);
    expect((await test.api.patch(`/api/dcim/cables/${cable}/`, { json: { status: 'planned' } })).status).toBe(200);
    expect((await test.api.delete(`/api/dcim/cables/${cable}/`)).status).toBe(204);
  });

  it('follows the mappings of ports that a module adopts', async () => {
    const switches = await device('switches');
    const [near, far] = [await interfaceOf(switches, 'near'), await interfaceOf(switches, 'far')];
    const chassis = await device('chassis');
    const bay = await make('module-bays', { device: chassis, name: 'bay' });
    const front = await make('front-ports', { device: chassis, name: 'front', type: '8p8c' });
    const rear = await make('rear-ports', { device: chassis, name: 'rear', type: '8p8c' });
    await connect([end('interface', near)], [end('frontport', front)]);
    await connect([end('rearport', rear)], [end('interface', far)]);
    expect(await traced(near)).toHaveLength(1);

    const type = await make('module-types', { manufacturer: basics['manufacturer'], model: 'Cassette' });
    const own = { module_type: type, type: '8p8c' };
    const rearTemplate = await make('rear-port-templates', { ...own, name: 'rear' });
    const rear_ports = [{ position: 1, rear_port: rearTemplate, rear_port_position: 1 }];
    await make('front-port-templates', { ...own, name: 'front', rear_ports });
    await make('modules', { device: chassis, module_bay: bay, module_type: type, adopt_components: true });
    expect((await traced(near)).at(-1)?.[2]).toMatchObject([{ id: far }]);
    expect(await checkPaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});

describe('rebuildPaths', () => {
  it('joins stored paths of endpoints that are at one end of a cable', async () => {
    const several = await device('several');
    const ids: number[] = [];
    for (const name of ['a1', 'a2', 'b1']) ids.push(await interfaceOf(several, name));
    const [one = 0, two = 0, other = 0] = ids;
    await connect([end('interface', one), end('interface', two)], [end('interface', other)]);
    const { database } = test.inventory;
    await database.query(
      `WITH path AS (INSERT INTO dcim_cablepath (is_active, is_complete, is_split) VALUES (true, false, false) RETURNING id)
       UPDATE dcim_cablepathnode SET path_id = path.id FROM path
       WHERE object_type = 'dcim.interface' AND object_id = $1 AND is_origin`,
      [two],
    );
    expect(await checkPaths(database)).not.toEqual({ obsolete: 0, missing: 0 });
    await rebuildPaths(database);
    expect(await checkPaths(database)).toEqual({ obsolete: 0, missing: 0 });
    expect((await traced(one))[0]?.[0]).toMatchObject([{ id: one }, { id: two }]);
  });
});
