import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOutdatedCablePaths } from '../src/cable-paths/index.js';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

interface End {
  readonly object_type: string;
  readonly object_id: number;
}

let test: TestInventory;
/** Ids of the objects that were created before the tests, by name of the object. */
const ids: Record<string, number> = {};

const end = (type: string, name: string): End => ({ object_type: `dcim.${type}`, object_id: ids[name] ?? 0 });
const port = (name: string): End => end('interface', name);
const cable = (a: readonly End[], b: readonly End[], more: Json = {}): Json => ({
  a_terminations: a,
  b_terminations: b,
  ...more,
});

const cables = '/api/dcim/cables/';
const post = (body: unknown) => test.api.post<Json>(cables, { json: body });
const refusal = async (body: Json): Promise<unknown> => (await post(body)).body;
const interfaceOf = async (name: string): Promise<Json> =>
  (await test.api.get<Json>(`/api/dcim/interfaces/${ids[name]}/`)).body;
const peersOf = async (name: string): Promise<unknown> => {
  const { link_peers: peers } = await interfaceOf(name);
  return Array.isArray(peers) ? peers.map((peer: Json) => peer['name']) : peers;
};
const terminationsOf = async (id: unknown): Promise<unknown[]> => {
  const { body } = await test.api.get<{ results: Json[] }>('/api/dcim/cable-terminations/', {
    query: { cable_id: String(id) },
  });
  return body.results.map((one) => [one['cable_end'], one['termination_id'], one['connector'], one['positions']]);
};

/** Creates objects in one request, and records the ids of the objects by name. */
async function make(path: string, bodies: readonly Json[]): Promise<void> {
  const { body } = await test.api.post<{ id: number; name: string }[]>(path, { json: bodies });
  for (const { id, name } of body) ids[name] = id;
}

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);

beforeAll(async () => {
  test = await startInventory();
  for (const { path, body } of deviceSurroundings) await test.api.post(path, { json: body });
  await make('/api/dcim/devices/', [
    { ...deviceBasics, name: 'Left' },
    { ...deviceBasics, name: 'Right' },
  ]);
  const on = (device: string, name: string, type: string): Json => ({ device: { name: device }, name, type });
  await make('/api/dcim/interfaces/', [
    ...names('l', 24).map((name) => on('Left', name, '1000base-t')),
    ...names('r', 24).map((name) => on('Right', name, '1000base-t')),
    on('Left', 'virtual', 'virtual'),
    on('Left', 'lag', 'lag'),
    on('Left', 'wlan', 'ieee802.11ac'),
    { ...on('Left', 'marked', '1000base-t'), label: 'up', mark_connected: true },
  ]);
  await make('/api/dcim/power-ports/', [{ device: { name: 'Left' }, name: 'inlet' }]);
  await make('/api/dcim/power-outlets/', [{ device: { name: 'Right' }, name: 'outlet' }]);
  await make('/api/dcim/console-ports/', [{ device: { name: 'Left' }, name: 'console' }]);
  await make('/api/dcim/console-server-ports/', [{ device: { name: 'Right' }, name: 'server' }]);
});
afterAll(() => test.close());

