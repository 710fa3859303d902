import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const machines = 'virtualization/virtual-machines';
const interfaces = 'virtualization/interfaces';
const disks = 'virtualization/virtual-disks';
const clusters = 'virtualization/clusters';

describe('writes of virtual machines', () => {
  let test: TestInventory;
  let ids: Record<string, number>;

  const make = async (path: string, json: unknown): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const change = (path: string, json: unknown) => test.api.patch<Json>(`/api/${path}/`, { json });
  const get = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;
  const refused = async (path: string, json: unknown, body: Json): Promise<void> => {
    expect(await test.api.post(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { path, body } of deviceSurroundings) await make(path.slice(5, -1), body);
    const type = await make('virtualization/cluster-types', { name: 'KVM', slug: 'kvm' });
    const site = Number((await get('dcim/sites/1'))['id']);
    const otherSite = await make('dcim/sites', { name: 'Yard', slug: 'yard' });
    const room = await make('dcim/locations', { name: 'Room', slug: 'room', site });
    const inSite = { scope_type: 'dcim.site', scope_id: site };
    const placed = await make(clusters, { name: 'Placed', type, ...inSite });
    ids = {
      type,
      site,
      otherSite,
      room,
      placed,
      free: await make(clusters, { name: 'Free', type }),
      host: await make('dcim/devices', { ...deviceBasics, name: 'Host', cluster: placed }),
      lone: await make('dcim/devices', { ...deviceBasics, name: 'Lone' }),
      tenant: await make('tenancy/tenants', { name: 'Acme', slug: 'acme' }),
    };
  });
  afterAll(() => test.close());

  it('require a site, cluster or device, and derive missing values from the given object', async () => {
    await refused(
      machines,
      { name: 'Nowhere' },
      {
        __all__: ['A virtual machine must be assigned to a site, cluster, or device.'],
      },
    );
    await refused(
      machines,
      { name: 'A', cluster: ids['placed'], site: ids['otherSite'] },
      {
        cluster: ['The selected cluster (Placed) is not assigned to this site (Yard).'],
      },
    );
    await refused(
      machines,
      { name: 'A', device: ids['lone'], site: ids['otherSite'] },
      {
        site: ['The selected device (Lone) is not assigned to this site (Yard).'],
      },
    );
    await refused(
      machines,
      { name: 'A', device: ids['host'] },
      {
        cluster: ["Must specify the assigned device's cluster (Placed) when assigning host device Host."],
      },
    );
    await refused(
      machines,
      [
        { name: 'A', cluster: ids['placed'] },
        { name: 'B', device: ids['host'], cluster: ids['free'] },
      ],
      {
        1: { device: ['The selected device (Host) is not assigned to this cluster (Free).'] },
      },
    );
    const made = await test.api.post<Json>(`/api/${machines}/`, {
      json: { name: 'A', cluster: ids['placed'], device: ids['host'] },
    });
    expect(made).toMatchObject({ status: 201, body: { site: { id: ids['site'] } } });
    const lone = await make(machines, { name: 'On a host', device: ids['lone'] });
    expect(await get(`${machines}/${lone}`)).toMatchObject({ site: { id: ids['site'] }, cluster: null });
    expect(await change(`${machines}/${lone}`, { site: null, device: null })).toMatchObject({
      status: 400,
      body: { __all__: ['A virtual machine must be assigned to a site, cluster, or device.'] },
    });
  });

  it('require unique names per cluster or device and tenant, in any letter case', async () => {
    const first = { name: 'Same', cluster: ids['free'] };
    await make(machines, first);
    await refused(
      machines,
      { ...first, name: 'SAME' },
      { __all__: ['Virtual machine name must be unique per cluster.'] },
    );
    await make(machines, { ...first, tenant: ids['tenant'] });
    await refused(
      machines,
      [
        { ...first, name: 'Other' },
        { ...first, tenant: ids['tenant'] },
      ],
      {
        1: { __all__: ['Virtual machine name must be unique per cluster and tenant.'] },
      },
    );
    const hosted = { name: 'Same', device: ids['lone'] };
    await make(machines, hosted);
    await refused(machines, hosted, { __all__: ['Virtual machine name must be unique per device.'] });
    await make('virtualization/virtual-machine-types', { name: 'Small', slug: 'small' });
    await refused(
      'virtualization/virtual-machine-types',
      { name: 'SMALL', slug: 'small-2' },
      {
        __all__: ['Virtual machine type name must be unique.'],
      },
    );
  });

  it('copy defaults from the type of the machine on creation, and retain values when the type changes', async () => {
    const platform = await make('dcim/platforms', { name: 'Linux', slug: 'linux' });
    const type = await make('virtualization/virtual-machine-types', {
      name: 'Big',
      slug: 'big',
      default_platform: platform,
      default_vcpus: 4,
      default_memory: 8192,
    });
    const made = await test.api.post<Json>(`/api/${machines}/`, {
      json: { name: 'Typed', cluster: ids['free'], virtual_machine_type: type, memory: 1024 },
    });
    expect(made.body).toMatchObject({ platform: { id: platform }, vcpus: 4, memory: 1024 });
    const later = await make(machines, { name: 'Untyped', cluster: ids['free'] });
    expect((await change(`${machines}/${later}`, { virtual_machine_type: type })).body).toMatchObject({ vcpus: null });
    expect(await get(`virtualization/virtual-machine-types/${type}`)).toMatchObject({ virtual_machine_count: 2 });
    await refused(
      machines,
      { name: 'Odd', cluster: ids['free'], vcpus: 0 },
      {
        vcpus: ['Ensure this value is greater than or equal to 0.01.'],
      },
    );
  });

  it('set the disk size to the sum of the virtual disks, also after concurrent writes', async () => {
    const machine = await make(machines, { name: 'Disks', cluster: ids['free'], disk: 7 });
    const diskOf = async (id: number): Promise<unknown> => (await get(`${machines}/${id}`))['disk'];
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        test.api.post<{ id: number }>(`/api/${disks}/`, {
          json: { virtual_machine: machine, name: `d${index}`, size: 10 },
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(await diskOf(machine)).toBe(60);
    expect(await change(`${machines}/${machine}`, { disk: 7 })).toMatchObject({
      status: 400,
      body: {
        disk: ['The specified disk size (7) must match the aggregate size of assigned virtual disks (60).'],
      },
    });
    expect((await change(`${machines}/${machine}`, { disk: null })).body['disk']).toBe(60);
    const [first, second] = responses.map(({ body }) => body.id);
    await change(`${disks}/${first}`, { size: 25 });
    expect(await diskOf(machine)).toBe(75);
    const other = await make(machines, { name: 'Others', cluster: ids['free'] });
    await change(`${disks}/${first}`, { virtual_machine: other });
    expect([await diskOf(machine), await diskOf(other)]).toEqual([50, 25]);
    await test.api.delete(`/api/${disks}/`, { json: [{ id: second }] });
    expect(await diskOf(machine)).toBe(40);
    await refused(
      disks,
      { virtual_machine: other, name: 'huge', size: 2_147_483_647 },
      {
        size: ['The disks of a virtual machine must be less than or equal to 2147483647 together.'],
      },
    );
    await refused(
      disks,
      { virtual_machine: other, name: 'd0', size: 1 },
      {
        __all__: ['Virtual disk with this Virtual machine and Name already exists.'],
      },
    );
    expect((await test.api.delete(`/api/${machines}/${machine}/`)).status).toBe(204);
  });

  it("require that primary addresses belong to the machine's interfaces and have the right family", async () => {
    const machine = await make(machines, { name: 'Addressed', cluster: ids['free'] });
    const stranger = await make(machines, { name: 'Stranger', cluster: ids['free'] });
    const port = async (of: number): Promise<Json> => ({
      assigned_object_type: 'virtualization.vminterface',
      assigned_object_id: await make(interfaces, { virtual_machine: of, name: 'eth0' }),
    });
    const [own, foreign] = [await port(machine), await port(stranger)];
    const address = (value: string, more: Json = {}) => make('ipam/ip-addresses', { address: value, ...more });
    const [four, six] = [await address('10.0.0.1/24', own), await address('2001:db8::1/64', own)];
    const [elsewhere, outside] = [
      await address('10.0.0.2/24', foreign),
      await address('192.0.2.1/32', { nat_inside: four }),
    ];
    const set = (json: Json) => change(`${machines}/${machine}`, json);
    expect(await set({ primary_ip4: six })).toMatchObject({
      status: 400,
      body: { primary_ip4: ['Must be an IPv4 address. (2001:db8::1/64 is an IPv6 address.)'] },
    });
    expect(await set({ primary_ip4: elsewhere })).toMatchObject({
      status: 400,
      body: { primary_ip4: ['The specified IP address (10.0.0.2/24) is not assigned to this VM.'] },
    });
    await refused(
      machines,
      { name: 'New', cluster: ids['free'], primary_ip6: six },
      {
        primary_ip6: ['The specified IP address (2001:db8::1/64) is not assigned to this VM.'],
      },
    );
    expect((await set({ primary_ip4: outside })).status).toBe(200);
    const { body } = await set({ primary_ip4: four, primary_ip6: six });
    expect(body).toMatchObject({ primary_ip: { id: six }, primary_ip4: { id: four }, primary_ip6: { id: six } });
    const found = await test.api.get<{ results: Json[] }>(
      `/api/${machines}/?primary_ip4=10.0.0.1/24&has_primary_ip=true`,
    );
    expect(found.body.results.map(({ id }) => id)).toEqual([machine]);
    const held = {
      __all__: ['Cannot reassign IP address while it is designated as the primary IP for the parent object'],
    };
    expect(await change(`ipam/ip-addresses/${four}`, foreign)).toMatchObject({ status: 400, body: held });
    const nowhere = { assigned_object_type: null, assigned_object_id: null };
    expect(await change(`ipam/ip-addresses/${six}`, nowhere)).toMatchObject({ status: 400, body: held });
    const second = await make(interfaces, { virtual_machine: machine, name: 'eth1' });
    expect((await change(`ipam/ip-addresses/${four}`, { assigned_object_id: second })).status).toBe(200);
    await test.api.delete(`/api/ipam/ip-addresses/${six}/`);
    expect(await get(`${machines}/${machine}`)).toMatchObject({ primary_ip: { id: four }, primary_ip6: null });
  });

  it('leave the primary addresses of devices unchanged', async () => {
    const port = async (device: number | undefined, name: string): Promise<Json> => ({
      assigned_object_type: 'dcim.interface',
      assigned_object_id: await make('dcim/interfaces', { device, name, type: 'virtual' }),
    });
    const [own, foreign] = [await port(ids['lone'], 'lo0'), await port(ids['host'], 'lo0')];
    const primary = await make('ipam/ip-addresses', { address: '10.1.0.1/24', ...own });
    const outOfBand = await make('ipam/ip-addresses', { address: '10.1.0.2/24', ...own });
    const set = await change(`dcim/devices/${ids['lone']}`, { primary_ip4: primary, oob_ip: outOfBand });
    expect(set.status).toBe(200);
    for (const [address, what] of [
      [primary, 'primary'],
      [outOfBand, 'OOB'],
    ] as const) {
      expect(await change(`ipam/ip-addresses/${address}`, foreign)).toMatchObject({
        status: 400,
        body: {
          __all__: [`Cannot reassign IP address while it is designated as the ${what} IP for the parent object`],
        },
      });
    }
    await change(`dcim/devices/${ids['lone']}`, { primary_ip4: null });
    expect((await change(`ipam/ip-addresses/${primary}`, foreign)).status).toBe(200);
  });

  it('require VLANs of the site of the machine, and MAC addresses of its interfaces', async () => {
    const machine = await make(machines, { name: 'Wired', site: ids['site'] });
    const other = await make(machines, { name: 'Rival', site: ids['site'] });
    const eth0 = await make(interfaces, { virtual_machine: machine, name: 'eth0' });
    const rival = await make(interfaces, { virtual_machine: other, name: 'eth9' });
    const vlan = (vid: number, site?: number) =>
      make('ipam/vlans', { vid, name: `v${vid}`, ...(site ? { site } : {}) });
    const [local, anywhere, far] = [await vlan(10, ids['site']), await vlan(20), await vlan(30, ids['otherSite'])];
    const port = (json: Json): Json => ({ virtual_machine: machine, name: 'eth1', ...json });
    const ofOther = 'belongs to a different virtual machine (Rival).';
    await refused(interfaces, port({ parent: rival }), { parent: [`The selected parent interface (eth9) ${ofOther}`] });
    await refused(interfaces, port({ bridge: rival }), { bridge: [`The selected bridge interface (eth9) ${ofOther}`] });
    expect((await change(`${interfaces}/${eth0}`, { parent: eth0 })).body).toEqual({
      parent: ['An interface cannot be its own parent.'],
    });
    expect((await change(`${interfaces}/${eth0}`, { bridge: eth0 })).body).toEqual({
      bridge: ['An interface cannot be bridged to itself.'],
    });
    await refused(interfaces, port({ mode: 'access', untagged_vlan: far }), {
      untagged_vlan: [
        "The untagged VLAN (v30 (30)) must belong to the same site as the interface's parent virtual machine, or it must be global.",
      ],
    });
    const stray = {
      tagged_vlans: [
        "VLAN v30 (30) must belong to the same site as the interface's parent virtual machine, or it must be global.",
      ],
    };
    await refused(interfaces, port({ mode: 'tagged', tagged_vlans: [local, far] }), stray);
    await refused(interfaces, [port({}), port({ name: 'eth2', tagged_vlans: [far] }), port({ name: 'eth3' })], {
      1: stray,
    });
    await refused(interfaces, port({ mode: 'access', qinq_svlan: anywhere }), {
      qinq_svlan: ['Only Q-in-Q interfaces may specify a service VLAN.'],
    });
    await refused(interfaces, port({ mtu: 65_537 }), { mtu: ['Ensure this value is less than or equal to 65536.'] });
    await refused(interfaces, port({ name: 'eth0' }), {
      __all__: ['Interface with this Virtual machine and Name already exists.'],
    });
    const eth1 = await make(
      interfaces,
      port({ mode: 'tagged', untagged_vlan: local, tagged_vlans: [anywhere], parent: eth0 }),
    );
    const shown = await get(`${interfaces}/${eth1}`);
    expect(shown['parent']).toMatchObject({ id: eth0, virtual_machine: { name: 'Wired' }, name: 'eth0' });
    expect((await change(`${interfaces}/${eth1}`, { mode: '' })).body).toMatchObject({
      mode: null,
      untagged_vlan: null,
      tagged_vlans: [],
    });
    expect((await test.api.delete(`/api/${interfaces}/${eth0}/`)).status).toBe(409);

    const mac = await make('dcim/mac-addresses', { mac_address: '00:00:5e:00:53:01' });
    const eth2 = await make(interfaces, port({ name: 'eth2', primary_mac_address: mac }));
    expect(await get(`${interfaces}/${eth2}`)).toMatchObject({
      mac_address: '00:00:5E:00:53:01',
      mac_addresses: [{ id: mac }],
    });
    expect(await change(`${interfaces}/${eth0}`, { primary_mac_address: mac })).toMatchObject({ status: 400 });
    for (const list of [interfaces, machines]) {
      const { body } = await test.api.get<{ results: Json[] }>(`/api/${list}/?mac_address=00:00:5E:00:53:01`);
      expect(body.results.map(({ id }) => id)).toEqual([list === interfaces ? eth2 : machine]);
    }
  });

  it('move machines with their cluster to its site, and return the sums of their resources', async () => {
    const away = { scope_type: 'dcim.site', scope_id: ids['otherSite'] };
    expect(await change(`${clusters}/${ids['placed']}`, away)).toMatchObject({
      status: 400,
      body: { scope: ['1 devices are assigned as hosts for this cluster but are not in site Yard'] },
    });
    expect(
      await change(`${clusters}/${ids['placed']}`, { scope_type: 'dcim.location', scope_id: ids['room'] }),
    ).toMatchObject({
      status: 400,
      body: { scope: ['1 devices are assigned as hosts for this cluster but are not in location Room'] },
    });
    const cluster = await make(clusters, { name: 'Moving', type: ids['type'] });
    const machine = await make(machines, { name: 'Mover', cluster, vcpus: 1.5, memory: 100, disk: 7 });
    await make(machines, { name: 'Mover 2', cluster, vcpus: 2, memory: 28 });
    expect(await get(`${machines}/${machine}`)).toMatchObject({ site: null });
    const { body } = await change(`${clusters}/${cluster}`, away);
    expect(body).toMatchObject({
      virtualmachine_count: 2,
      allocated_vcpus: 3.5,
      allocated_memory: 128,
      allocated_disk: 7,
    });
    expect(await get(`${machines}/${machine}`)).toMatchObject({ site: { id: ids['otherSite'] } });
    await refused(
      clusters,
      { name: 'Moving', type: ids['type'], ...away },
      {
        __all__: ['Cluster with this Site and Name already exists.'],
      },
    );
    const corner = await make('dcim/locations', { name: 'Corner', slug: 'corner', site: ids['otherSite'] });
    await change(`${clusters}/${cluster}`, { scope_type: 'dcim.location', scope_id: corner });
    const inSite = { scope_type: 'dcim.site', scope_id: ids['site'] };
    const twin = await make(clusters, { name: 'Moving', type: ids['type'], ...inSite });
    expect(await change(`dcim/locations/${corner}`, { site: ids['site'] })).toMatchObject({
      status: 400,
      body: { site: ['Cluster name must be unique per site.'] },
    });
    await test.api.delete(`/api/${clusters}/${twin}/`);
    expect((await change(`dcim/locations/${corner}`, { site: ids['site'] })).status).toBe(200);
    expect(await get(`${machines}/${machine}`)).toMatchObject({ site: { id: ids['site'] } });
    await refused(
      clusters,
      { name: 'Half', type: ids['type'], scope_type: 'dcim.site' },
      {
        __all__: ['Please select a site.'],
      },
    );
  });
});
