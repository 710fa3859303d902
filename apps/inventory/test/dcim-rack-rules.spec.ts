import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

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

describe('writes of locations and racks', () => {
  it('reject a location at another site than its parent', async () => {
    const hall = await make('dcim/locations', { name: 'Hall', slug: 'hall', site: here });
    const apart = 'Parent location (Hall) must belong to the same site (There).';
    await refused('dcim/locations', { name: 'Room', slug: 'room', site: there, parent: hall }, { __all__: [apart] });
  });

  it('reject a second location with the same name at a site or below a parent', async () => {
    const wing = await make('dcim/locations', { name: 'Wing', slug: 'wing', site: here });
    await make('dcim/locations', { name: 'Wing', slug: 'wing', site: there });
    await refused(
      'dcim/locations',
      { name: 'Wing', slug: 'other', site: here },
      { __all__: ['A location with this name already exists within the specified site.'] },
    );
    await make('dcim/locations', { name: 'Room', slug: 'room', site: here, parent: wing });
    await refused(
      'dcim/locations',
      { name: 'Room', slug: 'room-2', site: here, parent: wing },
      { __all__: ['Location with this Site, Parent and Name already exists.'] },
    );
  });

  it('reject a location as its own parent', async () => {
    const loop = await make('dcim/locations', { name: 'Loop', slug: 'loop', site: here });
    await unchanged(
      `dcim/locations/${loop}`,
      { parent: loop },
      { parent: ['Cannot assign self or child location as parent.'] },
    );
  });

  it('reject a move of a location to another site than its parent', async () => {
    const park = await make('dcim/locations', { name: 'Park', slug: 'park', site: here });
    const hut = await make('dcim/locations', { name: 'Hut', slug: 'hut', site: here, parent: park });
    await unchanged(
      `dcim/locations/${hut}`,
      { site: there },
      { __all__: ['Parent location (Park) must belong to the same site (There).'] },
    );
  });

  it('move racks, devices and power panels in all nested locations when a location moves to another site', async () => {
    const yard = await make('dcim/locations', { name: 'Yard', slug: 'yard', site: here });
    const shed = await make('dcim/locations', { name: 'Shed', slug: 'shed', site: here, parent: yard });
    const rack = await make('dcim/racks', { name: 'Y 1', site: here, location: shed });
    const type = await typeOf();
    const racked = await deviceOf(type, { name: 'racked', rack, location: shed });
    const loose = await deviceOf(type, { name: 'loose', location: yard });
    const panel = await make('dcim/power-panels', { name: 'Panel', site: here, location: shed });
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
  });

  it('reject a move of a location to a site that has a device with the name of a moved device', async () => {
    const garage = await make('dcim/locations', { name: 'Garage', slug: 'garage', site: here });
    const type = await typeOf();
    await deviceOf(type, { name: 'twin', location: garage });
    await deviceOf(type, { name: 'twin', site: there });
    await unchanged(`dcim/locations/${garage}`, { site: there }, { site: ['Device name must be unique per site.'] });
  });

  it('reject a rack at another site than its location', async () => {
    const attic = await make('dcim/locations', { name: 'Attic', slug: 'attic', site: here });
    const body = { name: 'A 1', site: there, location: attic };
    const problem = { __all__: ['Assigned location must belong to parent site (There).'] };
    await refused('dcim/racks', body, problem);
    const rack = await make('dcim/racks', { ...body, site: here });
    await unchanged(`dcim/racks/${rack}`, { site: there }, problem);
  });

  it('reject a second rack with the same name or the same facility id at a location', async () => {
    const location = await make('dcim/locations', { name: 'Cellar', slug: 'cellar', site: here });
    const body = { name: 'C 1', site: here, location };
    await make('dcim/racks', { ...body, facility_id: 'F 1' });
    await refused('dcim/racks', body, { __all__: ['Rack with this Location and Name already exists.'] });
    await refused(
      'dcim/racks',
      { ...body, name: 'C 2', facility_id: 'F 1' },
      { __all__: ['Rack with this Location and Facility ID already exists.'] },
    );
  });

  it('include the facility id of a rack in its display name', async () => {
    const rack = await make('dcim/racks', { name: 'D 1', site: here, facility_id: 'F 1' });
    expect((await read(`dcim/racks/${rack}`))['display']).toBe('D 1 (F 1)');
  });

  it('move the devices of a rack when the rack moves to another site', async () => {
    const location = await make('dcim/locations', { name: 'Loft', slug: 'loft', site: here });
    const rack = await make('dcim/racks', { name: 'L 1', site: here, location });
    const device = await deviceOf(await typeOf(), { name: 'moving', rack, location });
    await change(`dcim/racks/${rack}`, { site: there, location: null });
    expect(await read(`dcim/devices/${device}`)).toMatchObject({ site: { name: 'There' }, location: null });
  });

  const says = (message: string): Json => ({ __all__: [message] });
  const rackTypeBody = { manufacturer: { slug: 'acme' }, model: 'M', slug: 'm', form_factor: 'wall-frame' };
  const bodyByPath = { 'dcim/racks': () => ({ name: 'M 1', site: here }), 'dcim/rack-types': () => rackTypeBody };

  it.each(['dcim/racks', 'dcim/rack-types'] as const)('require a unit for each dimension: %s', async (path) => {
    const fields = bodyByPath[path]();
    await refused(path, { ...fields, weight: 5 }, says('Must specify a unit when setting a weight'));
    await refused(path, { ...fields, outer_depth: 5 }, says('Must specify a unit when setting an outer dimension'));
    await refused(path, { ...fields, max_weight: 5 }, says('Must specify a unit when setting a maximum weight'));
  });

  it('require a unit for the weight of a device type', async () => {
    const body = { ...rackTypeBody, model: 'W', slug: 'w', weight: 1 };
    await refused('dcim/device-types', body, says('Must specify a unit when setting a weight'));
  });

  it.each(['dcim/racks', 'dcim/rack-types'] as const)('remove a unit without a dimension: %s', async (path) => {
    const { body } = await test.api.post<Json>(`/api/${path}/`, { json: { ...bodyByPath[path](), outer_unit: 'mm' } });
    expect(body['outer_unit']).toBeNull();
  });

  it('require a form factor for a rack type', async () => {
    const { form_factor: _form, ...formless } = rackTypeBody;
    await refused(
      'dcim/rack-types',
      { ...formless, model: 'N', slug: 'n' },
      { form_factor: ['This field cannot be blank.'] },
    );
  });

  const rackTypeOf = (model: string, fields: Json): Promise<number> =>
    make('dcim/rack-types', { manufacturer: { slug: 'acme' }, model, slug: model.toLowerCase(), ...fields });

  it('copy dimensions from the rack type to a rack, instead of dimensions in requests', async () => {
    const type = await rackTypeOf('Tall', {
      form_factor: '4-post-cabinet',
      u_height: 48,
      outer_width: 600,
      outer_unit: 'mm',
    });
    const rack = await make('dcim/racks', { name: 'T 1', site: here, rack_type: type, u_height: 12, width: 10 });
    expect(await read(`dcim/racks/${rack}`)).toMatchObject({
      rack_type: { model: 'Tall' },
      outer_unit: { value: 'mm' },
      u_height: 48,
      width: { value: 19 },
      form_factor: { value: '4-post-cabinet' },
    });
    expect(await change(`dcim/racks/${rack}`, { u_height: 5 })).toMatchObject({ u_height: 48 });
  });

  it('copy changed dimensions of a rack type to its racks', async () => {
    const type = await rackTypeOf('Wide', {
      form_factor: '4-post-cabinet',
      u_height: 48,
      outer_width: 600,
      outer_unit: 'mm',
      weight: 80,
      weight_unit: 'kg',
    });
    const rack = await make('dcim/racks', { name: 'W 1', site: here, rack_type: type });
    await change(`dcim/rack-types/${type}`, { u_height: 45, starting_unit: 3, outer_width: null });
    expect(await read(`dcim/racks/${rack}`)).toMatchObject({
      u_height: 45,
      starting_unit: 3,
      outer_unit: null,
      weight: 80,
    });
  });

  it('retain the dimensions of a rack when its rack type is removed', async () => {
    const type = await rackTypeOf('Left', { form_factor: '4-post-cabinet', u_height: 45 });
    const rack = await make('dcim/racks', { name: 'L 2', site: here, rack_type: type });
    expect(await change(`dcim/racks/${rack}`, { rack_type: null })).toMatchObject({ rack_type: null, u_height: 45 });
  });

  it('reject a height that is too small for the mounted devices, of a rack or of its rack type', async () => {
    const type = await rackTypeOf('High', { form_factor: '4-post-cabinet', u_height: 45, starting_unit: 3 });
    const rack = await make('dcim/racks', { name: 'H 1', site: here, rack_type: type });
    await deviceOf(await typeOf({ u_height: 2 }), { name: 'on top', rack, position: 40, face: 'front' });
    const low = ['Rack must be at least 39.0U tall to house currently installed devices.'];
    await unchanged(`dcim/rack-types/${type}`, { u_height: 10 }, { u_height: low });
    const short = await rackTypeOf('Short', { form_factor: 'wall-frame', u_height: 10, starting_unit: 3 });
    await unchanged(`dcim/racks/${rack}`, { rack_type: short }, { rack_type: low });
    await change(`dcim/racks/${rack}`, { rack_type: null });
    await unchanged(`dcim/racks/${rack}`, { u_height: 38 }, { u_height: low });
    await change(`dcim/racks/${rack}`, { u_height: 39 });
  });

  it('reject a starting unit of a rack above its lowest mounted device', async () => {
    const rack = await make('dcim/racks', { name: 'S 1', site: here, u_height: 45, starting_unit: 3 });
    await deviceOf(await typeOf({ u_height: 2 }), { name: 'lowest', rack, position: 40, face: 'front' });
    await unchanged(
      `dcim/racks/${rack}`,
      { starting_unit: 41 },
      { starting_unit: ['Rack unit numbering must begin at 40.0 or less to house currently installed devices.'] },
    );
  });

  const reservationOf = (rack: number, ...units: readonly number[]): Json => ({
    rack,
    units,
    user: test.adminId,
    description: 'Mine',
  });

  it('reject a reservation of no units, or of units that the rack does not have', async () => {
    const rack = await make('dcim/racks', { name: 'R 1', site: here, u_height: 10, starting_unit: 2 });
    await refused('dcim/rack-reservations', reservationOf(rack, 1, 11, 99), {
      units: ['Invalid unit(s) for 10U rack: 1, 99'],
    });
    await refused('dcim/rack-reservations', reservationOf(rack), { units: ['This list may not be empty.'] });
  });

  it('reject a reservation of reserved units, also of units that the same request reserves', async () => {
    const rack = await make('dcim/racks', { name: 'R 2', site: here, u_height: 10, starting_unit: 2 });
    await make('dcim/rack-reservations', reservationOf(rack, 2, 3));
    const taken = 'The following units have already been reserved: ';
    await refused('dcim/rack-reservations', reservationOf(rack, 4, 3, 2), { units: [`${taken}3, 2`] });
    await refused(
      'dcim/rack-reservations',
      [reservationOf(rack, 8), reservationOf(rack, 9), reservationOf(rack, 8, 10)],
      { 2: { units: [`${taken}8`] } },
    );
  });

  it('allow a reservation to retain a unit when its units change, and record the change once', async () => {
    const rack = await make('dcim/racks', { name: 'R 3', site: here, u_height: 10 });
    const first = await make('dcim/rack-reservations', reservationOf(rack, 2, 3));
    await change(`dcim/rack-reservations/${first}`, { units: [3, 4] });
    const { body: list } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
      query: { changed_object_type: 'dcim.rackreservation', changed_object_id: first },
    });
    expect(list.results.map(({ action }) => action)).toMatchObject([{ value: 'update' }, { value: 'create' }]);
  });

  it('accept only one of several concurrent reservations of the same rack unit', async () => {
    const rack = await make('dcim/racks', { name: 'R 4', site: here, u_height: 10 });
    const responses = await Promise.all(
      [5, 5, 5, 5].map((unit) => test.api.post('/api/dcim/rack-reservations/', { json: reservationOf(rack, unit) })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
  });
});