describe('POST /api/dcim/cables/', () => {
  it('connects both ends, which then show the cable and each other', async () => {
    const { status, body } = await post(cable([port('l1'), port('l2')], [port('r1')]));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      display: `#${String(body['id'])}`,
      status: { value: 'connected', label: 'Connected' },
      a_terminations: [
        { ...port('l1'), object: { name: 'l1', device: { name: 'Left' }, _occupied: true } },
        { ...port('l2'), object: { name: 'l2', cable: { id: body['id'] } } },
      ],
      b_terminations: [{ ...port('r1'), object: { name: 'r1' } }],
    });
    expect(await interfaceOf('r1')).toMatchObject({
      cable: { id: body['id'], url: `http://localhost${cables}${String(body['id'])}/`, label: '' },
      cable_end: 'B',
      link_peers: [{ name: 'l1' }, { name: 'l2' }],
      link_peers_type: 'dcim.interface',
      connected_endpoints: [{ name: 'l1' }, { name: 'l2' }],
      connected_endpoints_type: 'dcim.interface',
      connected_endpoints_reachable: true,
      _occupied: true,
    });
    expect(await interfaceOf('l2')).toMatchObject({ cable_end: 'A', link_peers: [{ name: 'r1' }] });
    const ends = await test.api.get<{ results: Json[] }>('/api/dcim/cable-terminations/', {
      query: { cable_end: 'B' },
    });
    expect(ends.body.results).toMatchObject([
      { cable: body['id'], termination_type: 'dcim.interface', display: `Cable #${String(body['id'])} to r1` },
    ]);
  });

  it('rejects invalid cables with the messages of the reference API', async () => {
    const all = (message: string): Json => ({ __all__: [message] });
    expect(await refusal(cable([port('l3')], []))).toEqual(
      all('Must define A and B terminations when creating a new cable.'),
    );
    expect(await refusal({ label: 'no ends' })).toEqual(
      all('Must define A and B terminations when creating a new cable.'),
    );
    expect(await refusal(cable([port('l3'), end('powerport', 'inlet')], [port('r3')]))).toEqual(
      all('Cannot connect different termination types to same end of cable.'),
    );
    expect(await refusal(cable([port('l3')], [end('powerport', 'inlet')]))).toEqual(
      all('Incompatible termination types: interface and powerport'),
    );
    expect(await refusal(cable([port('l3')], [port('l3')]))).toEqual(
      all('A and B terminations cannot connect to the same object.'),
    );
    expect(await refusal(cable([port('l1')], [port('r3')]))).toEqual(
      all(`Duplicate termination found for dcim.interface ${ids['l1']}: cable 1`),
    );
    expect(await refusal(cable([port('l3')], [port('virtual')]))).toEqual(
      all('Cables cannot be terminated to Virtual interfaces'),
    );
    expect(await refusal(cable([port('l3')], [port('lag')]))).toEqual(
      all('Cables cannot be terminated to Link Aggregation Group (LAG) interfaces'),
    );
    expect(await refusal(cable([port('wlan')], [port('r3')]))).toEqual(
      all('Cables cannot be terminated to IEEE 802.11ac (Wi-Fi 5) interfaces'),
    );
    expect(await refusal(cable([port('l3')], [port('marked')]))).toEqual(
      all('Cannot connect a cable to Left > marked (up) because it is marked as connected.'),
    );
    expect(await refusal(cable([port('l3')], [port('r3')], { length: 5 }))).toEqual(
      all('Must specify a unit when setting a cable length'),
    );
    expect(await interfaceOf('l3')).toMatchObject({ cable: null, cable_end: null, link_peers: [], _occupied: false });
  });

  it('names unreadable and nonexistent terminations by their position in the list', async () => {
    expect(await refusal(cable([port('l3')], [{ object_type: 'dcim.interface', object_id: 999_999 }]))).toEqual({
      b_terminations: ['Related object not found using the provided numeric ID: 999999'],
    });
    const unreadable = {
      a_terminations: [port('l3'), { object_type: 'dcim.site', object_id: 'x' }, 5],
      b_terminations: 5,
    };
    expect(await refusal(unreadable)).toEqual({
      a_terminations: [
        {},
        { object_type: ['Invalid content type: dcim.site'], object_id: ['A valid integer is required.'] },
        { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] },
      ],
      b_terminations: { non_field_errors: ['Expected a list of items but got type "int".'] },
    });
  });

  it('accepts power and console cables between compatible types only', async () => {
    const { status } = await post([
      cable([end('powerport', 'inlet')], [end('poweroutlet', 'outlet')]),
      cable([end('consoleserverport', 'server')], [end('consoleport', 'console')]),
    ]);
    expect(status).toBe(201);
    const { body } = await test.api.get<Json>(`/api/dcim/power-ports/${ids['inlet']}/`);
    expect(body).toMatchObject({ link_peers_type: 'dcim.poweroutlet', link_peers: [{ name: 'outlet' }] });
    expect((await test.api.get<Json>(`/api/dcim/console-ports/${ids['console']}/`)).body).toMatchObject({
      cable_end: 'B',
      link_peers_type: 'dcim.consoleserverport',
    });
  });

  it('removes the length unit of a cable without a length', async () => {
    const { body } = await post(cable([port('l4')], [port('r4')], { length: 5.5, length_unit: 'm' }));
    expect(body).toMatchObject({ length: 5.5, length_unit: { value: 'm', label: 'Meters' } });
    const changed = await test.api.patch<Json>(`${cables}${String(body['id'])}/`, { json: { length: null } });
    expect(changed.body).toMatchObject({ length: null, length_unit: null });
  });
});

