import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

let test: TestInventory;
/** Ids of the objects that were created before the tests, by name of the object. */
const ids: Record<string, number> = {};
const interfaces = '/api/dcim/interfaces/';

/** Creates objects in one request, and records the ids of the objects by name. */
async function make(path: string, bodies: readonly Json[]): Promise<void> {
  const { body } = await test.api.post<{ id: number; name: string }[]>(path, { json: bodies });
  for (const { id, name } of body) ids[name] = id;
}

const on = (device: string, name: string, type: string, more: Json = {}): Json => ({
  device: { name: device },
  name,
  type,
  ...more,
});
const refusal = async (body: Json): Promise<unknown> =>
  (await test.api.post(interfaces, { json: on('One', 'new', '1000base-t', body) })).body;
const patch = async (name: string, json: Json) => test.api.patch<Json>(`${interfaces}${ids[name]}/`, { json });
const namesOf = async (query: string): Promise<unknown[]> => {
  const { body } = await test.api.get<{ results: Json[] }>(`${interfaces}?${query}`);
  return body.results.map(({ name }) => name);
};

beforeAll(async () => {
  test = await startInventory();
  for (const { path, body } of deviceSurroundings) await test.api.post(path, { json: body });
  await make('/api/dcim/sites/', [{ name: 'Berlin', slug: 'berlin' }]);
  await make('/api/dcim/virtual-chassis/', [{ name: 'Stack' }]);
  await make('/api/dcim/devices/', [
    { ...deviceBasics, name: 'One' },
    { ...deviceBasics, name: 'Other' },
    { ...deviceBasics, name: 'Member 1', virtual_chassis: { name: 'Stack' }, vc_position: 1 },
    { ...deviceBasics, name: 'Member 2', virtual_chassis: { name: 'Stack' }, vc_position: 2 },
  ]);
  await test.api.patch(`/api/dcim/virtual-chassis/${ids['Stack']}/`, { json: { master: ids['Member 1'] } });
  await make('/api/ipam/vlans/', [
    { name: 'here', vid: 10, site: { slug: 'amsterdam' } },
    { name: 'there', vid: 20, site: ids['Berlin'] },
    { name: 'global', vid: 30 },
  ]);
  await make(interfaces, [
    on('One', 'lag', 'lag'),
    on('One', 'plain', '1000base-t'),
    on('Other', 'foreign', 'lag', { label: 'far' }),
    on('Member 1', 'm1', '1000base-t'),
    on('Member 1', 'm1 mgmt', '1000base-t', { mgmt_only: true }),
    on('Member 2', 'm2', '1000base-t'),
    on('Member 2', 'm2 mgmt', '1000base-t', { mgmt_only: true }),
  ]);
});
afterAll(() => test.close());

