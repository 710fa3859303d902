import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cablePathsAfterWriteHook, countOutdatedCablePaths, rebuildCablePaths } from '../src/cable-paths/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';

type Json = Record<string, unknown>;

let test: TestInventory;
/** Log lines that the tested service has written. */
const log: string[] = [];
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

const program = fileURLToPath(new URL('../dist/admin-bundle.js', import.meta.url));

/** Creates a rear port whose positions are all mapped to front ports. */
async function panelOf(id: number, positions: number): Promise<{ readonly rear: number; readonly fronts: number[] }> {
  const rear = await make('rear-ports', { device: id, name: 'trunk', type: '8p8c', positions });
  const fronts: number[] = [];
  for (let position = 1; position <= positions; position += 1) {
    const rear_ports = [{ position: 1, rear_port: rear, rear_port_position: position }];
    fronts.push(await make('front-ports', { device: id, name: `front ${position}`, type: '8p8c', rear_ports }));
  }
  return { rear, fronts };
}

async function traced(id: number): Promise<readonly [readonly Json[], Json | [], readonly Json[]][]> {
  return (await test.api.get<[Json[], Json | [], Json[]][]>(`/api/dcim/interfaces/${id}/trace/`)).body;
}

beforeAll(async () => {
  test = await startInventory({}, log);
  const manufacturer = await make('manufacturers', { name: 'Acme', slug: 'acme' });
  basics['device_type'] = await make('device-types', { manufacturer, model: 'Panel', slug: 'panel' });
  basics['role'] = await make('device-roles', { name: 'Patch', slug: 'patch' });
  basics['site'] = await make('sites', { name: 'Here', slug: 'here' });
  basics['manufacturer'] = manufacturer;
});
afterAll(() => test.close());

