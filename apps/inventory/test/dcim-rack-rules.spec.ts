import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('writes of locations and racks', () => {
  let test: TestInventory;
  let [here, there] = [0, 0];
  beforeAll(async () => {
    test = await startInventory();
    here = await make('dcim/sites', { name: 'Here', slug: 'here' });
    there = await make('dcim/sites', { name: 'There', slug: 'there' });
    await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
    await make('dcim/device-roles', { name: 'Access', slug: 'access' });
  });
  afterAll(() => test.close());

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const change = async (path: string, json: Json): Promise<Json> => {
    const { status, body } = await test.api.patch<Json>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 200, body]);
    return body;
  };
  const read = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;
  const refused = async (path: string, json: unknown, body: Json): Promise<void> => {
    expect(await test.api.post(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };
  const unchanged = async (path: string, json: unknown, body: Json): Promise<void> => {
    expect(await test.api.patch(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };

  let made = 0;
  const typeOf = (fields: Json = {}): Promise<number> => {
    made += 1;
    const body = { manufacturer: { slug: 'acme' }, model: `Box ${made}`, slug: `box-${made}`, ...fields };
    return make('dcim/device-types', body);
  };
  const deviceOf = (type: number, fields: Json = {}): Promise<number> =>
    make('dcim/devices', { device_type: type, role: { slug: 'access' }, site: here, ...fields });

  it("require a location to be in its parent's site and to have a unique name", async () => {
    const hall = await make('dcim/locations', { name: 'Hall', slug: 'hall', site: here });
    await make('dcim/locations', { name: 'Hall', slug: 'hall', site: there });
    const apart = 'Parent location (Hall) must belong to the same site (There).';
    await refused('dcim/locations', { name: 'Room', slug: 'room', site: there, parent: hall }, { __all__: [apart] });
    await refused(
      'dcim/locations',
      { name: 'Hall', slug: 'other', site: here },
      { __all__: ['A location with this name already exists within the specified site.'] },
    );
    await make('dcim/locations', { name: 'Room', slug: 'room', site: here, parent: hall });
    await refused(
      'dcim/locations',
      { name: 'Room', slug: 'room-2', site: here, parent: hall },
      { __all__: ['Location with this Site, Parent and Name already exists.'] },
    );
    await unchanged(
      `dcim/locations/${hall}`,
      { parent: hall },
      { parent: ['Cannot assign self or child location as parent.'] },
    );
  });

  it('move racks and devices in all nested locations when a location moves to another site', async () => {
    const yard = await make('dcim/locations', { name: 'Yard', slug: 'yard', site: here });
    const shed = await make('dcim/locations', { name: 'Shed', slug: 'shed', site: here, parent: yard });
    const rack = await make('dcim/racks', { name: 'Y 1', site: here, location: shed });
    const type = await typeOf();
    const racked = await deviceOf(type, { name: 'racked', rack, location: shed });
    const loose = await deviceOf(type, { name: 'loose', location: yard });
    const panel = await make('dcim/power-panels', { name: 'Panel', site: here, location: shed });
    await unchanged(
      `dcim/locations/${shed}`,
      { site: there },
      {
        __all__: ['Parent location (Yard) must belong to the same site (There).'],
      },
    );
    expect(
      (await test.api.patch('/api/dcim/locations/', { json: [yard, shed].map((id) => ({ id, site: there })) })).status,
    ).toBe(200);
    const places = ['locations', 'racks', 'devices', 'devices', 'power-panels'];
    const moved = await Promise.all(
      [shed, rack, racked, loose, panel].map((id, index) => read(`dcim/${places[index]}/${id}`)),
    );
    expect(moved.map(({ site }) => site)).toMatchObject(moved.map(() => ({ name: 'There' })));
    await change(`dcim/locations/${yard}`, { site: here });
    expect((await read(`dcim/racks/${rack}`))['site']).toMatchObject({ name: 'Here' });
    await deviceOf(type, { name: 'loose', site: there });
    await unchanged(`dcim/locations/${yard}`, { site: there }, { site: ['Device name must be unique per site.'] });
  });

  it('require that a rack has the site of its location, and move the devices of a moved rack', async () => {
    const attic = await make('dcim/locations', { name: 'Attic', slug: 'attic', site: here });
    const body = { name: 'A 1', site: there, location: attic };
    await refused('dcim/racks', body, { __all__: ['Assigned location must belong to parent site (There).'] });
    const rack = await make('dcim/racks', { ...body, site: here, facility_id: 'F 1' });
    expect((await read(`dcim/racks/${rack}`))['display']).toBe('A 1 (F 1)');
    await unchanged(
      `dcim/racks/${rack}`,
      { site: there },
      {
        __all__: ['Assigned location must belong to parent site (There).'],
      },
    );
    await refused(
      'dcim/racks',
      { ...body, site: here },
      { __all__: ['Rack with this Location and Name already exists.'] },
    );
    await refused(
      'dcim/racks',
      { name: 'A 2', site: here, location: attic, facility_id: 'F 1' },
      {
        __all__: ['Rack with this Location and Facility ID already exists.'],
      },
    );
    const device = await deviceOf(await typeOf(), { name: 'moving', rack, location: attic });
    await change(`dcim/racks/${rack}`, { site: there, location: null });
    expect(await read(`dcim/devices/${device}`)).toMatchObject({ site: { name: 'There' }, location: null });
  });

  it('require a unit for each dimension, and remove a unit without a dimension', async () => {
    const body = { name: 'M 1', site: here };
    const type = { manufacturer: { slug: 'acme' }, model: 'M', slug: 'm', form_factor: 'wall-frame' };
    const says = (message: string): Json => ({ __all__: [message] });
    for (const [path, fields] of [
      ['dcim/racks', body],
      ['dcim/rack-types', type],
    ] as const) {
      await refused(path, { ...fields, weight: 5 }, says('Must specify a unit when setting a weight'));
      await refused(path, { ...fields, outer_depth: 5 }, says('Must specify a unit when setting an outer dimension'));
      await refused(path, { ...fields, max_weight: 5 }, says('Must specify a unit when setting a maximum weight'));
      const { body: kept } = await test.api.post<Json>(`/api/${path}/`, { json: { ...fields, outer_unit: 'mm' } });
      expect(kept['outer_unit']).toBeNull();
    }
    const { form_factor: _form, ...formless } = type;
    await refused(
      'dcim/rack-types',
      { ...formless, model: 'N', slug: 'n' },
      { form_factor: ['This field cannot be blank.'] },
    );
    await refused(
      'dcim/device-types',
      { ...type, model: 'W', slug: 'w', weight: 1 },
      says('Must specify a unit when setting a weight'),
    );
  });

  it('copy dimensions from the rack type to racks, also when the type changes', async () => {
    const type = await make('dcim/rack-types', {
      manufacturer: { slug: 'acme' },
      model: 'Tall',
      slug: 'tall',
      form_factor: '4-post-cabinet',
      u_height: 48,
      outer_width: 600,
      outer_unit: 'mm',
      weight: 80,
      weight_unit: 'kg',
    });
    const rack = await make('dcim/racks', { name: 'T 1', site: here, rack_type: type, u_height: 12, width: 10 });
    const [before, known] = [
      await read(`dcim/racks/${rack}`),
      { rack_type: { model: 'Tall' }, outer_unit: { value: 'mm' } },
    ];
    expect(before).toMatchObject({
      ...known,
      u_height: 48,
      width: { value: 19 },
      form_factor: { value: '4-post-cabinet' },
    });
    expect(await change(`dcim/racks/${rack}`, { u_height: 5 })).toMatchObject({ u_height: 48 });
    await change(`dcim/rack-types/${type}`, { u_height: 45, starting_unit: 3, outer_width: null });
    expect(await read(`dcim/racks/${rack}`)).toMatchObject({
      u_height: 45,
      starting_unit: 3,
      outer_unit: null,
      weight: 80,
    });
    await deviceOf(await typeOf({ u_height: 2 }), { name: 'on top', rack, position: 40, face: 'front' });
    const low = ['Rack must be at least 39.0U tall to house currently installed devices.'];
    await unchanged(`dcim/rack-types/${type}`, { u_height: 10 }, { u_height: low });
    const short = await make('dcim/rack-types', {
      manufacturer: { slug: 'acme' },
      model: 'Short',
      slug: 'short',
      form_factor: 'wall-frame',
      u_height: 10,
      starting_unit: 3,
    });
    await unchanged(`dcim/racks/${rack}`, { rack_type: short }, { rack_type: low });
    expect(await change(`dcim/racks/${rack}`, { rack_type: null })).toMatchObject({ rack_type: null, u_height: 45 });
    await unchanged(`dcim/racks/${rack}`, { u_height: 38 }, { u_height: low });
    await unchanged(
      `dcim/racks/${rack}`,
      { starting_unit: 41 },
      {
        starting_unit: ['Rack unit numbering must begin at 40.0 or less to house currently installed devices.'],
      },
    );
    await change(`dcim/racks/${rack}`, { u_height: 39 });
  });

  it('accept only one of several concurrent reservations of the same rack unit', async () => {
    const rack = await make('dcim/racks', { name: 'R 1', site: here, u_height: 10, starting_unit: 2 });
    const body = (...units: readonly number[]): Json => ({ rack, units, user: test.adminId, description: 'Mine' });
    await refused('dcim/rack-reservations', body(1, 11, 99), { units: ['Invalid unit(s) for 10U rack: 1, 99'] });
    await refused('dcim/rack-reservations', body(), { units: ['This list may not be empty.'] });
    const first = await make('dcim/rack-reservations', body(2, 3));
    const taken = 'The following units have already been reserved: ';
    await refused('dcim/rack-reservations', body(4, 3, 2), { units: [`${taken}3, 2`] });
    await refused('dcim/rack-reservations', [body(8), body(9), body(8, 10)], { 2: { units: [`${taken}8`] } });
    await change(`dcim/rack-reservations/${first}`, { units: [3, 4] });
    const responses = await Promise.all(
      [5, 5, 5, 5].map((unit) => test.api.post('/api/dcim/rack-reservations/', { json: body(unit) })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
    const { body: list } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
      query: { changed_object_type: 'dcim.rackreservation', changed_object_id: first },
    });
    expect(list.results).toHaveLength(2);
  });

  it('require the rack and the panel of a power feed to have the same site', async () => {
    const far = await make('dcim/locations', { name: 'Far', slug: 'far', site: there });
    await refused(
      'dcim/power-panels',
      { name: 'P 1', site: here, location: far },
      {
        __all__: ['Location Far (There) is in a different site than Here'],
      },
    );
    const panel = await make('dcim/power-panels', { name: 'P 1', site: here });
    const rack = await make('dcim/racks', { name: 'P 1', site: there, facility_id: 'F 9' });
    const feed = { name: 'F 1', power_panel: panel };
    await refused(
      'dcim/power-feeds',
      { ...feed, rack },
      {
        __all__: ['Rack P 1 (F 9) (There) and power panel P 1 (Here) are in different sites.'],
      },
    );
    await refused(
      'dcim/power-feeds',
      { ...feed, voltage: -48 },
      { voltage: ['Voltage cannot be negative for AC supply'] },
    );
    await refused('dcim/power-feeds', { ...feed, voltage: 0 }, { voltage: ['This value may not be 0.'] });
    expect(await read(`dcim/power-feeds/${await make('dcim/power-feeds', feed)}`)).toMatchObject({
      voltage: 120,
      amperage: 15,
      max_utilization: 80,
      connected_endpoints: null,
      connected_endpoints_reachable: false,
      link_peers: [],
    });
    await refused('dcim/power-feeds', feed, { __all__: ['Power feed with this Power panel and Name already exists.'] });
  });
});
