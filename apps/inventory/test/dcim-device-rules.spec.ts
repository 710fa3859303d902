import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

let test: TestInventory;
const ids: Record<string, number> = {};

/** Creates an object, and records the id of the object by name. */
async function make(name: string, path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
  expect([name, status, body]).toEqual([name, 201, body]);
  ids[name] = body.id;
  return body.id;
}

const named = (name: string): Json => ({ name, slug: name.toLowerCase().replaceAll(' ', '-') });

/** Returns the request body for a device at site A that has a height of one rack unit and full depth. */
const device = (more: Json): Json => ({
  device_type: { slug: 'box' },
  role: { slug: 'access' },
  site: { slug: 'site-a' },
  ...more,
});

async function refused(json: Json): Promise<unknown> {
  const { status, body } = await test.api.post('/api/dcim/devices/', { json: device(json) });
  expect([json, status]).toEqual([json, 400]);
  return body;
}

async function added(name: string, json: Json): Promise<Json> {
  const { status, body } = await test.api.post<Json>('/api/dcim/devices/', { json: device({ name, ...json }) });
  expect([name, status, body]).toEqual([name, 201, body]);
  ids[name] = Number(body['id']);
  return body;
}

async function changed(name: string, json: Json): Promise<{ status: number; body: Json }> {
  const { status, body } = await test.api.patch<Json>(`/api/dcim/devices/${ids[name]}/`, { json });
  return { status, body };
}

beforeAll(async () => {
  test = await startInventory();
  for (const name of ['Acme', 'Other']) await make(name, 'dcim/manufacturers', named(name));
  await make('platform', 'dcim/platforms', { ...named('Acme OS'), manufacturer: ids['Acme'] });
  await make('foreign', 'dcim/platforms', { ...named('Other OS'), manufacturer: ids['Other'] });
  const type = (model: string, more: Json): Promise<number> =>
    make(model, 'dcim/device-types', { manufacturer: ids['Acme'], model, slug: model, ...more });
  await type('box', { airflow: 'front-to-rear', default_platform: ids['platform'] });
  await type('half', { u_height: 2, is_full_depth: false });
  await type('strip', { u_height: 0 });
  await type('chassis', { subdevice_role: 'parent' });
  await type('blade', { u_height: 0, subdevice_role: 'child' });
  await make('role', 'dcim/device-roles', named('Access'));
  for (const name of ['Site A', 'Site B']) await make(name, 'dcim/sites', named(name));
  for (const name of ['Room 1', 'Room 2']) await make(name, 'dcim/locations', { ...named(name), site: ids['Site A'] });
  await make('Hall', 'dcim/locations', { ...named('Hall'), site: ids['Site B'] });
  await make('rack', 'dcim/racks', { name: 'R1', site: ids['Site A'], location: ids['Room 1'], u_height: 10 });
  await make('bare', 'dcim/racks', { name: 'R2', site: ids['Site A'], u_height: 10, starting_unit: 5 });
  await make('far', 'dcim/racks', { name: 'R3', site: ids['Site B'] });
});
afterAll(() => test.close());