describe('cablePathsAfterWriteHook', () => {
  it('traces a circular connection in which each round multiplies the port positions', async () => {
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

  it('follows the port mappings of existing ports that a new module adopts', async () => {
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
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });

  it('stores the same paths as a complete rebuild when ports of one panel are recabled concurrently', async () => {
    const [left, right] = [await device('left'), await device('right')];
    const [one, two] = [await panelOf(left, 3), await panelOf(right, 3)];
    const hosts = await device('hosts');
    const cable = (a: Json, b: Json): Json => ({ a_terminations: [a], b_terminations: [b] });
    const wanted = [cable(end('rearport', one.rear), end('rearport', two.rear))];
    for (const position of [0, 1, 2]) {
      for (const panel of [one, two]) {
        const port = await interfaceOf(hosts, `${panel.rear}-${position}`);
        wanted.push(cable(end('interface', port), end('frontport', panel.fronts[position] ?? 0)));
      }
    }
    for (let round = 0; round < 2; round += 1) {
      const made = await Promise.all(wanted.map((json) => make('cables', json)));
      expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
      const connected = await test.api.get<{ count: number }>(
        `/api/dcim/interfaces/?device_id=${hosts}&connected=true&limit=1`,
      );
      expect(connected.body.count).toBe(6);
      const [trunk = 0, ...patches] = made;
      const removals = [trunk, patches[0] ?? 0].map((id) => test.api.delete(`/api/dcim/cables/${id}/`));
      const changes = patches
        .slice(1)
        .map((id) => test.api.patch(`/api/dcim/cables/${id}/`, { json: { status: 'planned' } }));
      for (const { status } of await Promise.all([...removals, ...changes])) expect([200, 204]).toContain(status);
      expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
      for (const id of patches.slice(1)) {
        expect((await test.api.delete(`/api/dcim/cables/${id}/`)).status).toBe(204);
      }
    }
  });

  it('recables a trunk and its patch cables concurrently without a deadlock', async () => {
    const [one, two] = [await panelOf(await device('near panel'), 3), await panelOf(await device('far panel'), 3)];
    const hosts = await device('patched hosts');
    const recable = async (a: Json, b: Json): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        const path = `/api/dcim/cables/${await connect([a], [b])}/`;
        expect((await test.api.patch(path, { json: { status: 'planned' } })).status).toBe(200);
        if (round < 2) expect((await test.api.delete(path)).status).toBe(204);
      }
    };
    const users = [recable(end('rearport', one.rear), end('rearport', two.rear))];
    for (const [index, panel] of [one, two, one, two].entries()) {
      const front = end('frontport', panel.fronts[Math.floor(index / 2)] ?? 0);
      users.push(recable(end('interface', await interfaceOf(hosts, `eth${index}`)), front));
    }
    await Promise.all(users);
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
    expect(log.filter((line) => line.includes('transaction conflicted'))).toEqual([]);
  });

  it('rejects cables and port mappings that lead to ports of two devices', async () => {
    const [one, other] = [await device('panel of one'), await device('panel of another')];
    const [first, second] = [await panelOf(one, 1), await panelOf(other, 1)];
    const host = await interfaceOf(await device('host of two panels'), 'eth0');
    const fronts = [first, second].map((panel) => end('frontport', panel.fronts[0] ?? 0));
    const message = { __all__: ['All mid-span terminations must have the same parent object'] };
    const json = { a_terminations: [end('interface', host)], b_terminations: fronts };
    expect(await test.api.post('/api/dcim/cables/', { json })).toMatchObject({ status: 400, body: message });

    const front = `/api/dcim/front-ports/${second.fronts[0] ?? 0}/`;
    const mapped = (await test.api.get<{ rear_ports: Json[] }>(front)).body.rear_ports;
    expect((await test.api.patch(front, { json: { rear_ports: [] } })).status).toBe(200);
    await connect([end('interface', host)], fronts);
    expect(await test.api.patch(front, { json: { rear_ports: mapped } })).toMatchObject({ status: 400, body: message });
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });

  it('updates the names of console ports at both ends of a path when a PATCH renames several ports', async () => {
    const [panel, hosts] = [await device('console panel'), await device('consoles')];
    const { rear, fronts } = await panelOf(panel, 1);
    const console = await make('console-ports', { device: hosts, name: 'a' });
    const other = await make('console-ports', { device: hosts, name: 'b' });
    await connect([end('consoleport', console)], [end('frontport', fronts[0] ?? 0)]);
    await connect([end('rearport', rear)], [end('consoleport', other)]);
    const json = [
      { id: console, name: 'new a' },
      { id: other, name: 'new b' },
    ];
    const { body } = await test.api.patch<Json[]>('/api/dcim/console-ports/', { json });
    expect(body).toMatchObject([
      { connected_endpoints: [{ name: 'new b' }] },
      { connected_endpoints: [{ name: 'new a' }] },
    ]);
  });
});

describe('GET /api/dcim/interfaces/{id}/trace/', () => {
  it('serves a cached trace until an object on the path changes', async () => {
    const hosts = await device('remembered hosts');
    const [a, b] = [await interfaceOf(hosts, 'a'), await interfaceOf(hosts, 'b')];
    await connect([end('interface', a)], [end('interface', b)]);
    const path = `/api/dcim/interfaces/${a}/trace/`;
    const statements = async (): Promise<number> => {
      const sent = vi.spyOn(test.inventory.database.pool, 'query');
      expect((await test.api.get(path)).status).toBe(200);
      const texts = sent.mock.calls.map(([statement]) => String(Object(statement).text ?? statement));
      sent.mockRestore();
      return texts.filter((text) => text.includes('dcim_')).length;
    };
    await test.api.get(path);
    expect(await statements()).toBe(0);
    expect((await test.api.patch(`/api/dcim/interfaces/${b}/`, { json: { name: 'renamed' } })).status).toBe(200);
    expect(await statements()).toBeGreaterThan(0);
    expect((await traced(a))[0]?.[2]).toMatchObject([{ name: 'renamed' }]);
    const stranger = await permittedUser(test, {
      types: ['dcim.interface'],
      actions: ['view'],
      constraints: { id: b },
    });
    expect((await stranger.api.get(path)).status).toBe(404);
  });
});

