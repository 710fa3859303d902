import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('writes of addresses, prefixes and VLANs', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const refused = async (path: string, json: unknown, body: Json | Json[]): Promise<void> => {
    expect(await test.api.post(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };
  const found = async (path: string): Promise<number[]> => {
    const { body } = await test.api.get<{ results: { id: number }[] }>(`/api/${path}`);
    return body.results.map(({ id }) => id);
  };

  it('reject overlapping aggregates', async () => {
    const rir = await make('ipam/rirs', { name: 'RFC 1918', slug: 'rfc-1918' });
    const ten = await make('ipam/aggregates', { prefix: '10.0.0.0/8', rir });
    await make('ipam/aggregates', { prefix: '172.16.0.0/16', rir });
    await refused(
      'ipam/aggregates',
      { prefix: '10.1.0.0/16', rir },
      {
        prefix: ['Aggregates cannot overlap. 10.1.0.0/16 is already covered by an existing aggregate (10.0.0.0/8).'],
      },
    );
    await refused(
      'ipam/aggregates',
      { prefix: '172.16.0.0/12', rir },
      {
        prefix: ['Prefixes cannot overlap aggregates. 172.16.0.0/12 covers an existing aggregate (172.16.0.0/16).'],
      },
    );
    await refused(
      'ipam/aggregates',
      { prefix: '0.0.0.0/0', rir },
      { prefix: ['Cannot create aggregate with /0 mask.'] },
    );
    const moved = await test.api.patch(`/api/ipam/aggregates/${ten}/`, { json: { prefix: '172.16.1.0/24' } });
    expect(moved.status).toBe(400);
    expect((await test.api.patch(`/api/ipam/aggregates/${ten}/`, { json: { prefix: '10.0.0.0/9' } })).status).toBe(200);
    const blocked = await test.api.delete(`/api/ipam/rirs/${rir}/`);
    expect(blocked.status).toBe(409);
  });

  it('name the object in a list that a database trigger rejects', async () => {
    const bodies = Array.from({ length: 9 }, (_, index) => ({ prefix: `10.20.${index}.0/24` }));
    const { status, body } = await test.api.post<{ id: number }[]>('/api/ipam/prefixes/', { json: bodies });
    expect(status).toBe(201);
    const messages = ['Duplicate prefix found in global table: 10.20.6.0/24'];
    const more = [{ prefix: '10.21.0.0/24' }, { prefix: '10.21.1.0/24' }, bodies[6], { prefix: '10.21.2.0/24' }];
    await refused('ipam/prefixes', more, [{}, {}, { prefix: messages }, {}]);
    const again = { prefix: ['Duplicate prefix found in global table: 10.21.0.0/24'] };
    await refused('ipam/prefixes', [...more.slice(0, 2), more[0]], [{}, {}, again]);
    const changed = await test.api.patch('/api/ipam/prefixes/', {
      json: body.map(({ id }, index) => ({ id, ...(index === 7 ? bodies[6] : {}) })),
    });
    expect(changed).toMatchObject({ status: 400, body: { prefix: messages } });
    expect(await found('ipam/prefixes/?within=10.21.0.0/16')).toEqual([]);
  });

  it('accept only one of many concurrent overlapping ranges, and name the accepted range in the other errors', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        test.api.post('/api/ipam/ip-ranges/', {
          json: { start_address: `10.8.0.${index + 1}/24`, end_address: '10.8.0.100/24' },
        }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)]);
    const range = { start_address: '10.9.0.1/24', end_address: '10.9.0.9/24' };
    await make('ipam/ip-ranges', range);
    await refused(
      'ipam/ip-ranges',
      { start_address: '10.9.0.9/24', end_address: '10.9.0.12/24' },
      {
        __all__: ['Defined addresses overlap with range 10.9.0.1-9/24 in VRF None'],
      },
    );
    const vrf = await make('ipam/vrfs', { name: 'Blue', rd: '65000:9' });
    await make('ipam/ip-ranges', { ...range, vrf });
    await refused(
      'ipam/ip-ranges',
      { ...range, vrf },
      {
        __all__: ['Defined addresses overlap with range 10.9.0.1-9/24 in VRF Blue (65000:9)'],
      },
    );
  });

  it.each([
    ['10.0.0.1/24', '2001:db8::1/24', { end_address: ['Starting and ending IP address versions must match'] }],
    ['10.0.0.1/24', '10.0.0.2/25', { end_address: ['Starting and ending IP address masks must match'] }],
    [
      '10.0.0.2/24',
      '10.0.0.1/24',
      { end_address: ['Ending address must be greater than or equal to the starting address (10.0.0.2/24)'] },
    ],
    ['2001:db8::/64', '2001:db8::1:0:0/64', { __all__: ['Defined range exceeds maximum supported size (4294967295)'] }],
  ])('reject a range from %s to %s', async (start_address, end_address, body) => {
    await refused('ipam/ip-ranges', { start_address, end_address }, body);
  });

  it('reject the network and broadcast address of a prefix', async () => {
    const group = await make('ipam/fhrp-groups', { protocol: 'vrrp3', group_id: 7 });
    const assigned = { assigned_object_type: 'ipam.fhrpgroup', assigned_object_id: group };
    const words = (address: string, what: string): Json => ({
      __all__: [`${address} is a ${what}, which may not be assigned to an interface.`],
    });
    await refused('ipam/ip-addresses', { address: '10.10.0.0/24', ...assigned }, words('10.10.0.0', 'network ID'));
    const broadcast = words('10.10.0.255', 'broadcast address');
    await refused('ipam/ip-addresses', { address: '10.10.0.255/24', ...assigned }, broadcast);
    await refused('ipam/ip-addresses', { address: '2001:db8::/64', ...assigned }, words('2001:db8::', 'network ID'));
    const address = await make('ipam/ip-addresses', { address: '10.10.0.0/31', ...assigned });
    const { body } = await test.api.get<Json>(`/api/ipam/fhrp-groups/${group}/`);
    expect(body).toMatchObject({ display: 'VRRPv3: 7 (10.10.0.0/31)', ip_addresses: [{ id: address }] });
    expect(await found(`ipam/ip-addresses/?fhrpgroup_id=${group}`)).toEqual([address]);
    expect(await found(`ipam/fhrp-groups/?related_ip=${address}`)).toEqual([group]);
    await test.api.delete(`/api/ipam/fhrp-groups/${group}/`);
    expect((await test.api.get(`/api/ipam/ip-addresses/${address}/`)).status).toBe(404);
  });

  it('filter prefixes by the VRFs that import their route targets', async () => {
    const target = await make('ipam/route-targets', { name: '65000:100' });
    const from = await make('ipam/vrfs', { name: 'From', rd: '65000:11', export_targets: [{ name: '65000:100' }] });
    const into = await make('ipam/vrfs', { name: 'Into', rd: '65000:12', import_targets: [target] });
    const own = await make('ipam/prefixes', { prefix: '10.11.0.0/24', vrf: into });
    const taken = await make('ipam/prefixes', { prefix: '10.12.0.0/24', vrf: from });
    const address = await make('ipam/ip-addresses', { address: '10.12.0.1/24', vrf: from });
    expect((await found('ipam/prefixes/?present_in_vrf=65000:12')).toSorted((a, b) => a - b)).toEqual([own, taken]);
    expect(await found(`ipam/prefixes/?present_in_vrf_id=${from}`)).toEqual([taken]);
    expect(await found(`ipam/ip-addresses/?present_in_vrf_id=${into}`)).toEqual([address]);
    expect(await found('ipam/vrfs/?import_target=65000:100')).toEqual([into]);
    expect(await found(`ipam/route-targets/?exporting_vrf_id=${from}`)).toEqual([target]);
    const unknown = await test.api.get('/api/ipam/prefixes/?present_in_vrf=nope');
    expect(unknown.status).toBe(400);
    const { body } = await test.api.get<Json>(`/api/ipam/vrfs/${into}/`);
    expect(body).toMatchObject({ import_targets: [{ name: '65000:100' }], export_targets: [] });
    await test.api.delete(`/api/ipam/route-targets/${target}/`);
    expect(await found('ipam/prefixes/?present_in_vrf=65000:12')).toEqual([own]);
  });

  it('require VLANs to be within the ranges and scope of their group', async () => {
    const sites = await make('dcim/site-groups', { name: 'Edge', slug: 'edge' });
    const inside = await make('dcim/sites', { name: 'Inside', slug: 'inside', group: sites });
    const outside = await make('dcim/sites', { name: 'Outside', slug: 'outside' });
    const ranges = {
      vid_ranges: [
        [1, 10],
        [20, 30],
      ],
    };
    const group = await make('ipam/vlan-groups', {
      name: 'G',
      slug: 'g',
      scope_type: 'dcim.site',
      scope_id: inside,
      ...ranges,
    });
    await refused(
      'ipam/vlans',
      { vid: 11, name: 'x', group },
      {
        vid: ['VID must be in ranges 1-10, 20-30 for VLANs in group G'],
      },
    );
    await refused(
      'ipam/vlans',
      { vid: 1, name: 'x', group, site: outside },
      {
        __all__: ['VLAN is assigned to group G (scope: Inside); cannot also assign to site Outside.'],
      },
    );
    const first = await make('ipam/vlans', { vid: 1, name: 'First', group, site: inside });
    await refused(
      'ipam/vlans',
      { vid: 1, name: 'First', group },
      {
        __all__: ['VLAN with this Group and VLAN ID already exists.', 'VLAN with this Group and Name already exists.'],
      },
    );
    const wide = await make('ipam/vlan-groups', {
      name: 'W',
      slug: 'w',
      scope_type: 'dcim.sitegroup',
      scope_id: sites,
    });
    await refused(
      'ipam/vlans',
      { vid: 1, name: 'x', group: wide, site: outside },
      {
        __all__: ['The assigned site Outside is not a member of the assigned group W (scope: Edge).'],
      },
    );
    const second = await make('ipam/vlans', { vid: 1, name: 'Second', group: wide });
    const third = await make('ipam/vlans', { vid: 1, name: 'Second' });
    expect(new Set(await found(`ipam/vlans/?available_at_site=${inside}`))).toEqual(new Set([first, second, third]));
    expect(await found(`ipam/vlans/?available_at_site=${outside}`)).toEqual([third]);
    expect((await test.api.patch(`/api/ipam/vlans/${first}/`, { json: { vid: 15 } })).status).toBe(400);
    const { body } = await test.api.get<Json>(`/api/ipam/vlan-groups/${group}/`);
    expect(body).toMatchObject({ ...ranges, total_vlan_ids: 21, vlan_count: 1, utilization: '4.76' });
  });

  it.each([
    [
      [
        [1, 10],
        [10, 20],
      ],
      'Ranges cannot overlap.',
    ],
    [[[1, 4095]], 'Ending VLAN ID in range (4095) cannot exceed 4094'],
    [[[0, 4]], 'Starting VLAN ID in range (0) cannot be less than 1'],
    [[[5]], ['Ranges must be specified in the form (lower, upper).']],
    [[['1', 5]], 'Range boundaries must be defined as integers.'],
    [[], 'This list may not be empty.'],
  ])('reject the ranges %j of a VLAN group', async (vid_ranges, message) => {
    await refused('ipam/vlan-groups', { name: 'R', slug: 'r', vid_ranges }, { vid_ranges: [message] });
  });

  it('return a VLAN with all fields, including the deprecated display name', async () => {
    const tenant = await make('tenancy/tenants', { name: 'Acme', slug: 'acme' });
    const role = await make('ipam/roles', { name: 'Voice', slug: 'voice' });
    const { body } = await test.api.post<Json>('/api/ipam/vlans/', {
      json: { vid: 200, name: 'Phones', tenant, role, description: 'x' },
    });
    expect(body).toMatchObject({
      site: null,
      group: null,
      vid: 200,
      name: 'Phones',
      tenant: { id: tenant, name: 'Acme' },
      status: { value: 'active', label: 'Active' },
      role: { id: role, name: 'Voice' },
      description: 'x',
      display_name: 'Phones (200)',
      l2vpn_termination: null,
      custom_fields: {},
    });
  });

  it('reject the deletion of a service VLAN with customer VLANs, and of a VLAN with prefixes', async () => {
    const outer = await make('ipam/vlans', { vid: 100, name: 'Outer', qinq_role: 'svlan' });
    await refused(
      'ipam/vlans',
      { vid: 1, name: 'x', qinq_role: 'cvlan' },
      {
        qinq_role: ['A Q-in-Q customer VLAN must be assigned to a service VLAN.'],
      },
    );
    await refused(
      'ipam/vlans',
      { vid: 1, name: 'x', qinq_svlan: outer },
      {
        qinq_svlan: ['Only Q-in-Q customer VLANs maybe assigned to a service VLAN.'],
      },
    );
    await make('ipam/vlans', { vid: 1, name: 'x', qinq_role: 'cvlan', qinq_svlan: outer });
    const again = await test.api.post('/api/ipam/vlans/', {
      json: { vid: 1, name: 'y', qinq_role: 'cvlan', qinq_svlan: outer },
    });
    expect(again.status).toBe(400);
    const prefix = await make('ipam/prefixes', { prefix: '10.13.0.0/24', vlan: { vid: 100, name: 'Outer' } });
    expect(await found('ipam/prefixes/?vlan_vid=100')).toEqual([prefix]);
    expect(await found(`ipam/prefixes/?vlan_id=${outer}`)).toEqual([prefix]);
    const shown = await test.api.get<Json>(`/api/ipam/vlans/${outer}/`);
    expect(shown.body).toMatchObject({ prefix_count: 1, display: 'Outer (100)', display_name: 'Outer (100)' });
    expect(await test.api.delete(`/api/ipam/vlans/${outer}/`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('2 dependent objects were found') },
    });
  });

  it('return a VLAN translation policy with its rules, and delete the rules with the policy', async () => {
    const policy = await make('ipam/vlan-translation-policies', { name: 'Edge' });
    const rule = await make('ipam/vlan-translation-rules', { policy, local_vid: 1, remote_vid: 2 });
    const { body } = await test.api.get<Json>(`/api/ipam/vlan-translation-policies/${policy}/`);
    expect(body).toMatchObject({ rules: [{ id: rule, policy, local_vid: 1, remote_vid: 2 }] });
    await refused(
      'ipam/vlan-translation-rules',
      { policy, local_vid: 1, remote_vid: 3 },
      {
        __all__: ['VLAN translation rule with this Policy and Local VLAN ID already exists.'],
      },
    );
    await test.api.delete(`/api/ipam/vlan-translation-policies/${policy}/`);
    expect((await test.api.get(`/api/ipam/vlan-translation-rules/${rule}/`)).status).toBe(404);
  });

  it('require a service to have a protocol and ports', async () => {
    await refused('ipam/service-templates', { name: 'x', ports: [1] }, { protocol: ['This field cannot be blank.'] });
    await refused(
      'ipam/service-templates',
      { name: 'x', protocol: 'tcp', ports: [] },
      {
        ports: ['This list may not be empty.'],
      },
    );
    await refused(
      'ipam/service-templates',
      { name: 'x', protocol: 'tcp', ports: [80, 65_536] },
      {
        ports: { 1: ['Ensure this value is less than or equal to 65535.'] },
      },
    );
  });
});
