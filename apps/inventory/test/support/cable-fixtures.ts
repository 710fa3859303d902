import type { Fixture } from './describe-model.js';
import { twoDevices } from './port-fixtures.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';
import type { ReadOnlyFixture } from './describe-read-only.js';

/** Test data: ports of three devices, and other objects that cables can connect. */
const ports = [
  ...twoDevices,
  deviceIn('Server'),
  ...(['Switch', 'Server'] as const).flatMap((device) =>
    ['1', '2'].map((name) => ({
      name: `${device}${name}`,
      path: '/api/dcim/interfaces/',
      body: { device: { name: device }, name, type: '1000base-t' },
    })),
  ),
  ...(
    [
      ['power-ports', 'Inlet'],
      ['power-outlets', 'Outlet'],
      ['console-ports', 'Console'],
      ['console-server-ports', 'ConsoleServer'],
    ] as const
  ).map(([path, name]) => ({ name, path: `/api/dcim/${path}/`, body: { device: { name: 'Router' }, name } })),
  { name: 'bundle', path: '/api/dcim/cable-bundles/', body: { name: 'Trunk' } },
] as const;

const endOf = (type: string, id: number | undefined): object => ({ object_type: `dcim.${type}`, object_id: id });

/** Fixture (test data) for the assignments of FHRP groups to interfaces. */
const assignmentFixture: Fixture = {
  surroundings: [
    ...deviceSurroundings,
    deviceIn('Router'),
    {
      name: 'machine',
      path: '/api/virtualization/virtual-machines/',
      body: { name: 'vm', site: { slug: 'amsterdam' } },
    },
    {
      name: 'eth',
      path: '/api/dcim/interfaces/',
      body: { device: { name: 'Router' }, name: 'eth0', label: 'up', type: '1000base-t' },
    },
    {
      name: 'nic',
      path: '/api/virtualization/interfaces/',
      body: { virtual_machine: { name: 'vm' }, name: 'nic0' },
    },
    { name: 'first', path: '/api/ipam/fhrp-groups/', body: { protocol: 'vrrp3', group_id: 1 } },
    { name: 'second', path: '/api/ipam/fhrp-groups/', body: { protocol: 'hsrp', group_id: 2, name: 'Core' } },
  ],
  create: ({ eth, nic, first, second }) => [
    { group: first, interface_type: 'dcim.interface', interface_id: eth, priority: 100 },
    { group: second, interface_type: 'dcim.interface', interface_id: eth, priority: 255 },
    { group: first, interface_type: 'virtualization.vminterface', interface_id: nic, priority: 0 },
  ],
  patch: {
    body: { priority: 50 },
    shown: { priority: 50, display: 'eth0 (up): VRRPv3: 1 (50)', interface: { name: 'eth0' }, group: { group_id: 1 } },
  },
  filters: [
    { query: 'group_id=2', finds: [1] },
    { query: 'interface_type=virtualization.vminterface', finds: [2] },
    { query: 'interface_id=1', finds: [0, 1, 2] },
    { query: 'priority__gte=100', finds: [0, 1] },
    { query: 'device=Router', finds: [0, 1] },
    { query: 'device_id=1', finds: [0, 1] },
    { query: 'device=nobody', finds: [] },
    { query: 'virtual_machine=vm', finds: [2] },
    { query: 'virtual_machine_id=1', finds: [2] },
  ],
  // The objects have no field whose change would leave the assignment unchanged.
  untried: ['updated_by_request'],
};