describe('cablePathsAfterWriteHook.before', () => {
  it('acquires locks in the same order even when one SQL statement cannot read all objects', async () => {
    const hosts = await device('locked hosts');
    const [low, high] = [await interfaceOf(hosts, 'low'), await interfaceOf(hosts, 'high')];
    const interfaces = (ids: readonly number[]) => ids.map((id) => ({ type: 'dcim.interface', id }));
    const missing = Array.from({ length: 5_000 }, (_, index) => 1_000_000_000 + index);
    const { database } = test.inventory;
    const first = await runInOpenTransaction(database, (tx) =>
      cablePathsAfterWriteHook.before(tx, [], interfaces([high])),
    );
    let attempts = 0;
    const lock = (ids: readonly number[]) =>
      database.inTransaction((tx) => {
        attempts += 1;
        return cablePathsAfterWriteHook.before(tx, [], interfaces(ids));
      });
    const requests = [lock([high, ...missing, low])];
    await untilWaiting(database, 1);
    requests.push(lock([low, ...missing, high]));
    await untilWaiting(database, 2);
    await first.release();
    await Promise.all(requests);
    // A deadlock would repeat one of the two.
    expect(attempts).toBe(2);
  });
});

describe('cablePathsAfterWriteHook.after', () => {
  it('reads even small tables through their indexes', async () => {
    const { database } = test.inventory;
    const { rows: cables } = await database.query<{ id: number }>('SELECT id FROM dcim_cable');
    const objects = cables.map(({ id }) => ({ type: 'dcim.cable', id }));
    expect(objects.length).toBeGreaterThan(0);
    // The counters may contain scans of earlier transactions of the connection.
    const scans = `SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname LIKE 'dcim\\_cable_%' ORDER BY relname`;
    await database.inTransaction(async (tx) => {
      const { rows: before } = await tx.query(scans);
      await cablePathsAfterWriteHook.before(tx, objects, []);
      await tx.query("UPDATE dcim_cable SET status = 'connected' WHERE id = ANY ($1)", [objects.map(({ id }) => id)]);
      await cablePathsAfterWriteHook.after(tx, objects);
      expect((await tx.query(scans)).rows).toEqual(before);
    });
  });

  it('traces at most 500 endpoints before the event loop runs', async () => {
    const hosts = await device('many hosts');
    const bodies = Array.from({ length: 602 }, (_, index) => ({
      device: hosts,
      name: `p${index}`,
      type: '1000base-t',
    }));
    const ports = (await test.api.post<{ id: number }[]>('/api/dcim/interfaces/', { json: bodies })).body;
    const cables = Array.from({ length: 301 }, (_, index) => ({
      a_terminations: [end('interface', ports[2 * index]?.id ?? 0)],
      b_terminations: [end('interface', ports[2 * index + 1]?.id ?? 0)],
    }));
    const made = (await test.api.post<{ id: number }[]>('/api/dcim/cables/', { json: cables })).body;
    const traced: number[] = [];
    await test.inventory.database.inTransaction(async (tx) => {
      const query: typeof tx.query = (sql, params) => {
        const { text, values = [] } = typeof sql === 'string' ? { text: sql } : sql;
        if (text.includes(`'passThrough'`)) traced.push([values[1]].flat().length);
        return tx.query(sql, params);
      };
      const watched = new Proxy(tx, { get: (of, name) => (name === 'query' ? query : Reflect.get(of, name, of)) });
      await cablePathsAfterWriteHook.after(
        watched,
        made.map(({ id }) => ({ type: 'dcim.cable', id })),
      );
    });
    expect([traced.reduce((sum, count) => sum + count, 0), Math.max(...traced)]).toEqual([602, 500]);
  });
});