describe('POST and PATCH /api/dcim/interfaces/', () => {
  it("accept parent, bridge and LAG interfaces of the interface's own device only", async () => {
    const { foreign, lag } = ids;
    expect(await refusal({ parent: lag })).toEqual({
      parent: ['Only virtual interfaces may be assigned to a parent interface.'],
    });
    expect(await refusal({ type: 'virtual', lag })).toEqual({
      lag: ['Virtual interfaces cannot have a parent LAG interface.'],
    });
    expect(await refusal({ type: 'virtual', parent: foreign })).toEqual({
      parent: ['The selected parent interface (foreign (far)) belongs to a different device (Other)'],
    });
    expect(await refusal({ bridge: foreign })).toEqual({
      bridge: ['The selected bridge interface (foreign (far)) belongs to a different device (Other).'],
    });
    expect(await refusal({ lag: foreign })).toEqual({
      lag: ['The selected LAG interface (foreign (far)) belongs to a different device (Other).'],
    });
    expect((await patch('m2', { lag: foreign })).body).toEqual({
      lag: ['The selected LAG interface (foreign (far)) belongs to Other, which is not part of virtual chassis Stack.'],
    });
    expect((await patch('m2', { bridge: ids['m1'] })).body).toMatchObject({ bridge: { name: 'm1' } });
    expect((await patch('lag', { lag })).body).toEqual({ lag: ['A LAG interface cannot be its own parent.'] });
    expect((await patch('lag', { bridge: lag })).body).toEqual({
      bridge: ['An interface cannot be bridged to itself.'],
    });
    expect((await patch('lag', { type: 'virtual', parent: lag })).body).toEqual({
      parent: ['An interface cannot be its own parent.'],
    });
    const { body } = await test.api.post<Json>(interfaces, { json: on('One', 'lag.1', 'virtual', { parent: lag }) });
    expect(body).toMatchObject({ parent: { name: 'lag', device: { name: 'One' } } });
    expect((await test.api.delete(`${interfaces}${lag}/`)).body).toEqual({
      detail: `Unable to delete object. 1 dependent objects were found: lag.1 (${String(body['id'])})`,
    });
  });

  it('reject a move of the interface to another device, and a name that the device already has', async () => {
    expect((await patch('plain', { device: { name: 'Other' } })).body).toEqual({
      device: ['Components cannot be moved to a different device.'],
    });
    expect(await refusal({ name: 'plain' })).toEqual({
      __all__: ['Interface with this Device and Name already exists.'],
    });
  });

  it('accept only VLANs of the site of the interface and only if the mode allows VLANs', async () => {
    const { here, there, global } = ids;
    expect(await refusal({ untagged_vlan: here, tagged_vlans: [here], qinq_svlan: here })).toEqual({
      untagged_vlan: ['Interface mode does not support untagged vlan'],
      tagged_vlans: ['Interface mode does not support tagged vlans'],
      qinq_svlan: ['Interface mode does not support q-in-q service vlan'],
    });
    for (const mode of ['access', 'tagged-all']) {
      expect(await refusal({ mode, tagged_vlans: [here] })).toEqual({
        tagged_vlans: ['Interface mode does not support tagged vlans'],
      });
    }
    const elsewhere = "must belong to the same site as the interface's parent device, or it must be global.";
    expect(await refusal({ mode: 'access', untagged_vlan: there })).toEqual({
      untagged_vlan: [`The untagged VLAN (there (20)) ${elsewhere}`],
    });
    expect(await refusal({ mode: 'tagged', tagged_vlans: [global, there] })).toEqual({
      tagged_vlans: [`VLAN there (20) ${elsewhere}`],
    });
    const set = await patch('plain', { mode: 'tagged', untagged_vlan: global, tagged_vlans: [here, global] });
    expect(set.body).toMatchObject({ untagged_vlan: { vid: 30 }, tagged_vlans: [{ vid: 10 }, { vid: 30 }] });
  });

  it('reject a change to a mode without tagged VLANs unless the tagged VLANs are removed', async () => {
    const refused = { tagged_vlans: ['Interface mode does not support tagged vlans'] };
    expect((await patch('plain', { mode: 'access' })).body).toEqual(refused);
    const listed = await test.api.patch<Json>(interfaces, {
      json: [{ id: ids['m1'] }, { id: ids['plain'], mode: 'tagged-all' }],
    });
    expect(listed.body).toEqual(refused);
    expect((await patch('plain', { mode: null })).body).toMatchObject({
      untagged_vlan: ['Interface mode does not support untagged vlan'],
    });
    const qinq = await patch('plain', { mode: 'q-in-q', qinq_svlan: ids['here'] });
    expect(qinq.body).toMatchObject({ mode: { value: 'q-in-q' }, qinq_svlan: { vid: 10 }, tagged_vlans: [] });
    await patch('plain', { mode: 'tagged', qinq_svlan: null, tagged_vlans: [ids['here']] });
    const plain = await patch('plain', { mode: 'access', tagged_vlans: [] });
    expect(plain.body).toMatchObject({ mode: { value: 'access' }, untagged_vlan: { vid: 30 }, tagged_vlans: [] });
  });

  it('accept wireless and PoE fields only for suitable interface types', async () => {
    expect(await refusal({ poe_type: 'type1-ieee802.3af' })).toEqual({
      poe_type: ['Must specify PoE mode when designating a PoE type.'],
    });
    expect(await refusal({ type: 'virtual', poe_mode: 'pd' })).toEqual({
      poe_mode: ['Virtual interfaces cannot have a PoE mode.'],
    });
    expect(await refusal({ rf_role: 'ap' })).toEqual({
      rf_role: ['Wireless role may be set only on wireless interfaces.'],
    });
    expect(await refusal({ rf_channel: '5g-36-5180-20' })).toEqual({
      rf_channel: ['Channel may be set only on wireless interfaces.'],
    });
    expect(await refusal({ rf_channel_frequency: 5180 })).toEqual({
      rf_channel_frequency: ['Channel frequency may be set only on wireless interfaces.'],
    });
    expect(await refusal({ rf_channel_width: 20 })).toEqual({
      rf_channel_width: ['Channel width may be set only on wireless interfaces.'],
    });
    const type = 'ieee802.11ax';
    expect(await refusal({ type, rf_channel: '5g-36-5180-20', rf_channel_width: 40 })).toEqual({
      rf_channel_width: ['Cannot specify custom width with channel selected.'],
    });
    const json = on('One', 'radio', type, { rf_channel: '5g-36-5180-20' });
    const { body } = await test.api.post<{ id: number } & Json>(interfaces, { json });
    expect(body).toMatchObject({ rf_channel_frequency: 5180, rf_channel_width: 20 });
    ids['radio'] = body.id;
    const moved = await patch('radio', { rf_channel: '2.4g-1-2412-22' });
    expect(moved.body).toMatchObject({ rf_channel_frequency: 2412, rf_channel_width: 22 });
    expect((await patch('radio', { tx_power: 128 })).body).toEqual({
      tx_power: ['Ensure this value is less than or equal to 127.'],
    });
    expect((await patch('plain', { mtu: 0 })).body).toEqual({
      mtu: ['Ensure this value is greater than or equal to 1.'],
    });
  });
});

