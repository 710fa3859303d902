import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';
import { byName, named, renamed } from './fixtures-of-named-objects.js';

type Surrounding = NonNullable<Fixture['surroundings']>[number];

const clusterType: Surrounding = {
  name: 'clusterType',
  path: '/api/virtualization/cluster-types/',
  body: { name: 'KVM', slug: 'kvm' },
};
const clusterGroup: Surrounding = {
  name: 'clusterGroup',
  path: '/api/virtualization/cluster-groups/',
  body: { name: 'Lab', slug: 'lab' },
};
const clusterOf = (name: string): Surrounding => ({
  name,
  path: '/api/virtualization/clusters/',
  body: { name, type: { slug: 'kvm' }, group: { slug: 'lab' } },
});
const machineOf = (name: string): Surrounding => ({
  name,
  path: '/api/virtualization/virtual-machines/',
  body: { name, cluster: { name: 'C-1' } },
});

/** Fixtures (test data) of clusters. */
const clusters: Readonly<Record<string, Fixture>> = {
  'virtualization.clustertype': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: renamed,
    filters: byName,
  },
  'virtualization.clustergroup': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: renamed,
    filters: byName,
  },
  'virtualization.cluster': {
    surroundings: [
      clusterType,
      clusterGroup,
      { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
      { name: 'site', path: '/api/dcim/sites/', body: { name: 'Hall', slug: 'hall', region: { slug: 'europe' } } },
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } },
    ],
    create: ({ clusterType: type, clusterGroup: group, site: hall }) => [
      { name: 'Delta 10', type, group },
      { name: 'Delta 2', type: { slug: 'kvm' }, scope_type: 'dcim.site', scope_id: hall, tenant: { slug: 'acme' } },
      { name: 'Echo', type, status: 'staging' },
    ],
    patch: {
      body: { name: 'Renamed' },
      shown: {
        name: 'Renamed',
        display: 'Renamed',
        allocated_vcpus: null,
        allocated_memory: null,
        allocated_disk: null,
      },
    },
    nullable: { field: 'group', value: { slug: 'lab' }, shown: { name: 'Lab' } },
    filters: [
      { query: 'name=Echo', finds: [2] },
      { query: 'type=kvm', finds: [0, 1, 2] },
      { query: 'group=lab', finds: [0] },
      { query: 'status=staging', finds: [2] },
      { query: 'site=hall', finds: [1] },
      { query: 'region=europe', finds: [1] },
      { query: 'region_id=null', finds: [0, 2] },
      { query: 'tenant=acme', finds: [1] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
};

/** Fixtures (test data) of virtual machines and of their types, interfaces and disks. */
const parts: Readonly<Record<string, Fixture>> = {
  'virtualization.virtualmachinetype': {
    surroundings: [{ name: 'platform', path: '/api/dcim/platforms/', body: { name: 'Linux', slug: 'linux' } }],
    create: ({ platform }) => [
      { name: 'Delta 10', slug: 'delta-10', default_platform: platform },
      { name: 'Delta 2', slug: 'delta-2', default_vcpus: 1.5, default_memory: 2048 },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: renamed,
    nullable: { field: 'default_platform', value: { slug: 'linux' }, shown: { name: 'Linux' } },
    filters: [
      ...byName,
      { query: 'default_platform=linux', finds: [0] },
      { query: 'default_vcpus=1.5', finds: [1] },
      { query: 'default_memory__gt=1024', finds: [1] },
      { query: 'virtual_machine_count=0', finds: [0, 1, 2] },
    ],
  },
  'virtualization.virtualmachine': {
    untried: ['mac_address'],
    surroundings: [
      clusterType,
      clusterGroup,
      clusterOf('C-1'),
      ...deviceSurroundings,
      deviceIn('Switch'),
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } },
      { name: 'type', path: '/api/virtualization/virtual-machine-types/', body: { name: 'Small', slug: 'small' } },
    ],
    create: (ids) => [
      { name: 'Delta 10', cluster: ids['C-1'], vcpus: 1.5, memory: 2048, virtual_machine_type: ids['type'] },
      { name: 'Delta 2', site: ids['deviceSite'], local_context_data: { a: 1 }, serial: 'S-1', disk: 10 },
      { name: 'Echo', device: { name: 'Switch' }, role: ids['deviceRole'], tenant: ids['tenant'], status: 'paused' },
    ],
    patch: {
      body: { start_on_boot: 'laststate' },
      shown: { start_on_boot: { value: 'laststate', label: 'Last State' }, primary_ip: null },
    },
    nullable: { field: 'tenant', value: { slug: 'acme' }, shown: { name: 'Acme' } },
    filters: [
      { query: 'name=Delta%202', finds: [1] },
      { query: 'cluster=C-1', finds: [0] },
      { query: 'cluster_group=lab', finds: [0] },
      { query: 'cluster_group_id=null', finds: [1, 2] },
      { query: 'cluster_type=kvm', finds: [0] },
      { query: 'cluster_type_id=1', finds: [0] },
      { query: 'device=Switch', finds: [2] },
      { query: 'site=amsterdam', finds: [1, 2] },
      { query: 'role=access', finds: [2] },
      { query: 'status=paused', finds: [2] },
      { query: 'start_on_boot=off', finds: [0, 1, 2] },
      { query: 'virtual_machine_type=small', finds: [0] },
      { query: 'local_context_data=true', finds: [1] },
      { query: 'has_primary_ip=false', finds: [0, 1, 2] },
      { query: 'primary_ip4=null', finds: [0, 1, 2] },
      { query: 'mac_address=00:00:5E:00:53:01', finds: [] },
      { query: 'vcpus__lt=2', finds: [0] },
      { query: 'memory=2048', finds: [0] },
      { query: 'disk=10', finds: [1] },
      { query: 'serial=S-1', finds: [1] },
      { query: 'interface_count=0', finds: [0, 1, 2] },
      { query: 'virtual_disk_count=0', finds: [0, 1, 2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'virtualization.vminterface': {
    untried: ['mac_address'],
    surroundings: [
      clusterType,
      clusterGroup,
      clusterOf('C-1'),
      machineOf('M-1'),
      machineOf('M-2'),
      { name: 'vlan', path: '/api/ipam/vlans/', body: { vid: 10, name: 'Guests' } },
      { name: 'tagged', path: '/api/ipam/vlans/', body: { vid: 20, name: 'Servers' } },
      { name: 'service', path: '/api/ipam/vlans/', body: { vid: 30, name: 'Outer', qinq_role: 'svlan' } },
    ],
    create: (ids) => [
      { virtual_machine: ids['M-1'], name: 'eth10', mode: 'tagged', tagged_vlans: [ids['tagged']], mtu: 9000 },
      { virtual_machine: { name: 'M-1' }, name: 'eth2', mode: 'access', untagged_vlan: { vid: 10 }, enabled: false },
      { virtual_machine: ids['M-2'], name: 'eth2', mode: 'q-in-q', qinq_svlan: ids['service'] },
    ],
    patch: { body: { mtu: 1500 }, shown: { mtu: 1500, parent: null, mac_address: null, count_ipaddresses: 0 } },
    nullable: { field: 'mtu', value: '9000', shown: 9000 },
    filters: [
      { query: 'virtual_machine=M-2', finds: [2] },
      { query: 'cluster=C-1', finds: [0, 1, 2] },
      { query: 'cluster_id=1', finds: [0, 1, 2] },
      { query: 'name=eth2', finds: [1, 2] },
      { query: 'enabled=false', finds: [1] },
      { query: 'mode=access', finds: [1] },
      { query: 'mtu=9000', finds: [0] },
      { query: 'vlan=20', finds: [0] },
      { query: 'vlan=30', finds: [2] },
      { query: 'vlan_id=1', finds: [1] },
      { query: 'vlan_id=nonsense', finds: [] },
      { query: 'parent_id=null', finds: [0, 1, 2] },
      { query: 'l2vpn_id=null', finds: [0, 1, 2] },
      { query: 'mac_address=00:00:5E:00:53:01', finds: [] },
      { query: 'q=eth1', finds: [0] },
    ],
  },
  'virtualization.virtualdisk': {
    surroundings: [clusterType, clusterGroup, clusterOf('C-1'), machineOf('M-1'), machineOf('M-2')],
    create: (ids) => [
      { virtual_machine: ids['M-1'], name: 'Delta 10', size: 10 },
      { virtual_machine: { name: 'M-1' }, name: 'Delta 2', size: 20 },
      { virtual_machine: ids['M-2'], name: 'Echo', size: '30' },
    ],
    patch: { body: { size: 15 }, shown: { size: 15 } },
    filters: [
      { query: 'virtual_machine=M-1', finds: [0, 1] },
      { query: 'name=Echo', finds: [2] },
      { query: 'size__gte=20', finds: [1, 2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
};

/** Fixtures (test data) of all models of the app `virtualization`. */
export const virtualizationFixtures: Readonly<Record<string, Fixture>> = { ...clusters, ...parts };