describe('rack position of a device', () => {
  it("requires the rack and location to belong to the device's site", async () => {
    expect(await refused({ rack: ids['far'] })).toEqual({ rack: ['Rack R3 does not belong to site Site A.'] });
    expect(await refused({ location: ids['Hall'] })).toEqual({
      location: ['Location Hall does not belong to site Site A.'],
    });
    const elsewhere = { rack: ['Rack R1 does not belong to location Room 2.'] };
    expect(await refused({ rack: ids['rack'], location: ids['Room 2'] })).toEqual(elsewhere);
    const roomless = { rack: ['Rack R2 does not belong to location Room 2.'] };
    expect(await refused({ rack: ids['bare'], location: ids['Room 2'] })).toEqual(roomless);
    const { location } = await added('placed', { rack: ids['rack'] });
    expect(location).toMatchObject({ name: 'Room 1' });
    const moved = await changed('placed', { rack: ids['far'] });
    expect(moved.body).toEqual({ rack: ['Rack R3 does not belong to site Site A.'] });
  });

  it('requires rack, face and position together', async () => {
    const { rack } = ids;
    expect(await refused({ face: 'front', position: 1 })).toEqual({
      face: ['Cannot select a rack face without assigning a rack.'],
    });
    expect(await refused({ position: 1 })).toEqual({
      position: ['Cannot select a rack position without assigning a rack.'],
    });
    expect(await refused({ rack, position: 1 })).toEqual({
      face: ['Must specify rack face when defining rack position.'],
    });
    expect(await refused({ rack, face: 'front', position: 1.2 })).toEqual({
      position: ['Position must be in increments of 0.5 rack units.'],
    });
  });

  it('rejects 0U device types and child devices', async () => {
    const { rack } = ids;
    expect(await refused({ device_type: ids['strip'], rack, face: 'front', position: 1 })).toEqual({
      position: ['A 0U device type (strip) cannot be assigned to a rack position.'],
    });
    expect(await refused({ device_type: ids['blade'], rack, face: 'front' })).toEqual({
      face: ['Child device types cannot be assigned to a rack face. This is an attribute of the parent device.'],
    });
    await added('strip-1', { device_type: ids['strip'], rack, face: 'rear' });
  });

  it('rejects a device in occupied rack units, on both faces when the device has full depth', async () => {
    const { rack, half, box } = ids;
    const taken = (position: string, type = 'box (1.0U)'): Json => ({
      position: [
        `U${position} is already occupied or does not have sufficient space to accommodate this device type: ${type}`,
      ],
    });
    await added('full', { rack, face: 'front', position: 3 });
    expect(await refused({ rack, face: 'front', position: 3 })).toEqual(taken('3.0'));
    expect(await refused({ rack, face: 'rear', position: 2.5 })).toEqual(taken('2.5'));
    expect(await refused({ device_type: half, rack, face: 'rear', position: 2 })).toEqual(taken('2.0', 'half (2.0U)'));
    await added('front half', { device_type: half, rack, face: 'front', position: 4 });
    await added('rear half', { device_type: half, rack, face: 'rear', position: 5 });
    expect(await refused({ rack, face: 'rear', position: 4 })).toEqual(taken('4.0'));
    expect(await refused({ device_type: half, rack, face: 'front', position: 10 })).toEqual(
      taken('10.0', 'half (2.0U)'),
    );
    expect(await refused({ rack, face: 'front', position: 11 })).toEqual(taken('11.0'));
    expect(await refused({ rack: ids['bare'], face: 'front', position: 4.5 })).toEqual(taken('4.5'));
    await added('last', { rack: ids['bare'], face: 'front', position: 14 });
    const { status } = await changed('full', { position: 2.5 });
    expect(status).toBe(200);
    expect(await changed('full', { position: 3.5 })).toEqual({ status: 400, body: taken('3.5') });
    // A device keeps its own units when its height grows, but cannot use units of another device.
    expect(await changed('rear half', { device_type: box })).toMatchObject({ status: 400 });
  });

  it('causes no error besides the missing object when a related object does not exist', async () => {
    const place = { rack: ids['rack'], face: 'front', position: 9 };
    const missing = 'Related object not found using the provided numeric ID: 999999';
    for (const field of ['device_type', 'site', 'rack', 'location', 'primary_ip4', 'oob_ip', 'cluster', 'platform']) {
      expect(await refused({ ...place, [field]: 999_999 })).toEqual({ [field]: [missing] });
    }
  });

  it('accepts only one of two devices that concurrent requests place in the same units', async () => {
    const wanted = device({ rack: ids['bare'], face: 'front', position: 8 });
    const other = { ...wanted, device_type: ids['half'], face: 'rear', position: 7.5 };
    const responses = await Promise.all(
      [wanted, other, wanted, other].map((json) => test.api.post('/api/dcim/devices/', { json })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });

  it('accepts only the first of two devices in one list for the same units', async () => {
    const wanted = device({ rack: ids['bare'], face: 'front', position: 12 });
    const { status, body } = await test.api.post<Json[]>('/api/dcim/devices/', { json: [wanted, wanted] });
    expect(status).toBe(400);
    expect(body.map((problems) => Object.keys(problems).length)).toEqual([0, 1]);
  });
});

describe('POST and PATCH /api/dcim/devices/', () => {
  it('set airflow and platform from the device type on creation', async () => {
    const made = await added('typical', {});
    expect(made).toMatchObject({ airflow: { value: 'front-to-rear' }, platform: { name: 'Acme OS' } });
    const cleared = await changed('typical', { airflow: null, platform: null });
    expect(cleared.body).toMatchObject({ airflow: null, platform: null });
    const own = await added('own', { airflow: 'passive' });
    expect(own).toMatchObject({ airflow: { value: 'passive' } });
  });

  it('require a platform of the manufacturer', async () => {
    expect(await refused({ platform: ids['foreign'] })).toEqual({
      platform: ["The assigned platform is limited to Other device types, but this device's type belongs to Acme."],
    });
  });

  it('require unique names per site and tenant, in any letter case', async () => {
    const tenant = await make('tenant', 'tenancy/tenants', named('Tenant'));
    await added('unique', {});
    expect(await refused({ name: 'UNIQUE' })).toEqual({ __all__: ['Device name must be unique per site.'] });
    await added('unique', { tenant });
    expect(await refused({ name: 'Unique', tenant })).toEqual({
      __all__: ['Constraint “dcim_device_unique_name_site_tenant” is violated.'],
    });
    await added('Unique', { site: ids['Site B'] });
    await added('nameless', { name: null });
    await added('nameless', { name: null });
  });

  it('return a display name made from name, chassis position or device type', async () => {
    const stack = await make('stack', 'dcim/virtual-chassis', { name: 'Stack' });
    const member = await added('first', { virtual_chassis: stack, vc_position: 3, asset_tag: 'T1' });
    expect(member['display']).toBe('first (T1)');
    const nameless = await changed('first', { name: null });
    expect(nameless.body['display']).toBe('Stack:3 (T1)');
    const alone = await changed('first', { virtual_chassis: null, vc_position: null });
    expect(alone.body['display']).toBe('Acme box (T1)');
    const untagged = await changed('first', { asset_tag: '' });
    expect(untagged.body['display']).toBe(`Acme box (${ids['first']})`);
  });
});

describe('cluster of a device', () => {
  it('rejects a cluster of another site or location', async () => {
    const type = await make('clusterType', 'virtualization/cluster-types', named('KVM'));
    const cluster = (name: string, scope: Json): Promise<number> =>
      make(name, 'virtualization/clusters', { name, type, ...scope });
    const siteB = await cluster('in B', { scope_type: 'dcim.site', scope_id: ids['Site B'] });
    const room = await cluster('in room', { scope_type: 'dcim.location', scope_id: ids['Room 1'] });
    const anywhere = await cluster('anywhere', {});
    expect(await refused({ cluster: siteB })).toEqual({
      cluster: ['The assigned cluster belongs to a different site (Site B)'],
    });
    expect(await refused({ cluster: room })).toEqual({
      cluster: ['The assigned cluster belongs to a different location (Room 1)'],
    });
    await added('host', { cluster: room, location: ids['Room 1'] });
    await added('other host', { cluster: anywhere });
  });
});

describe('child device in a device bay', () => {
  it('shows its parent bay and inherits its place', async () => {
    await added('big', { device_type: ids['chassis'], rack: ids['bare'] });
    await added('small', { device_type: ids['blade'] });
    await make('bay', 'dcim/device-bays', { device: ids['big'], name: 'Bay 1', installed_device: ids['small'] });
    const path = `/api/dcim/devices/${ids['small']}/`;
    const shown = await test.api.get<Json>(path);
    const parent = {
      id: ids['big'],
      url: `http://localhost/api/dcim/devices/${ids['big']}/`,
      display_url: `http://localhost/dcim/devices/${ids['big']}/`,
      display: 'big',
      name: 'big',
    };
    expect(shown.body['parent_device']).toEqual({
      ...parent,
      device_bay: {
        device: parent,
        id: ids['bay'],
        url: `http://localhost/api/dcim/device-bays/${ids['bay']}/`,
        display_url: `http://localhost/dcim/device-bays/${ids['bay']}/`,
        display: 'Bay 1',
        name: 'Bay 1',
      },
    });
    await changed('big', { site: ids['Site B'], rack: ids['far'] });
    const moved = await test.api.get<Json>(path);
    expect(moved.body).toMatchObject({ site: { name: 'Site B' }, rack: { name: 'R3' } });
    const changes = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', {
      query: { changed_object_type: 'dcim.device', changed_object_id: ids['small'], action: 'update' },
    });
    expect(changes.body.results).toMatchObject([
      {
        prechange_data: { site: ids['Site A'], rack: null },
        postchange_data: { site: ids['Site B'], rack: ids['far'] },
      },
    ]);
  });
});