describe('GET /api/dcim/interfaces/: related objects', () => {
  it('include MAC addresses, the bridge and bridged interfaces', async () => {
    const { body: mac } = await test.api.post<Json>('/api/dcim/mac-addresses/', {
      json: { mac_address: '00-1b-44-11-3a-b7' },
    });
    const json = on('One', 'nic', '1000base-t', { primary_mac_address: mac['id'], bridge: ids['plain'], wwn: '' });
    const { body } = await test.api.post<Json>(interfaces, { json });
    expect(body).toMatchObject({
      mac_address: '00:1B:44:11:3A:B7',
      primary_mac_address: { id: mac['id'] },
      mac_addresses: [{ mac_address: '00:1B:44:11:3A:B7' }],
      wwn: null,
    });
    const shape = ['id', 'url', 'display_url', 'display', 'device', 'name', 'cable', '_occupied'];
    expect(Object.keys(Object(body['bridge']))).toEqual(shape);
    expect((await patch('plain', {})).body).toMatchObject({ bridge_interfaces: [{ name: 'nic' }] });
    expect(await namesOf('mac_address=001b.4411.3ab7')).toEqual(['nic']);
    expect(await namesOf('primary_mac_address=00:1b:44:11:3a:b7')).toEqual(['nic']);
    expect(await refusal({ primary_mac_address: mac['id'] })).toHaveProperty('primary_mac_address');
  });

  it('contain the L2VPN termination and the number of FHRP groups', async () => {
    const { body: vpn } = await test.api.post<Json>('/api/vpn/l2vpns/', {
      json: { name: 'Fabric', slug: 'fabric', type: 'vxlan', identifier: 4242 },
    });
    await test.api.post('/api/vpn/l2vpn-terminations/', {
      json: { l2vpn: vpn['id'], assigned_object_type: 'dcim.interface', assigned_object_id: ids['m1'] },
    });
    expect(await namesOf('l2vpn=4242')).toEqual(['m1']);
    expect(await namesOf(`l2vpn_id=${String(vpn['id'])}`)).toEqual(['m1']);
    const { body: group } = await test.api.post<Json>('/api/ipam/fhrp-groups/', {
      json: { protocol: 'vrrp3', group_id: 9 },
    });
    const assignment = { group: group['id'], interface_type: 'dcim.interface', interface_id: ids['m1'], priority: 1 };
    const made = await test.api.post<Json>('/api/ipam/fhrp-group-assignments/', { json: assignment });
    expect(made.body).toMatchObject({ display: 'm1: VRRPv3: 9 (1)', interface: { name: 'm1' } });
    const again = await test.api.post('/api/ipam/fhrp-group-assignments/', { json: assignment });
    expect(again.body).toEqual({
      __all__: ['FHRP group assignment with this Interface type, Interface id and Group already exists.'],
    });
    expect((await patch('m1', {})).body).toMatchObject({
      count_fhrp_groups: 1,
      l2vpn_termination: { l2vpn: { name: 'Fabric' } },
    });
  });
});

describe('GET /api/dcim/interfaces/', () => {
  it('sorts interfaces by the numbers in their names', async () => {
    const sorted = [
      'xe-0/0/1',
      'xe-0/0/2',
      'xe-0/0/10',
      'xe-0/1/0',
      'xe-1/0/0',
      'Gi1/2',
      'Gi1/10',
      'Gi2/1',
      'ge2',
      'ge10',
      'ge10.5',
      'ge10.40',
    ];
    const { body } = await test.api.post<{ id: number }>('/api/dcim/devices/', {
      json: { ...deviceBasics, name: 'Sorted' },
    });
    const json = sorted.toReversed().map((name) => ({ device: body.id, name, type: 'other' }));
    await test.api.post(interfaces, { json });
    expect(await namesOf(`device_id=${body.id}`)).toEqual(sorted);
  });

  it('filters interfaces of a virtual chassis by any member or by its master', async () => {
    expect(await namesOf('virtual_chassis_member=Member%202')).toEqual(['m1', 'm2', 'm2 mgmt']);
    expect(await namesOf(`virtual_chassis_member_id=${ids['Member 1']}`)).toEqual(['m1', 'm1 mgmt', 'm2']);
    expect(await namesOf('virtual_chassis_member_or_master=Member%202')).toEqual(['m2', 'm2 mgmt']);
    expect(await namesOf(`virtual_chassis_member_or_master_id=${ids['Member 1']}`)).toEqual(['m1', 'm1 mgmt', 'm2']);
    expect(await namesOf('virtual_chassis_member=nobody')).toEqual([]);
  });

  it('returns the peer of a wireless link', async () => {
    const { body: made } = await test.api.post<{ id: number }>(interfaces, {
      json: on('Other', 'antenna', 'ieee802.11ac'),
    });
    const linked = await test.api.post<{ id: number }>('/api/wireless/wireless-links/', {
      json: { interface_a: ids['radio'], interface_b: made.id, ssid: 'mesh' },
    });
    expect(linked.status).toBe(201);
    const { body } = await test.api.get<Json>(`${interfaces}${made.id}/`);
    expect(body).toMatchObject({ link_peers: [{ name: 'radio' }], link_peers_type: null, _occupied: true });
    expect(await namesOf('occupied=true')).toEqual(expect.arrayContaining(['radio', 'antenna']));
  });
});