/** Fixtures (test data) of cables, and of the objects that cables connect. */
export const cableFixtures: Readonly<Record<string, Fixture>> = {
  'ipam.fhrpgroupassignment': assignmentFixture,
  'dcim.cable': {
    surroundings: ports,
    create: (ids) => [
      {
        a_terminations: [endOf('interface', ids['Switch1']), endOf('interface', ids['Switch2'])],
        b_terminations: [endOf('interface', ids['Server1'])],
        label: 'Delta 10',
        type: 'cat6',
        color: 'ff0000',
        length: 12.5,
        length_unit: 'm',
        tenant: { slug: 'initech' },
        bundle: { name: 'Trunk' },
      },
      {
        a_terminations: [endOf('powerport', ids['Inlet'])],
        b_terminations: [endOf('poweroutlet', ids['Outlet'])],
        label: 'Delta 2',
        status: 'planned',
      },
      {
        a_terminations: [endOf('consoleserverport', ids['ConsoleServer'])],
        b_terminations: [endOf('consoleport', ids['Console'])],
        profile: 'single-1c1p',
      },
    ],
    patch: {
      body: { status: 'decommissioning', color: '00ff00' },
      shown: { status: { value: 'decommissioning', label: 'Decommissioning' }, color: '00ff00' },
    },
    nullable: { field: 'tenant', value: { slug: 'initech' }, shown: { name: 'Initech' } },
    filters: [
      { query: 'q=elta', finds: [0, 1] },
      { query: 'type=cat6', finds: [0] },
      { query: 'status=planned', finds: [1] },
      { query: 'profile=single-1c1p', finds: [2] },
      { query: 'bundle=Trunk', finds: [0] },
      { query: 'tenant=initech', finds: [0] },
      { query: 'length__gt=12', finds: [0] },
      { query: 'termination_a_type=dcim.interface', finds: [0] },
      { query: 'termination_b_type=dcim.poweroutlet&termination_b_type=dcim.consoleport', finds: [1, 2] },
      { query: 'termination_a_id=2', finds: [0] },
      { query: 'termination_b_id=3', finds: [0] },
      { query: 'unterminated=true', finds: [] },
      { query: 'unterminated=false', finds: [0, 1, 2] },
      { query: 'device=Switch&device=Server', finds: [0] },
      { query: 'device_id=1', finds: [1, 2] },
      { query: 'device=nobody', finds: [] },
      { query: 'rack=R1', finds: [1, 2] },
      { query: 'rack_id=1', finds: [1, 2] },
      { query: 'location=Hall', finds: [1, 2] },
      { query: 'location_id=1', finds: [1, 2] },
      { query: 'site=amsterdam', finds: [0] },
      { query: 'site_id=1', finds: [0] },
      { query: 'interface_id=1', finds: [0] },
      { query: 'powerport_id=1', finds: [1] },
      { query: 'poweroutlet_id=1', finds: [1] },
      { query: 'consoleport_id=1', finds: [2] },
      { query: 'consoleserverport_id=1&consoleserverport_id=7', finds: [2] },
    ],
    untried: ['circuittermination_id', 'frontport_id', 'powerfeed_id', 'rearport_id'],
  },
};

/** Fixture (test data) of cable terminations. The terminations are created and deleted together with their cables. */
export const cableTerminationFixture: ReadOnlyFixture = {
  rows: 5,
  prepare: async ({ api }) => {
    const ids: Record<string, number> = {};
    for (const { name, path, body } of ports) {
      ids[name] = (await api.post<{ id: number }>(path, { json: body })).body.id;
    }
    await api.post('/api/dcim/cables/', { json: cableFixtures['dcim.cable']?.create(ids).slice(0, 2) });
  },
  filters: [
    { query: 'cable=1', finds: 3 },
    { query: 'cable_id=2', finds: 2 },
    { query: 'cable_end=A', finds: 3 },
    { query: 'termination_type=dcim.interface', finds: 3 },
    { query: 'termination_id__gt=1', finds: 2 },
    { query: 'interface_id=2&interface_id=3', finds: 2 },
    { query: 'powerport_id=1', finds: 1 },
    { query: 'poweroutlet_id=1', finds: 1 },
    { query: 'consoleport_id=1', finds: 0 },
    { query: 'consoleserverport_id=1', finds: 0 },
    { query: 'frontport_id=1', finds: 0 },
    { query: 'rearport_id=1', finds: 0 },
    { query: 'powerfeed_id=1', finds: 0 },
    { query: 'circuittermination_id=1', finds: 0 },
  ],
};