describe('primary addresses of a device', () => {
  const assigned = (address: string, to: string | null, more: Json = {}): Promise<number> =>
    make(address, 'ipam/ip-addresses', {
      address,
      ...(to === null ? {} : { assigned_object_type: 'dcim.interface', assigned_object_id: ids[to] }),
      ...more,
    });
  const port = (name: string, owner: string, more: Json = {}): Promise<number> =>
    make(name, 'dcim/interfaces', { name, device: ids[owner], type: '1000base-t', ...more });
  const notOurs = (address: string): string => `The specified IP address (${address}) is not assigned to this device.`;

  it('require an interface of the device, or a NAT translation to an address of an interface', async () => {
    await added('router', {});
    await added('stranger', {});
    await port('eth0', 'router');
    await port('eth1', 'stranger');
    const own = await assigned('192.0.2.1/24', 'eth0');
    const foreign = await assigned('192.0.2.2/24', 'eth1');
    const six = await assigned('2001:db8::1/64', 'eth0');
    const outside = await assigned('198.51.100.1/32', null, { nat_inside: own });
    for (const [json, problem] of [
      [{ primary_ip4: six }, { primary_ip4: ['2001:db8::1/64 is not an IPv4 address.'] }],
      [{ primary_ip6: own }, { primary_ip6: ['192.0.2.1/24 is not an IPv6 address.'] }],
      [{ primary_ip4: foreign }, { primary_ip4: [notOurs('192.0.2.2/24')] }],
      [{ oob_ip: foreign }, { oob_ip: [notOurs('192.0.2.2/24')] }],
    ] as const) {
      expect(await changed('router', json)).toEqual({ status: 400, body: problem });
    }
    const four = await changed('router', { primary_ip4: outside, oob_ip: own });
    expect(four.body).toMatchObject({
      primary_ip4: { address: '198.51.100.1/32', nat_inside: { id: own }, nat_outside: [], dns_name: '' },
      primary_ip: { id: outside },
      oob_ip: { id: own, nat_outside: [{ id: outside }] },
    });
    const both = await changed('router', { primary_ip6: six });
    expect(both.body['primary_ip']).toMatchObject({ address: '2001:db8::1/64' });
    expect(await changed('stranger', { primary_ip4: foreign })).toMatchObject({ status: 200 });
    await test.api.delete(`/api/ipam/ip-addresses/${six}/`);
    expect((await test.api.get<Json>(`/api/dcim/devices/${ids['router']}/`)).body).toMatchObject({
      primary_ip6: null,
      primary_ip: { id: outside },
    });
  });

  it('accept addresses of other chassis members, except addresses of management-only interfaces', async () => {
    const chassis = await make('pair', 'dcim/virtual-chassis', { name: 'Pair' });
    await added('one', { virtual_chassis: chassis, vc_position: 1 });
    await added('two', { virtual_chassis: chassis, vc_position: 2 });
    await port('xe-0', 'two');
    await port('mgmt', 'two', { mgmt_only: true });
    const shared = await assigned('192.0.2.11/24', 'xe-0');
    const management = await assigned('192.0.2.12/24', 'mgmt');
    expect(await changed('one', { primary_ip4: management })).toEqual({
      status: 400,
      body: { primary_ip4: [notOurs('192.0.2.12/24')] },
    });
    expect(await changed('one', { primary_ip4: shared })).toMatchObject({ status: 200 });
  });
});

describe('local context data of a device', () => {
  it('rejects data that is not an object', async () => {
    for (const local_context_data of [[], 5, 'x']) {
      expect(await refused({ local_context_data })).toEqual({
        local_context_data: ['JSON data must be in object form. Example: {"foo": 123}'],
      });
    }
  });
});