describe('terminations of a cable', () => {
  it('remain unchanged if a PATCH omits the terminations, and change when a PATCH replaces or removes terminations', async () => {
    const { body } = await post(cable([port('l5')], [port('r5')]));
    const path = `${cables}${String(body['id'])}/`;
    expect((await test.api.patch(path, { json: { label: 'x' } })).status).toBe(200);
    expect(await peersOf('l5')).toEqual(['r5']);
    const moved = await test.api.patch<Json>(path, { json: { b_terminations: [port('r6')] } });
    expect(moved.body['b_terminations']).toMatchObject([{ object: { name: 'r6' } }]);
    expect(await interfaceOf('r5')).toMatchObject({ cable: null, cable_end: null, _occupied: false });
    expect(await peersOf('l5')).toEqual(['r6']);
    const swapped = await test.api.put<Json>(path, { json: cable([port('r6')], [port('l5')]) });
    expect(swapped.status).toBe(200);
    expect(await interfaceOf('l5')).toMatchObject({ cable_end: 'B', link_peers: [{ name: 'r6' }] });
  });

  it('remain unchanged when a PATCH contains no terminations or an empty list for an end', async () => {
    const { body } = await post(cable([port('l18')], [port('r18')]));
    const path = `${cables}${String(body['id'])}/`;
    const before = await terminationsOf(body['id']);
    for (const json of [
      { a_terminations: [] },
      { a_terminations: [], b_terminations: [] },
      { profile: 'single-1c1p' },
    ]) {
      const { status, body: changed } = await test.api.patch<Json>(path, { json });
      expect(status).toBe(200);
      expect(changed).toMatchObject({
        a_terminations: [{ object: { name: 'l18' } }],
        b_terminations: [{ object: { name: 'r18' } }],
      });
      if (json.profile === undefined) expect(await terminationsOf(body['id'])).toEqual(before);
    }
    const put = await test.api.put<Json>(path, { json: { label: 'kept' } });
    expect([put.status, put.body['a_terminations']]).toMatchObject([200, [{ object: { name: 'l18' } }]]);
    expect((await test.api.delete(path)).status).toBe(204);
  });

  it('become free when the cable is deleted, and remain when the device at the other end is deleted', async () => {
    const { body } = await post([cable([port('l7')], [port('r7')]), cable([port('l8')], [port('r8')])]);
    const [first, second] = Object.values(body).map((one) => Object(one).id);
    expect((await test.api.delete(`${cables}${first}/`)).status).toBe(204);
    for (const name of ['l7', 'r7']) {
      expect(await interfaceOf(name)).toMatchObject({ cable: null, cable_end: null, link_peers: [] });
    }
    const gone = await test.api.get<{ count: number }>('/api/dcim/cable-terminations/', {
      query: { interface_id: ids['l7'] },
    });
    expect(gone.body.count).toBe(0);
    expect((await test.api.delete(`/api/dcim/interfaces/${ids['r8']}/`)).status).toBe(204);
    expect(await interfaceOf('l8')).toMatchObject({ cable: { id: second }, link_peers: [], link_peers_type: null });
    expect(await terminationsOf(second)).toEqual([['A', ids['l8'], null, null]]);
  });

  it('reject mark_connected, and a change to an interface type without a socket', async () => {
    const patch = async (json: Json): Promise<unknown> =>
      (await test.api.patch(`/api/dcim/interfaces/${ids['l1']}/`, { json })).body;
    expect(await patch({ mark_connected: true })).toEqual({
      mark_connected: ['Cannot mark as connected with a cable attached.'],
    });
    expect(await patch({ type: 'virtual' })).toEqual({ type: ['Virtual interfaces cannot have a cable attached.'] });
    const virtual = await test.api.patch(`/api/dcim/interfaces/${ids['virtual']}/`, { json: { mark_connected: true } });
    expect(virtual.body).toEqual({ mark_connected: ['Virtual interfaces cannot be marked as connected.'] });
  });

  it('belong to only one of two cables that concurrent requests create', async () => {
    const responses = await Promise.all(
      ['r9', 'r10', 'r11', 'r12'].map((name) => post(cable([port('l9')], [port(name)]))),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
    const peers = await peersOf('l9');
    expect(Array.isArray(peers) && peers.length).toBe(1);
  });
});

describe('GET /api/core/object-changes/ after a write of a cable', () => {
  it('contains change records for the cable, its terminations and the connected objects', async () => {
    const made = await post(cable([port('l10')], [port('r15')], { changelog_message: 'new' }));
    const path = `${cables}${String(made.body['id'])}/`;
    const changesIn = async (response: { headers: Record<string, unknown> }): Promise<unknown[]> => {
      const { body } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
        query: { request_id: String(response.headers['x-request-id']), ordering: 'id' },
      });
      return body.results.map((one) => [Object(one['action']).value, one['changed_object_type'], one['object_repr']]);
    };
    const name = `#${String(made.body['id'])}`;
    expect(await changesIn(made)).toEqual([
      ['create', 'dcim.cable', name],
      ['create', 'dcim.cabletermination', `Cable ${name} to l10`],
      ['create', 'dcim.cabletermination', `Cable ${name} to r15`],
      ['update', 'dcim.interface', 'l10'],
      ['update', 'dcim.interface', 'r15'],
    ]);
    const moved = await test.api.patch<Json>(path, { json: { b_terminations: [port('l11')], changelog_message: 'x' } });
    expect(await changesIn(moved)).toEqual([
      ['update', 'dcim.cable', name],
      ['delete', 'dcim.cabletermination', `Cable ${name} to r15`],
      ['create', 'dcim.cabletermination', `Cable ${name} to l11`],
      ['update', 'dcim.interface', 'l11'],
      ['update', 'dcim.interface', 'r15'],
    ]);
    const { body } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
      query: { changed_object_type: 'dcim.cable', changed_object_id: String(made.body['id']), action: 'update' },
    });
    const [change] = body.results;
    const lists = (data: unknown): unknown[] => [Object(data).a_terminations, Object(data).b_terminations];
    const [before, after] = [lists(change?.['prechange_data']), lists(change?.['postchange_data'])];
    expect(before[0]).toEqual(after[0]);
    expect(before[1]).not.toEqual(after[1]);
    const unchanged = await test.api.patch(path, { json: { b_terminations: [port('l11')] } });
    expect(await changesIn(unchanged)).toEqual([]);
    const attached = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
      query: { request_id: String(made.headers['x-request-id']), changed_object_id: ids['l10'] },
    });
    expect(attached.body.results[0]).toMatchObject({
      prechange_data: { cable: null, cable_end: null },
      postchange_data: { cable: made.body['id'], cable_end: 'A' },
    });
    expect(await changesIn(await test.api.delete(path))).toEqual(
      expect.arrayContaining([
        ['delete', 'dcim.cable', name],
        ['update', 'dcim.interface', 'l10'],
        ['update', 'dcim.interface', 'l11'],
      ]),
    );
  });
});

