import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('filters by devices, virtual machines and owners', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const make = async (name: string, path: string, json: Json): Promise<void> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    ids[name] = body.id;
  };
  /**
   * Sends a list request for each query, and compares the found objects with the expected objects. Objects are compared
   * by display name, without the part in parentheses.
   */
  const holds = async (path: string, expected: Readonly<Record<string, string>>): Promise<void> => {
    const shown: Record<string, string> = {};
    for (const query of Object.keys(expected)) {
      const { status, body } = await test.api.get<{ results?: Json[] }>(`/api/${path}/?${query}`);
      const names = body.results?.map(({ display }) => String(display).replace(/ \(.*/, ''));
      shown[query] = status === 200 ? (names ?? []).join(' ') : JSON.stringify(body);
    }
    expect(shown).toEqual(expected);
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { name, path, body } of deviceSurroundings) await make(name, path.slice(5, -1), body);
    await make('europe', 'dcim/regions', { name: 'Europe', slug: 'europe' });
    await test.api.patch(`/api/dcim/sites/${ids['deviceSite']}/`, { json: { region: ids['europe'] } });
    await make('hall', 'dcim/locations', { name: 'Hall', slug: 'hall', site: ids['deviceSite'] });
    await make('sw1', 'dcim/devices', { name: 'sw1', ...deviceBasics, location: ids['hall'] });
    await make('sw2', 'dcim/devices', { name: 'sw2', ...deviceBasics });
    const eth = (device: string, name: string, more: Json = {}): Promise<void> =>
      make(`${device} ${name}`, 'dcim/interfaces', { device: ids[device], name, type: '1000base-t', ...more });
    await eth('sw1', 'eth0');
    await eth('sw2', 'eth0');
    await eth('sw2', 'mgmt', { mgmt_only: true });
    await make('vm1', 'virtualization/virtual-machines', { name: 'vm1', site: ids['deviceSite'] });
    await make('veth', 'virtualization/interfaces', { virtual_machine: ids['vm1'], name: 'veth' });
  });
  afterAll(() => test.close());

  it('match addresses by interfaces of a device, a virtual machine, and members of a chassis', async () => {
    const address = (address: string, type: string, name: string): Promise<void> =>
      make(address, 'ipam/ip-addresses', { address, assigned_object_type: type, assigned_object_id: ids[name] });
    await address('10.0.0.1/24', 'dcim.interface', 'sw1 eth0');
    await address('10.0.0.2/24', 'dcim.interface', 'sw2 eth0');
    await address('10.0.0.3/24', 'dcim.interface', 'sw2 mgmt');
    await address('10.0.0.4/24', 'virtualization.vminterface', 'veth');
    await make('stack', 'dcim/virtual-chassis', { name: 'stack' });
    for (const [position, name] of ['sw1', 'sw2'].entries()) {
      const json = { virtual_chassis: ids['stack'], vc_position: position + 1 };
      expect((await test.api.patch(`/api/dcim/devices/${ids[name]}/`, { json })).status).toBe(200);
    }
    await test.api.patch(`/api/dcim/virtual-chassis/${ids['stack']}/`, { json: { master: ids['sw1'] } });
    await holds('ipam/ip-addresses', {
      'device=sw1': '10.0.0.1/24 10.0.0.2/24',
      'device=sw2': '10.0.0.2/24 10.0.0.3/24',
      'device=nobody': '',
      [`device_id=${ids['sw2']}&device_id=999`]: '10.0.0.2/24 10.0.0.3/24',
      'device_id=sw2': '{"device_id":["Enter a whole number."]}',
      'virtual_machine=vm1': '10.0.0.4/24',
      [`virtual_machine_id=${ids['vm1']}`]: '10.0.0.4/24',
      'interface=mgmt': '10.0.0.3/24',
      'interface=eth0': '10.0.0.1/24 10.0.0.2/24',
      [`interface_id=${ids['sw1 eth0']}`]: '10.0.0.1/24',
      'interface__n=mgmt': '10.0.0.1/24 10.0.0.2/24 10.0.0.4/24',
      'interface=nope': '{"interface":["Select a valid choice. nope is not one of the available choices."]}',
      'vminterface=veth': '10.0.0.4/24',
      'vminterface_id=null': '10.0.0.1/24 10.0.0.2/24 10.0.0.3/24',
    });
  });

  it('match services by their parent', async () => {
    const service = (name: string, type: string, of: string): Promise<void> =>
      make(name, 'ipam/services', {
        name,
        protocol: 'tcp',
        ports: [1],
        parent_object_type: type,
        parent_object_id: ids[of],
      });
    await service('ssh', 'dcim.device', 'sw1');
    await service('web', 'virtualization.virtualmachine', 'vm1');
    await holds('ipam/services', {
      'device=sw1': 'ssh',
      'device=vm1': '',
      [`device_id=${ids['sw1']}`]: 'ssh',
      'virtual_machine=vm1': 'web',
      [`virtual_machine_id=${ids['vm1']}`]: 'web',
      'fhrpgroup_id=1': '',
    });
  });

  it('match VLANs by availability, interface and L2VPN', async () => {
    const group = (name: string, type: string, of: string): Promise<void> =>
      make(name, 'ipam/vlan-groups', { name, slug: name, scope_type: type, scope_id: ids[of] });
    await group('of-region', 'dcim.region', 'europe');
    await group('of-hall', 'dcim.location', 'hall');
    await make('other', 'dcim/sites', { name: 'Other', slug: 'other' });
    const vlan = (name: string, vid: number, more: Json): Promise<void> =>
      make(name, 'ipam/vlans', { name, vid, ...more });
    await vlan('anywhere', 1, {});
    await vlan('here', 2, { site: ids['deviceSite'] });
    await vlan('there', 3, { site: ids['other'] });
    await vlan('region', 4, { group: ids['of-region'] });
    await vlan('hall', 5, { group: ids['of-hall'] });
    const patch = (path: string, json: Json) => test.api.patch(`/api/${path}/`, { json });
    const tagged = { mode: 'tagged', untagged_vlan: ids['anywhere'], tagged_vlans: [ids['here']] };
    expect((await patch(`dcim/interfaces/${ids['sw1 eth0']}`, tagged)).status).toBe(200);
    expect((await patch(`virtualization/interfaces/${ids['veth']}`, tagged)).status).toBe(200);
    await make('l2', 'vpn/l2vpns', { name: 'l2', slug: 'l2', type: 'vxlan', identifier: 77 });
    await make('end', 'vpn/l2vpn-terminations', {
      l2vpn: ids['l2'],
      assigned_object_type: 'ipam.vlan',
      assigned_object_id: ids['region'],
    });
    await holds('ipam/vlans', {
      [`available_on_device=${ids['sw1']}&ordering=vid`]: 'anywhere here region hall',
      [`available_on_device=${ids['sw2']}&ordering=vid`]: 'anywhere here region',
      [`available_on_virtualmachine=${ids['vm1']}&ordering=vid`]: 'anywhere here region',
      [`interface_id=${ids['sw1 eth0']}&ordering=vid`]: 'anywhere here',
      [`interface_id=${ids['sw2 eth0']}`]: '',
      [`vminterface_id=${ids['veth']}&ordering=vid`]: 'anywhere here',
      'l2vpn=77': 'region',
      [`l2vpn_id=${ids['l2']}`]: 'region',
      'l2vpn=null&ordering=vid': 'anywhere here there hall',
      'l2vpn=many': '{"l2vpn":["Select a valid choice. many is not one of the available choices."]}',
      'interface_id=999': '{"interface_id":["Select a valid choice. 999 is not one of the available choices."]}',
    });
  });

  it('match route targets, AS numbers and users by the objects that use them', async () => {
    await make('red', 'ipam/route-targets', { name: '65000:1' });
    await make('blue', 'ipam/route-targets', { name: '65000:2' });
    const targets = { import_targets: [ids['red']], export_targets: [ids['blue']] };
    expect((await test.api.patch(`/api/vpn/l2vpns/${ids['l2']}/`, { json: targets })).status).toBe(200);
    await holds('ipam/route-targets', {
      'importing_l2vpn=77': '65000:1',
      [`importing_l2vpn_id=${ids['l2']}`]: '65000:1',
      'exporting_l2vpn=77': '65000:2',
      [`exporting_l2vpn_id__n=${ids['l2']}`]: '65000:1',
    });
    await make('rir', 'ipam/rirs', { name: 'RIR', slug: 'rir' });
    await make('first', 'ipam/asns', { asn: 65_001, rir: ids['rir'] });
    await make('second', 'ipam/asns', { asn: 65_002, rir: ids['rir'] });
    await make('carrier', 'circuits/providers', { name: 'Carrier', slug: 'carrier', asns: [ids['first']] });
    await holds('ipam/asns', {
      'provider=carrier': 'AS65001',
      [`provider_id__n=${ids['carrier']}`]: 'AS65002',
      'provider_id=null': 'AS65002',
    });
    const counted = await test.api.get<Json>(`/api/ipam/asns/${ids['first']}/`);
    expect(counted.body['provider_count']).toBe(1);
    await make('team', 'users/groups', { name: 'team' });
    await make('ada', 'users/users', { username: 'ada', password: 'Twelve chars 1' });
    await make('owners', 'users/owner-groups', { name: 'Owners' });
    const members = { users: [ids['ada']], user_groups: [ids['team']], group: ids['owners'] };
    await make('owner', 'users/owners', { name: 'Net', ...members });
    await make('night', 'extras/notification-groups', { name: 'Night', users: [ids['ada']], groups: [ids['team']] });
    for (const [path, found] of [
      ['users/users', 'ada'],
      ['users/groups', 'team'],
    ] as const) {
      await holds(path, {
        'owner=Net': found,
        [`owner_id=${ids['owner']}`]: found,
        [`notification_group_id=${ids['night']}`]: found,
      });
    }
    await holds('extras/tags', { 'owner=Net': '', 'owner_group=Owners': '' });
  });

  it('match tags by models of tagged objects, and by models to which the tag is restricted', async () => {
    const numbers = await test.api.get<{ results: Json[] }>('/api/core/object-types/?app_label=dcim&limit=100');
    const numberOf = (model: string): string =>
      String(numbers.body.results.find((type) => type['model'] === model)?.['id']);
    for (const [name, types] of [
      ['sites', ['dcim.site']],
      ['racks', ['dcim.rack']],
      ['all', []],
    ] as const) {
      await make(name, 'extras/tags', { name, slug: name, object_types: types });
    }
    await test.api.patch(`/api/dcim/sites/${ids['other']}/`, { json: { tags: [ids['all']] } });
    await holds('extras/tags', {
      [`object_types=${numberOf('site')}`]: 'sites',
      [`for_object_type_id=${numberOf('rack')}`]: 'all racks',
      [`content_type_id=${numberOf('site')}`]: 'all',
      [`content_type_id=${numberOf('rack')}`]: '',
      'content_type_id=site': '{"content_type_id":["Enter a whole number."]}',
    });
  });
});
