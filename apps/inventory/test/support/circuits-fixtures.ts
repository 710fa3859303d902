import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';
import { byName, named, renamed } from './fixtures-of-named-objects.js';

type Surrounding = NonNullable<Fixture['surroundings']>[number];

const provider: Surrounding = {
  name: 'provider',
  path: '/api/circuits/providers/',
  body: { name: 'Carrier', slug: 'carrier' },
};
const otherProvider: Surrounding = {
  name: 'otherProvider',
  path: '/api/circuits/providers/',
  body: { name: 'Backup', slug: 'backup' },
};
const account: Surrounding = {
  name: 'account',
  path: '/api/circuits/provider-accounts/',
  body: { provider: { slug: 'carrier' }, account: 'A-1' },
};
const network: Surrounding = {
  name: 'network',
  path: '/api/circuits/provider-networks/',
  body: { provider: { slug: 'carrier' }, name: 'Backbone' },
};
const circuitType: Surrounding = {
  name: 'type',
  path: '/api/circuits/circuit-types/',
  body: { name: 'Transit', slug: 'transit' },
};
const virtualType: Surrounding = {
  name: 'virtualType',
  path: '/api/circuits/virtual-circuit-types/',
  body: { name: 'Wave', slug: 'wave' },
};
const circuitOf = (cid: string): Surrounding => ({
  name: cid,
  path: '/api/circuits/circuits/',
  body: { cid, provider: { slug: 'carrier' }, type: { slug: 'transit' } },
});
const virtualCircuitOf = (cid: string): Surrounding => ({
  name: cid,
  path: '/api/circuits/virtual-circuits/',
  body: {
    cid,
    provider_network: { name: 'Backbone' },
    type: { slug: 'wave' },
    provider_account: { account: 'A-1' },
  },
});
const places: readonly Surrounding[] = [
  { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
  { name: 'siteGroup', path: '/api/dcim/site-groups/', body: { name: 'Edge', slug: 'edge' } },
  {
    name: 'hall',
    path: '/api/dcim/sites/',
    body: { name: 'Hall', slug: 'hall', region: { slug: 'europe' }, group: { slug: 'edge' } },
  },
  { name: 'room', path: '/api/dcim/locations/', body: { name: 'Room', slug: 'room', site: { slug: 'hall' } } },
];
const tenants: readonly Surrounding[] = [
  { name: 'tenantGroup', path: '/api/tenancy/tenant-groups/', body: { name: 'Customers', slug: 'customers' } },
  {
    name: 'tenant',
    path: '/api/tenancy/tenants/',
    body: { name: 'Acme', slug: 'acme', group: { slug: 'customers' } },
  },
];

/** Fixtures (test data) of providers and provider accounts. */
const sellers: Readonly<Record<string, Fixture>> = {
  'circuits.provider': {
    surroundings: [
      { name: 'rir', path: '/api/ipam/rirs/', body: { name: 'RFC 6996', slug: 'rfc-6996' } },
      { name: 'asn', path: '/api/ipam/asns/', body: { asn: 65_000, rir: { slug: 'rfc-6996' } } },
    ],
    create: ({ asn }) => [
      { name: 'Delta 10', slug: 'delta-10', asns: [asn] },
      { name: 'Delta 2', slug: 'delta-2' },
      { name: 'Echo', slug: 'echo', accounts: [] },
    ],
    patch: { body: { asns: [] }, shown: { asns: [], accounts: [], circuit_count: 0 } },
    filters: [
      ...byName,
      { query: 'asn=65000', finds: [0] },
      { query: 'region=null', finds: [0, 1, 2] },
      { query: 'site_group_id__n=null', finds: [] },
    ],
  },
  'circuits.circuittype': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: { body: { color: 'aa1409' }, shown: { color: 'aa1409', circuit_count: 0 } },
    filters: [...byName, { query: 'color=aa1409', finds: [] }],
  },
  'circuits.virtualcircuittype': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: { body: { color: '' }, shown: { color: '', virtual_circuit_count: 0 } },
    filters: byName,
  },
  'circuits.circuitgroup': {
    surroundings: tenants,
    create: () => [
      { name: 'Delta 10', slug: 'delta-10', tenant: { slug: 'acme' } },
      { name: 'Delta 2', slug: 'delta-2' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: renamed,
    nullable: { field: 'tenant', value: { slug: 'acme' }, shown: { name: 'Acme' } },
    filters: [...byName, { query: 'tenant=acme', finds: [0] }, { query: 'tenant_group=customers', finds: [0] }],
  },
  'circuits.provideraccount': {
    surroundings: [provider, otherProvider],
    create: ({ provider: carrier }) => [
      { provider: carrier, account: 'A-10', name: 'Delta 10' },
      { provider: carrier, account: 'A-2', name: 'Delta 2' },
      { provider: { slug: 'backup' }, account: 'A-10' },
    ],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'A-10 (Renamed)' } },
    filters: [
      { query: 'provider=backup', finds: [2] },
      { query: 'provider__n=backup', finds: [0, 1] },
      { query: 'account=A-10', finds: [0, 2] },
      { query: 'name__empty=true', finds: [2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'circuits.providernetwork': {
    surroundings: [provider, otherProvider],
    create: ({ provider: carrier }) => [
      { provider: carrier, name: 'Delta 10', service_id: 'S-1' },
      { provider: carrier, name: 'Delta 2' },
      { provider: { slug: 'backup' }, name: 'Delta 10' },
    ],
    patch: renamed,
    filters: [
      { query: 'provider=backup', finds: [2] },
      { query: 'name=Delta%2010', finds: [0, 2] },
      { query: 'service_id=S-1', finds: [0] },
      { query: 'q=S-1', finds: [0] },
    ],
  },
};

/** Fixtures (test data) of circuits and related models. */
const lines: Readonly<Record<string, Fixture>> = {
  'circuits.circuit': {
    surroundings: [provider, otherProvider, account, circuitType, ...tenants],
    create: ({ provider: carrier, account: billing, type }) => [
      {
        cid: 'DELTA-10',
        provider: carrier,
        provider_account: billing,
        type,
        commit_rate: 1000,
        tenant: { slug: 'acme' },
      },
      { cid: 'DELTA-2', provider: carrier, type: { slug: 'transit' }, install_date: '2026-01-31', status: 'planned' },
      { cid: 'DELTA-10', provider: { slug: 'backup' }, type, distance: 12.5, distance_unit: 'km' },
    ],
    patch: {
      body: { status: 'offline', termination_date: '2027-01-31' },
      shown: {
        status: { value: 'offline', label: 'Offline' },
        termination_date: '2027-01-31',
        termination_a: null,
        assignments: [],
      },
    },
    nullable: { field: 'provider_account', value: { account: 'A-1' }, shown: { display: 'A-1' } },
    filters: [
      { query: 'cid=DELTA-2', finds: [1] },
      { query: 'provider=backup', finds: [2] },
      { query: 'provider_account=A-1', finds: [0] },
      { query: 'provider_account_id=null', finds: [1, 2] },
      { query: 'type=transit', finds: [0, 1, 2] },
      { query: 'status=planned', finds: [1] },
      { query: 'install_date=2026-01-31', finds: [1] },
      { query: 'commit_rate__gte=1000', finds: [0] },
      { query: 'distance=12.5', finds: [2] },
      { query: 'distance_unit=km', finds: [2] },
      { query: 'tenant_group=customers', finds: [0] },
      { query: 'region=null', finds: [0, 1, 2] },
      { query: 'q=delta-10', finds: [0, 2] },
    ],
  },
  'circuits.circuittermination': {
    surroundings: [provider, network, circuitType, circuitOf('C-1'), circuitOf('C-2'), ...places],
    create: (ids) => [
      {
        circuit: ids['C-1'],
        term_side: 'A',
        termination_type: 'dcim.site',
        termination_id: ids['hall'],
        port_speed: 1000,
        pp_info: 'Panel 1',
      },
      {
        circuit: { cid: 'C-1' },
        term_side: 'Z',
        termination_type: 'circuits.providernetwork',
        termination_id: ids['network'],
        upstream_speed: 100,
      },
      {
        circuit: ids['C-2'],
        term_side: 'A',
        termination_type: 'dcim.location',
        termination_id: ids['room'],
        xconnect_id: 'X-1',
        mark_connected: true,
      },
    ],
    patch: {
      body: { xconnect_id: 'X-2' },
      shown: { xconnect_id: 'X-2', display: 'C-1: Termination A', link_peers: [], link_peers_type: null },
    },
    filters: [
      { query: 'term_side=A', finds: [0, 2] },
      { query: 'termination_type=dcim.site', finds: [0] },
      { query: 'region=europe', finds: [0, 2] },
      { query: 'region=null', finds: [1] },
      { query: 'site_group=edge', finds: [0, 2] },
      { query: 'site=hall', finds: [0, 2] },
      { query: 'location=room', finds: [2] },
      { query: 'location=null', finds: [0, 1] },
      { query: 'provider_network_id=null', finds: [0, 2] },
      { query: 'provider_network_id=1', finds: [1] },
      { query: 'provider=carrier', finds: [0, 1, 2] },
      { query: 'provider_id=1', finds: [0, 1, 2] },
      { query: 'port_speed=1000', finds: [0] },
      { query: 'upstream_speed=100', finds: [1] },
      { query: 'xconnect_id=X-1', finds: [2] },
      { query: 'pp_info=Panel%201', finds: [0] },
      { query: 'occupied=true', finds: [2] },
      { query: 'cabled=true', finds: [] },
      { query: 'cable_end=A', finds: [] },
      { query: 'q=C-2', finds: [2] },
    ],
  },
  'circuits.circuitgroupassignment': {
    surroundings: [
      provider,
      account,
      network,
      circuitType,
      virtualType,
      circuitOf('C-1'),
      circuitOf('C-2'),
      virtualCircuitOf('V-1'),
      { name: 'group', path: '/api/circuits/circuit-groups/', body: { name: 'Ring', slug: 'ring' } },
    ],
    create: (ids) => [
      { group: ids['group'], member_type: 'circuits.circuit', member_id: ids['C-1'], priority: 'primary' },
      { group: { slug: 'ring' }, member_type: 'circuits.circuit', member_id: ids['C-2'] },
      { group: ids['group'], member_type: 'circuits.virtualcircuit', member_id: ids['V-1'], priority: 'inactive' },
    ],
    patch: {
      body: { priority: 'tertiary' },
      shown: { priority: { value: 'tertiary', label: 'Tertiary' }, display: 'Ring (Tertiary)' },
    },
    nullable: { field: 'priority', value: 'secondary', shown: { value: 'secondary', label: 'Secondary' } },
    filters: [
      { query: 'group=ring', finds: [0, 1, 2] },
      { query: 'member_type=circuits.virtualcircuit', finds: [2] },
      { query: 'circuit=C-1', finds: [0] },
      { query: 'circuit=V-1', finds: [] },
      { query: 'circuit_id=2', finds: [1] },
      { query: 'virtual_circuit=V-1', finds: [2] },
      { query: 'virtual_circuit_id=1', finds: [2] },
      { query: 'provider=carrier', finds: [0, 1, 2] },
      { query: 'provider=nobody', finds: [] },
      { query: 'provider_id=1', finds: [0, 1, 2] },
      { query: 'priority=inactive', finds: [2] },
      { query: 'q=C-2', finds: [1] },
      { query: 'q=ring', finds: [0, 1, 2] },
    ],
  },
  'circuits.virtualcircuit': {
    surroundings: [provider, account, network, virtualType, ...tenants],
    create: ({ network: backbone, account: billing, virtualType: type }) => [
      { cid: 'DELTA-10', provider_network: backbone, provider_account: billing, type },
      { cid: 'DELTA-2', provider_network: { name: 'Backbone' }, type: { slug: 'wave' }, tenant: { slug: 'acme' } },
      { cid: 'ECHO', provider_network: backbone, type, status: 'offline' },
    ],
    patch: { body: { cid: 'DELTA-11' }, shown: { cid: 'DELTA-11', display: 'DELTA-11' } },
    nullable: { field: 'provider_account', value: { account: 'A-1' }, shown: { account: 'A-1' } },
    filters: [
      { query: 'cid=ECHO', finds: [2] },
      { query: 'provider=carrier', finds: [0, 1, 2] },
      { query: 'provider_id=1', finds: [0, 1, 2] },
      { query: 'provider_account=A-1', finds: [0] },
      { query: 'type=wave', finds: [0, 1, 2] },
      { query: 'status=offline', finds: [2] },
      { query: 'tenant_group=customers', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'circuits.virtualcircuittermination': {
    surroundings: [
      ...deviceSurroundings,
      deviceIn('Switch'),
      ...['vlan1', 'vlan2', 'vlan3'].map((name) => ({
        name,
        path: '/api/dcim/interfaces/',
        body: { device: { name: 'Switch' }, name, type: 'virtual' },
      })),
      provider,
      account,
      network,
      virtualType,
      virtualCircuitOf('V-1'),
    ],
    create: (ids) => [
      { virtual_circuit: ids['V-1'], interface: ids['vlan1'] },
      { virtual_circuit: { cid: 'V-1' }, interface: { name: 'vlan2' }, role: 'hub' },
      { virtual_circuit: ids['V-1'], interface: ids['vlan3'], role: 'spoke', description: 'third' },
    ],
    patch: {
      body: { role: 'spoke' },
      shown: { role: { value: 'spoke', label: 'Spoke' }, display: 'V-1: Spoke termination' },
    },
    filters: [
      { query: 'role=hub', finds: [1] },
      { query: 'provider=carrier', finds: [0, 1, 2] },
      { query: 'provider_id=1', finds: [0, 1, 2] },
      { query: 'provider_account=A-1', finds: [0, 1, 2] },
      { query: 'provider_account_id=1', finds: [0, 1, 2] },
      { query: 'provider_network_id=1', finds: [0, 1, 2] },
      { query: 'q=third', finds: [2] },
      { query: 'q=V-1', finds: [0, 1, 2] },
    ],
  },
};

/** Fixtures (test data) of all models of the app `circuits`. */
export const circuitsFixtures: Readonly<Record<string, Fixture>> = { ...sellers, ...lines };