describe('POST and PATCH of a list of cables', () => {
  it('write all cables or none, and name the invalid cable in the error', async () => {
    const { status, body } = await post([
      cable([port('l13')], [port('r13')]),
      cable([port('l14')], [port('r14')]),
      cable([port('l15')], [port('r13')]),
    ]);
    expect(status).toBe(400);
    expect(body).toEqual([
      {},
      {},
      {
        __all__: [expect.stringMatching(`^Duplicate termination found for dcim.interface ${ids['r13']}: cable \\d+$`)],
      },
    ]);
    expect(await interfaceOf('l13')).toMatchObject({ cable: null });
  });

  it('exchange the terminations of two cables in one request', async () => {
    const { body } = await post([cable([port('l13')], [port('r13')]), cable([port('l14')], [port('r14')])]);
    const [first, second] = Object.values(body).map((one) => Object(one).id);
    const { status } = await test.api.patch(cables, {
      json: [
        { id: first, b_terminations: [port('r14')] },
        { id: second, b_terminations: [port('r13')] },
      ],
    });
    expect(status).toBe(200);
    expect([await peersOf('l13'), await peersOf('l14')]).toEqual([['r14'], ['r13']]);
  });
});

describe('POST of a cable with very many terminations', () => {
  it('responds 400 to more than 200 terminations at one end of the cable', async () => {
    const many = Array.from({ length: 201 }, (_, n) => ({
      device: { name: 'Left' },
      name: `m${n}`,
      type: '1000base-t',
    }));
    await make('/api/dcim/interfaces/', many);
    const ends = many.map(({ name }) => port(name));
    expect(await refusal(cable([port('r24')], ends))).toEqual({
      b_terminations: ['A side of a cable can have at most 200 terminations (there are 201).'],
    });
  });
});