describe('writes of power panels and power feeds', () => {
  it('reject a power panel at another site than its location', async () => {
    const far = await make('dcim/locations', { name: 'Far', slug: 'far', site: there });
    await refused(
      'dcim/power-panels',
      { name: 'P 1', site: here, location: far },
      { __all__: ['Location Far (There) is in a different site than Here'] },
    );
  });

  it('reject a power feed whose rack and power panel are at different sites', async () => {
    const panel = await make('dcim/power-panels', { name: 'P 1', site: here });
    const rack = await make('dcim/racks', { name: 'P 1', site: there, facility_id: 'F 9' });
    await refused(
      'dcim/power-feeds',
      { name: 'F 1', power_panel: panel, rack },
      { __all__: ['Rack P 1 (F 9) (There) and power panel P 1 (Here) are in different sites.'] },
    );
  });

  it('reject a negative voltage of an AC power feed, and the voltage 0', async () => {
    const feed = { name: 'F 1', power_panel: await make('dcim/power-panels', { name: 'P 2', site: here }) };
    await refused(
      'dcim/power-feeds',
      { ...feed, voltage: -48 },
      { voltage: ['Voltage cannot be negative for AC supply'] },
    );
    await refused('dcim/power-feeds', { ...feed, voltage: 0 }, { voltage: ['This value may not be 0.'] });
  });

  it('create a power feed with default electrical values and without connections', async () => {
    const panel = await make('dcim/power-panels', { name: 'P 3', site: here });
    const feed = await make('dcim/power-feeds', { name: 'F 1', power_panel: panel });
    expect(await read(`dcim/power-feeds/${feed}`)).toMatchObject({
      voltage: 120,
      amperage: 15,
      max_utilization: 80,
      connected_endpoints: null,
      connected_endpoints_reachable: false,
      link_peers: [],
    });
  });

  it('reject a second power feed with the same name at a power panel', async () => {
    const feed = { name: 'F 1', power_panel: await make('dcim/power-panels', { name: 'P 4', site: here }) };
    await make('dcim/power-feeds', feed);
    await refused('dcim/power-feeds', feed, { __all__: ['Power feed with this Power panel and Name already exists.'] });
  });
});