describe('SQL UPDATE of the profiles of many cables', () => {
  it('fires the statement trigger only once', async () => {
    const hosts = await device('profiled hosts');
    const cables: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      const ends = [await interfaceOf(hosts, `${name}1`), await interfaceOf(hosts, `${name}2`)];
      cables.push(await connect([end('interface', ends[0] ?? 0)], [end('interface', ends[1] ?? 0)]));
    }
    const explained = test.inventory.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ 'QUERY PLAN': [{ Triggers: { 'Trigger Name': string; Calls: number }[] }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) UPDATE dcim_cable SET profile = 'single-1c1p' WHERE id = ANY ($1::bigint[])`,
        [cables],
      );
      const { rows: remembered } = await tx.query(`SELECT current_setting('inventory.changed_profiles') AS ids`);
      throw Object.assign(new Error('rolled back'), { triggers: rows[0]?.['QUERY PLAN'][0].Triggers, remembered });
    });
    const { triggers, remembered } = await explained.catch((error: unknown) => Object(error));
    const calls = triggers.filter((trigger: Json) => /profile/u.test(String(trigger['Trigger Name'])));
    expect(calls).toMatchObject([{ Calls: 1 }]);
    expect(remembered).toEqual([{ ids: `,${cables.join(',')}` }]);
  });
});

describe('GET /api/dcim/connected-device/', () => {
  it('responds 404 to a user who may not view the interface or the device', async () => {
    const [near, far] = [await device('near'), await device('far')];
    await connect([end('interface', await interfaceOf(near, 'n0'))], [end('interface', await interfaceOf(far, 'f0'))]);
    const path = '/api/dcim/connected-device/?peer_device=far&peer_interface=f0';
    const view = (...types: string[]) => permittedUser(test, { types, actions: ['view'], constraints: null });
    const [both, devices, interfaces] = await Promise.all([
      view('dcim.device', 'dcim.interface'),
      view('dcim.device'),
      view('dcim.interface'),
    ]);
    expect((await both.api.get<Json>(path)).body).toMatchObject({ id: near });
    expect((await devices.api.get(path)).status).toBe(404);
    expect((await interfaces.api.get(path)).status).toBe(404);
  });

  it('responds 400 if several devices have the name', async () => {
    const site = await make('sites', { name: 'There', slug: 'there' });
    await device('twin');
    await make('devices', { ...basics, name: 'twin', site });
    const twins = await test.api.get('/api/dcim/connected-device/?peer_device=twin&peer_interface=eth0');
    expect(twins).toMatchObject({ status: 400, body: { peer_device: ['More than one device has this name.'] } });
  });
});

describe('admin commands check-paths and rebuild-paths', () => {
  it('report missing cable paths, and store the missing paths', async () => {
    const pair = await device('pair');
    const [a, b] = [await interfaceOf(pair, 'a'), await interfaceOf(pair, 'b')];
    await connect([end('interface', a)], [end('interface', b)]);
    const { rows } = await test.inventory.database.query<{ url: string }>('SELECT current_database() AS url');
    const url = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
    url.pathname = `/${rows[0]?.url}`;
    const env = { PATH: process.env['PATH'], NODE_ENV: 'test', LOG_LEVEL: 'silent', DATABASE_URL: url.href };
    const admin = (command: string) =>
      promisify(execFile)(process.execPath, [program, command], { env }).then(
        ({ stdout }) => [0, stdout],
        (error: unknown) => [Reflect.get(Object(error), 'code'), Reflect.get(Object(error), 'stdout')],
      );
    expect(await admin('check-paths')).toEqual([0, '0 stored cable paths lead elsewhere, and 0 are missing.\n']);
    await test.inventory.database.query(
      `DELETE FROM dcim_cablepath WHERE id IN (SELECT path_id FROM dcim_cablepathnode WHERE object_type = 'dcim.interface'
        AND object_id = $1 AND is_origin)`,
      [a],
    );
    expect(await admin('check-paths')).toEqual([1, '0 stored cable paths lead elsewhere, and 1 are missing.\n']);
    expect(await admin('rebuild-paths')).toEqual([0, 'Removed 0 cable paths and stored 1.\n']);
    expect(await traced(a)).toHaveLength(1);
  });
});

describe('rebuildCablePaths', () => {
  it('merges the stored paths of several endpoints at the same end of a cable', async () => {
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
    expect(await countOutdatedCablePaths(database)).not.toEqual({ obsolete: 0, missing: 0 });
    await rebuildCablePaths(database);
    expect(await countOutdatedCablePaths(database)).toEqual({ obsolete: 0, missing: 0 });
    expect((await traced(one))[0]?.[0]).toMatchObject([{ id: one }, { id: two }]);
  });
});

describe('rebuildCablePaths during other transactions', () => {
  let link = 0;

  beforeAll(async () => {
    const air = await device('air');
    const radio = (name: string) => make('interfaces', { device: air, name, type: 'ieee802.11ax' });
    const [interface_a, interface_b] = [await radio('w1'), await radio('w2')];
    const made = await test.api.post<{ id: number }>('/api/wireless/wireless-links/', {
      json: { interface_a, interface_b },
    });
    link = made.body.id;
  });

  const removePaths = () =>
    test.inventory.database.query(
      `DELETE FROM dcim_cablepath WHERE id IN (SELECT n.path_id FROM dcim_cablepathnode n
        WHERE n.object_type = 'wireless.wirelesslink' AND n.object_id = $1)`,
      [link],
    );

  it('waits for a transaction that changes a wireless link', async () => {
    const { database } = test.inventory;
    const objects = [{ type: 'wireless.wirelesslink', id: link }];
    await removePaths();
    const change = await runInOpenTransaction(database, async (tx) => {
      await cablePathsAfterWriteHook.before(tx, objects, []);
      await tx.query(`UPDATE wireless_wirelesslink SET status = 'planned' WHERE id = $1`, [link]);
      await cablePathsAfterWriteHook.after(tx, objects);
    });
    const rebuilt = rebuildCablePaths(database);
    await untilWaiting(database, 1);
    await change.release();
    expect(await rebuilt).toEqual({ obsolete: 0, missing: 0 });
  });

  it('repeats its transaction when another transaction has already stored the same path', async () => {
    const { database } = test.inventory;
    let failures = 2;
    const conflict = Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' });
    const inTransaction: typeof database.inTransaction = (run, options) => {
      failures -= 1;
      return failures < 0 ? database.inTransaction(run, options) : Promise.reject(conflict);
    };
    expect(await rebuildCablePaths({ inTransaction })).toEqual({ obsolete: 0, missing: 0 });
    expect(
      await rebuildCablePaths({ inTransaction: () => Promise.reject(conflict) }).catch((error: unknown) => error),
    ).toBe(conflict);
  });

  it('counts a path once even if its transaction is repeated', async () => {
    const { database } = test.inventory;
    await removePaths();
    const inTransaction: typeof database.inTransaction = async (run, options) => {
      const rolledBack = new Error('rolled back');
      const first = database.inTransaction(async (tx) => {
        await run(tx);
        throw rolledBack;
      }, options);
      expect(await first.catch((error: unknown) => error)).toBe(rolledBack);
      return database.inTransaction(run, options);
    };
    expect(await rebuildCablePaths({ inTransaction })).toEqual({ obsolete: 0, missing: 2 });
  });
});

describe('countOutdatedCablePaths during other transactions', () => {
  it('reports no difference when a path changes between the read and the trace', async () => {
    const changing = await device('changing');
    const [a, b] = [await interfaceOf(changing, 'a'), await interfaceOf(changing, 'b')];
    const cable = await connect([end('interface', a)], [end('interface', b)]);
    const { database } = test.inventory;
    let begin = (): void => undefined;
    let isRead = false;
    // Sent from here, because a transaction must not begin inside of another one.
    const change = new Promise<void>((resolve) => {
      begin = resolve;
    }).then(() => test.api.patch(`/api/dcim/cables/${cable}/`, { json: { status: 'planned' } }));
    const inTransaction: typeof database.inTransaction = (run, options) =>
      database.inTransaction((tx) => {
        const query: typeof tx.query = async (sql, params) => {
          const result = await tx.query<never>(sql, params);
          if (isRead || typeof sql === 'string' || !sql.text.includes('passThrough')) return result;
          isRead = true;
          begin();
          await change;
          return result;
        };
        return run(Object.assign(Object.create(tx), { query }));
      }, options);
    expect(await countOutdatedCablePaths({ inTransaction })).toEqual({ obsolete: 0, missing: 0 });
    expect((await change).status).toBe(200);
  });
});

// The last test, because it checks the paths of all cables above.
describe('countOutdatedCablePaths', () => {
  it('finds no stored cable path that differs from the cables after all requests of this test file', async () => {
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});
