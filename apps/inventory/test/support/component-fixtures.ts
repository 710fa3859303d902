import type { Fixture } from './describe-model.js';
import { deviceBasics, deviceIn, deviceSurroundings } from './device-fixtures.js';

const twoDevices = [...deviceSurroundings, deviceIn('Switch'), deviceIn('Router')];

/** Query strings of filters that match all three components of the fixture, which belong to two devices. */
const ofAll: Fixture['filters'] = [
  { query: 'site=amsterdam', finds: [0, 1, 2] },
  { query: 'site_id=1', finds: [0, 1, 2] },
  { query: 'device_role=access', finds: [0, 1, 2] },
  { query: 'device_role_id=1', finds: [0, 1, 2] },
  { query: 'device_type=Box%201', finds: [0, 1, 2] },
  { query: 'device_type_id=1', finds: [0, 1, 2] },
  { query: 'device_status=planned', finds: [] },
  { query: 'device_status=active', finds: [0, 1, 2] },
  { query: 'location_id=null', finds: [0, 1, 2] },
];

/**
 * Query strings of filters by device. The first component of the fixture belongs to the device Router, the other
 * components to the switch.
 */
const byDevice: Fixture['filters'] = [
  { query: 'device=Router', finds: [0] },
  { query: 'q=elta', finds: [0, 1] },
  ...ofAll,
];

const byCable = [
  { query: 'cabled=false', finds: [0, 1, 2] },
  { query: 'occupied=true', finds: [2] },
  { query: 'cable_connector=1', finds: [] },
  { query: 'cable_end=A', finds: [] },
];

const label = {
  body: { label: 'back' },
  shown: { label: 'back', display: 'Delta 10 (back)', link_peers: [], link_peers_type: null, _occupied: false },
};

/**
 * Returns the description of a rear port or front port of the device Router with four positions. The port is created
 * first, so that the tested ports can be mapped to it.
 */
function port(name: 'front' | 'rear'): Surrounding {
  const body = { device: { name: 'Router' }, name: 'Panel', type: 'mpo', positions: 4 };
  return { name, path: `/api/dcim/${name}-ports/`, body };
}

type Surrounding = NonNullable<Fixture['surroundings']>[number];

/** Returns the description of a module bay of the device Router, which is created before the tested objects. */
function bay(name: string): Surrounding {
  return { name, path: '/api/dcim/module-bays/', body: { device: { name: 'Router' }, name } };
}

/** Returns the description of a module in a bay of the device Router, which is created before the tested objects. */
function moduleIn(name: string): Surrounding {
  const body = { device: { name: 'Router' }, module_bay: { name }, module_type: { model: 'Card' } };
  return { name: 'module', path: '/api/dcim/modules/', body };
}

function deviceType(model: string, role: string): Surrounding {
  const body = { manufacturer: { slug: 'acme' }, model, slug: model.toLowerCase(), subdevice_role: role, u_height: 0 };
  return { name: model, path: '/api/dcim/device-types/', body };
}

function deviceOf(name: string, slug: string): Surrounding {
  return { name, path: '/api/dcim/devices/', body: { ...deviceBasics, name, device_type: { slug } } };
}

/**
 * Fixtures (test data) of two groups of components: those at which no cable can end, and those through which cable
 * paths pass.
 */