describe('cables with many terminations', () => {
  it.each([
    ['without a profile', null, 12, 12],
    ['with a profile', 'trunk-8c4p', 8, 8],
    ['with a breakout', 'breakout-1c8p-8c1p', 1, 8],
  ])('return the same peers in lists, single objects and events %s', async (kind, profile, left, right) => {
    const on = (device: string, count: number): Json[] =>
      names(`${kind} ${device} `, count).map((name) => ({ device: { name: device }, name, type: '1000base-t' }));
    const bodies = [...on('Left', left), ...on('Right', right)];
    await make('/api/dcim/interfaces/', bodies);
    const ports = bodies.map(({ name }) => port(String(name)));
    const made = await post(cable(ports.slice(0, left), ports.slice(left), { profile }));
    expect(made.status).toBe(201);
    const own = ports.map(({ object_id: id }) => id);
    const query = { id: own.map(String), limit: '50' };
    const { body: list } = await test.api.get<{ results: Json[] }>('/api/dcim/interfaces/', { query });
    const { rows } = await test.inventory.database.query<{ data: Json }>(
      `SELECT DISTINCT ON (key) payload::jsonb -> 'data' AS data FROM queue.outbox WHERE key = ANY ($1) ORDER BY key, id DESC`,
      [own.map((id) => `dcim.interface:${id}`)],
    );
    const ends = ({ link_peers: peers, connected_endpoints: endpoints }: Json): unknown => [peers, endpoints];
    const idsIn = (objects: unknown): unknown => (objects as Json[]).map(({ id }) => id);
    for (const { name } of bodies) {
      const object = await interfaceOf(String(name));
      expect(ends(list.results.find((one) => one['id'] === object['id']) ?? {})).toEqual(ends(object));
      const { data } = rows.find((row) => row.data['id'] === object['id']) ?? { data: {} };
      expect([idsIn(data['link_peers']), idsIn(data['connected_endpoints'])]).toEqual([
        idsIn(object['link_peers']),
        idsIn(object['connected_endpoints']),
      ]);
    }
    const peers = (await interfaceOf(String(bodies[0]?.['name'])))['link_peers'];
    expect(peers).toHaveLength(profile === 'trunk-8c4p' ? 1 : right);
    expect((await test.api.delete(`${cables}${String(made.body['id'])}/`)).status).toBe(204);
  });
});

describe('PATCH of a list of link peers', () => {
  const port = { device: { name: 'Left' }, type: '8p8c' };
  it.each([
    ['interfaces', 'dcim.interface', { ...port, type: '1000base-t' }],
    ['front-ports', 'dcim.frontport', port],
  ])(
    'returns %s with the new names of the ports at the opposite ends of their cables',
    async (path, object_type, more) => {
      const created = await test.api.post<{ id: number }[]>(`/api/dcim/${path}/`, {
        json: ['peer 1', 'peer 2'].map((name) => ({ ...more, name })),
      });
      const [a, b] = created.body.map(({ id }) => [{ object_type, object_id: id }]);
      expect((await post(cable(a ?? [], b ?? []))).status).toBe(201);
      const json = created.body.map(({ id }, index) => ({ id, name: `renamed ${index + 1}` }));
      const { body } = await test.api.patch<Json[]>(`/api/dcim/${path}/`, { json });
      expect(body).toMatchObject([
        { name: 'renamed 1', link_peers: [{ name: 'renamed 2' }] },
        { name: 'renamed 2', link_peers: [{ name: 'renamed 1' }] },
      ]);
      const ids = created.body.map(({ id }) => `${object_type}:${id}`);
      const { rows } = await test.inventory.database.query<{ names: string }>(
        `SELECT DISTINCT ON (key) payload::jsonb #>> '{data,link_peers,0,name}' AS names FROM queue.outbox
        WHERE key = ANY ($1) ORDER BY key, id DESC`,
        [ids],
      );
      expect(rows.map(({ names }) => names).toSorted()).toEqual(['renamed 1', 'renamed 2']);
    },
  );
});