export const componentFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.frontport': {
    surroundings: [...twoDevices, port('rear')],
    create: ({ Router, Switch, rear }) => [
      {
        device: Router,
        name: 'Delta 10',
        type: 'lc',
        rear_ports: [{ position: 1, rear_port: rear, rear_port_position: 3 }],
      },
      { device: { name: 'Switch' }, name: 'Delta 2', type: 'lc', color: 'ff0000' },
      { device: Switch, name: 'Echo', type: '8p8c', positions: 2, mark_connected: true },
    ],
    patch: label,
    filters: [
      ...byDevice,
      ...byCable,
      { query: 'type=lc', finds: [0, 1] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'positions__gt=1', finds: [2] },
      { query: 'rear_port_id=1', finds: [0] },
    ],
  },
  'dcim.rearport': {
    surroundings: [...twoDevices, port('front')],
    create: ({ Router, Switch, front }) => [
      {
        device: Router,
        name: 'Delta 10',
        type: 'mpo',
        front_ports: [{ position: 1, front_port: front, front_port_position: 3 }],
      },
      { device: { name: 'Switch' }, name: 'Delta 2', type: 'mpo', color: 'ff0000' },
      { device: Switch, name: 'Echo', type: '8p8c', positions: 2, mark_connected: true },
    ],
    patch: label,
    filters: [
      ...byDevice,
      ...byCable,
      { query: 'type=mpo', finds: [0, 1] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'positions=2', finds: [2] },
      { query: 'front_port_id=1', finds: [0] },
      { query: 'front_port_id=null', finds: [1, 2] },
    ],
  },
  'dcim.modulebay': {
    surroundings: [
      ...twoDevices,
      { name: 'card', path: '/api/dcim/module-types/', body: { manufacturer: { slug: 'acme' }, model: 'Card' } },
      bay('Outer'),
      moduleIn('Outer'),
    ],
    others: 1,
    create: ({ Router, Switch }) => [
      { device: Router, module: 1, name: 'Delta 10', position: '1' },
      { device: { name: 'Switch' }, name: 'Delta 2', label: 'front', enabled: false },
      { device: Switch, name: 'Echo' },
    ],
    patch: {
      body: { label: 'back' },
      shown: { label: 'back', display: 'Delta 10 (back)', installed_module: null, _occupied: false },
    },
    filters: [
      ...byDevice,
      { query: 'label=front', finds: [1] },
      { query: 'position=1', finds: [0] },
      { query: 'enabled=false', finds: [1] },
      { query: 'module_id=1', finds: [0] },
      { query: 'parent_id=1', finds: [0] },
      { query: 'parent_id=null', finds: [1, 2] },
      { query: 'installed_module_id=1', finds: [] },
      { query: 'installed_module_id=null', finds: [0, 1, 2] },
    ],
  },
  'dcim.module': {
    surroundings: [
      ...twoDevices,
      { name: 'profile', path: '/api/dcim/module-type-profiles/', body: { name: 'Optics' } },
      {
        name: 'card',
        path: '/api/dcim/module-types/',
        body: { manufacturer: { slug: 'acme' }, model: 'Card', profile: { name: 'Optics' } },
      },
      { name: 'plain', path: '/api/dcim/module-types/', body: { manufacturer: { slug: 'acme' }, model: 'Plain' } },
      ...['Bay 1', 'Bay 2', 'Bay 10'].map(bay),
    ],
    create: (ids) => [
      { device: ids['Router'], module_bay: ids['Bay 1'], module_type: { model: 'Card' }, serial: 'S-1' },
      {
        device: { name: 'Router' },
        module_bay: { name: 'Bay 2' },
        module_type: { model: 'Plain' },
        asset_tag: 'A-1',
        replicate_components: false,
        adopt_components: 'true',
      },
      { device: ids['Router'], module_bay: ids['Bay 10'], module_type: ids['plain'], status: 'planned' },
    ],
    patch: {
      body: { status: 'failed', replicate_components: false },
      shown: {
        status: { value: 'failed', label: 'Failed' },
        display: 'Bay 1: Card (1)',
        module_bay: {
          id: 1,
          url: 'http://localhost/api/dcim/module-bays/1/',
          display_url: 'http://localhost/dcim/module-bays/1/',
          display: 'Bay 1',
          name: 'Bay 1',
        },
      },
    },
    nullable: { field: 'asset_tag', value: 'A-2', shown: 'A-2' },
    filters: [
      { query: 'serial=S-1', finds: [0] },
      { query: 'asset_tag=A-1', finds: [1] },
      { query: 'status=planned', finds: [2] },
      { query: 'module_type=Plain', finds: [1, 2] },
      { query: 'module_type_id=1', finds: [0] },
      { query: 'module_bay_id=2', finds: [1] },
      { query: 'profile=Optics', finds: [0] },
      { query: 'profile_id=1', finds: [0] },
      { query: 'manufacturer=acme', finds: [0, 1, 2] },
      { query: 'manufacturer_id=1', finds: [0, 1, 2] },
      { query: 'site=amsterdam', finds: [0, 1, 2] },
      { query: 'site_id=1', finds: [0, 1, 2] },
      { query: 'location_id=null', finds: [0, 1, 2] },
      { query: 'device=Router', finds: [0, 1, 2] },
      { query: 'device__n=Router', finds: [] },
      { query: 'q=s-1', finds: [0] },
    ],
  },
  'dcim.devicebay': {
    surroundings: [
      ...deviceSurroundings,
      deviceType('Chassis', 'parent'),
      deviceType('Blade', 'child'),
      deviceOf('Router', 'chassis'),
      deviceOf('Switch', 'chassis'),
      deviceOf('Blade 1', 'blade'),
      deviceOf('Blade 2', 'blade'),
    ],
    create: ({ Router, Switch }) => [
      { device: Router, name: 'Delta 10', installed_device: { name: 'Blade 1' } },
      { device: { name: 'Switch' }, name: 'Delta 2', label: 'front' },
      { device: Switch, name: 'Echo', enabled: false },
    ],
    patch: { body: { label: 'back' }, shown: { label: 'back', display: 'Delta 10 (back)', _occupied: true } },
    nullable: { field: 'installed_device', value: { name: 'Blade 2' }, shown: { name: 'Blade 2' } },
    filters: [
      ...byDevice.filter(({ query }) => !query.startsWith('device_type')),
      { query: 'device_type=Chassis', finds: [0, 1, 2] },
      { query: 'device_type_id=2', finds: [0, 1, 2] },
      { query: 'enabled=true', finds: [0, 1] },
      { query: 'installed_device=Blade%201', finds: [0] },
      { query: 'installed_device_id=null', finds: [1, 2] },
    ],
  },
  'dcim.inventoryitem': {
    surroundings: [
      ...twoDevices,
      { name: 'role', path: '/api/dcim/inventory-item-roles/', body: { name: 'Fan', slug: 'fan' } },
      { name: 'port', path: '/api/dcim/console-ports/', body: { device: { name: 'Router' }, name: 'Con' } },
      { name: 'above', path: '/api/dcim/inventory-items/', body: { device: { name: 'Switch' }, name: 'Tray' } },
    ],
    others: 1,
    create: ({ Router, Switch, port, above }) => [
      {
        device: Router,
        name: 'Delta 10',
        component_type: 'dcim.consoleport',
        component_id: port,
        part_id: 'P-1',
        serial: 'S-1',
        asset_tag: 'A-1',
      },
      { device: { name: 'Switch' }, name: 'Delta 2', parent: above, role: { slug: 'fan' }, status: 'planned' },
      { device: Switch, name: 'Echo', manufacturer: { slug: 'acme' }, discovered: true },
    ],
    patch: {
      body: { label: 'back' },
      shown: { label: 'back', display: 'Delta 10 (back)', parent: null, _depth: 0, component: { name: 'Con' } },
    },
    nullable: { field: 'role', value: { slug: 'fan' }, shown: { name: 'Fan' } },
    filters: [
      ...byDevice,
      { query: 'parent_id=1', finds: [1] },
      { query: 'parent_id=null', finds: [0, 2] },
      { query: 'part_id=P-1', finds: [0] },
      { query: 'serial__ic=s', finds: [0] },
      { query: 'asset_tag=A-1', finds: [0] },
      { query: 'status=planned', finds: [1] },
      { query: 'discovered=true', finds: [2] },
      { query: 'role=fan', finds: [1] },
      { query: 'role_id=null', finds: [0, 2] },
      { query: 'manufacturer=acme', finds: [2] },
      { query: 'component_type=dcim.consoleport', finds: [0] },
      { query: 'component_id__empty=true', finds: [1, 2] },
    ],
  },
};