describe('profile of a cable', () => {
  it('determines connector, position and peers of each termination', async () => {
    const b = [port('r16'), port('r17'), port('r18'), port('r19')];
    const { body } = await post(cable([port('l16')], b, { profile: 'breakout-1c4p-4c1p' }));
    expect(body['profile']).toEqual({ value: 'breakout-1c4p-4c1p', label: '1C4P:4C1P breakout' });
    expect(await terminationsOf(body['id'])).toEqual([
      ['A', ids['l16'], 1, [1, 2, 3, 4]],
      ...[16, 17, 18, 19].map((n, index) => ['B', ids[`r${n}`], index + 1, [1]]),
    ]);
    expect(await peersOf('l16')).toEqual(['r16', 'r17', 'r18', 'r19']);
    expect(await peersOf('r18')).toEqual(['l16']);
    expect((await test.api.get<Json>('/api/dcim/interfaces/?cable_connector=3')).body['results']).toMatchObject([
      { name: 'r18' },
    ]);

    const path = `${cables}${String(body['id'])}/`;
    const tooMany = await test.api.patch(path, { json: { profile: 'trunk-2c1p' } });
    expect(tooMany.body).toEqual({
      b_terminations: ['B side of cable has 4 terminations but only 2 are permitted for profile 2C1P trunk'],
    });
    const trunk = await test.api.patch(path, {
      json: { profile: 'trunk-2c1p', a_terminations: [port('l16'), port('l17')], b_terminations: b.slice(0, 2) },
    });
    expect(trunk.status).toBe(200);
    expect([await peersOf('l16'), await peersOf('l17'), await peersOf('r17')]).toEqual([['r16'], ['r17'], ['l17']]);
    await test.api.patch(path, { json: { profile: null } });
    expect(await terminationsOf(body['id'])).toMatchObject([
      ['A', ids['l16'], null, null],
      ['A', ids['l17'], null, null],
      ['B', ids['r16'], null, null],
      ['B', ids['r17'], null, null],
    ]);
    expect(await peersOf('l16')).toEqual(['r16', 'r17']);
  });

  it('connects positions in a different order at each end when the profile is a shuffle', async () => {
    const a = [port('l18'), port('l19')];
    const b = [port('r20'), port('r21')];
    const { body } = await post(cable(a, b, { profile: 'trunk-2c4p-shuffle' }));
    expect([await peersOf('l18'), await peersOf('r21')]).toEqual([
      ['r20', 'r21'],
      ['l18', 'l19'],
    ]);
    const path = `${cables}${String(body['id'])}/`;
    await test.api.patch(path, {
      json: { profile: 'breakout-2c4p-8c1p-shuffle', b_terminations: [...b, port('r22'), port('r23'), port('r24')] },
    });
    expect([await peersOf('l18'), await peersOf('l19'), await peersOf('r23')]).toEqual([
      ['r20', 'r21', 'r24'],
      ['r22', 'r23'],
      ['l19'],
    ]);
    const label = 'Breakout';
    expect((await test.api.patch<Json>(path, { json: { label } })).body).toMatchObject({ display: label });
  });

  it('retains the connectors of terminations that a PATCH repeats, until the profile changes', async () => {
    const on = (device: string) => (name: string) => ({ device: { name: device }, name, type: '1000base-t' });
    await make('/api/dcim/interfaces/', [...['k1', 'k2'].map(on('Left')), ...['k3', 'k4', 'k5'].map(on('Right'))]);
    const { body } = await post(cable([port('k1'), port('k2')], [port('k3'), port('k4')], { profile: 'trunk-2c1p' }));
    const path = `${cables}${String(body['id'])}/`;
    const patched = (json: Json) => test.api.patch<Json>(path, { json });
    const connectors = async () =>
      (await terminationsOf(body['id'])).slice(2).map((one) => (one as Json[]).slice(1, 3));
    await patched({ b_terminations: [port('k4'), port('k3')] });
    expect(await connectors()).toEqual([
      [ids['k3'], 1],
      [ids['k4'], 2],
    ]);
    await patched({ b_terminations: [port('k4')] });
    expect((await patched({ b_terminations: [port('k4'), port('k5')] })).body).toEqual({
      b_terminations: ['Connector 2 of side B already has another termination.'],
    });
    await patched({ b_terminations: [port('k5'), port('k4')] });
    expect(await connectors()).toEqual([
      [ids['k5'], 1],
      [ids['k4'], 2],
    ]);
    await patched({ profile: 'trunk-4c1p', b_terminations: [port('k4'), port('k5')] });
    expect(await connectors()).toEqual([
      [ids['k4'], 1],
      [ids['k5'], 2],
    ]);
  });
});

// The last test, because it checks the paths of all cables above.
describe('stored cable paths', () => {
  it('equal a new trace of all cables after all requests of this file', async () => {
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});
