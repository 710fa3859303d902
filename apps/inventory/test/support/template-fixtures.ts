import type { Fixture } from './describe-model.js';

const deviceType = { manufacturer: { slug: 'cisco' }, model: 'C9500', slug: 'c9500', subdevice_role: 'parent' };

/** Test objects: a device type and a module type. */
const types = [
  { name: 'manufacturer', path: '/api/dcim/manufacturers/', body: { name: 'Cisco', slug: 'cisco' } },
  { name: 'deviceType', path: '/api/dcim/device-types/', body: deviceType },
  {
    name: 'moduleType',
    path: '/api/dcim/module-types/',
    body: { manufacturer: { slug: 'cisco' }, model: 'C9500-NM' },
  },
];

const label = { body: { label: 'Slot 1' }, shown: { label: 'Slot 1', display: 'Port 10 (Slot 1)' } };

/**
 * Query strings of filters by type. The first two component templates of the fixture belong to a device type, the third
 * to a module type.
 */
const byType: Fixture['filters'] = [
  { query: 'name=Port%202', finds: [1, 2] },
  { query: 'name__ic=port', finds: [0, 1, 2] },
  { query: 'module_type_id=null', finds: [0, 1] },
  { query: 'device_type_id=null', finds: [2] },
  { query: 'q=front', finds: [1] },
];

const byDeviceType = [
  { query: 'name=Port%202', finds: [1] },
  { query: 'device_type_id__n=null', finds: [0, 1, 2] },
  { query: 'q=front', finds: [1] },
];

type Body = Record<string, unknown>;

/** Returns the request bodies of three component templates with different values. */
function three(first: Body, second: Body, third: Body): Fixture['create'] {
  return ({ deviceType, moduleType }) => [
    { device_type: deviceType, name: 'Port 10', ...first },
    { device_type: { model: 'C9500' }, name: 'Port 2', description: 'At the front', ...second },
    { module_type: moduleType, name: 'Port 2', label: 'M2', ...third },
  ];
}

/**
 * Returns the description of a rear port template or front port template with four positions. The template is created
 * first, so that the tested ports can be mapped to it.
 */
function port(name: 'front' | 'rear'): NonNullable<Fixture['surroundings']>[number] {
  const body = { device_type: { slug: 'c9500' }, name: 'Panel', type: 'mpo', positions: 4 };
  return { name, path: `/api/dcim/${name}-port-templates/`, body };
}

/** Fixtures (test data) of component templates. */
export const templateFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.consoleporttemplate': {
    surroundings: types,
    create: three({ type: 'rj-45' }, {}, { type: 'usb-c' }),
    patch: label,
    nullable: { field: 'type', value: 'de-9', shown: { value: 'de-9', label: 'DE-9' } },
    filters: [...byType, { query: 'type=rj-45', finds: [0] }, { query: 'label=M2', finds: [2] }],
  },
  'dcim.consoleserverporttemplate': {
    surroundings: types,
    create: three({ type: 'rj-45' }, {}, { type: 'usb-c' }),
    patch: label,
    nullable: { field: 'type', value: 'de-9', shown: { value: 'de-9', label: 'DE-9' } },
    filters: [...byType, { query: 'type__n=rj-45', finds: [1, 2] }],
  },
  'dcim.powerporttemplate': {
    surroundings: types,
    create: three({ type: 'iec-60320-c14', maximum_draw: 500 }, { allocated_draw: 100 }, {}),
    patch: label,
    nullable: { field: 'maximum_draw', value: '250', shown: 250 },
    filters: [
      ...byType,
      { query: 'type=iec-60320-c14', finds: [0] },
      { query: 'maximum_draw__gte=500', finds: [0] },
      { query: 'allocated_draw__empty=true', finds: [0, 2] },
    ],
  },
  'dcim.poweroutlettemplate': {
    surroundings: [
      ...types,
      {
        name: 'port',
        path: '/api/dcim/power-port-templates/',
        body: { device_type: { slug: 'c9500' }, name: 'PSU 1' },
      },
    ],
    create: (ids) =>
      three(
        { type: 'iec-60320-c13', color: 'ff0000', feed_leg: 'A' },
        { power_port: ids['port'], feed_leg: 'B' },
        {},
      )(ids),
    patch: label,
    nullable: { field: 'power_port', value: { name: 'PSU 1' }, shown: { name: 'PSU 1' } },
    filters: [
      ...byType,
      { query: 'type=iec-60320-c13', finds: [0] },
      { query: 'color=ff0000', finds: [0] },
      { query: 'feed_leg=A&feed_leg=B', finds: [0, 1] },
      { query: 'power_port_id=null', finds: [0, 2] },
    ],
  },
  'dcim.interfacetemplate': {
    surroundings: [
      ...types,
      {
        name: 'bridge',
        path: '/api/dcim/interface-templates/',
        body: { device_type: { slug: 'c9500' }, name: 'br0', type: 'bridge' },
      },
    ],
    others: 1,
    create: (ids) =>
      three(
        { type: '1000base-t', poe_mode: 'pse', poe_type: 'type2-ieee802.3at' },
        { type: 'virtual', bridge: ids['bridge'], enabled: false },
        { type: 'ieee802.11ax', rf_role: 'ap', mgmt_only: true },
      )(ids),
    patch: label,
    nullable: { field: 'bridge', value: { name: 'br0' }, shown: { name: 'br0', display: 'br0' } },
    filters: [
      ...byType,
      { query: 'type=virtual', finds: [1] },
      { query: 'enabled=false', finds: [1] },
      { query: 'mgmt_only=true', finds: [2] },
      { query: 'bridge_id__n=null', finds: [1] },
      { query: 'poe_mode=pse', finds: [0] },
      { query: 'poe_type__n=type2-ieee802.3at', finds: [1, 2] },
      { query: 'rf_role=ap', finds: [2] },
    ],
  },
  'dcim.modulebaytemplate': {
    surroundings: types,
    create: three({ position: '1' }, { enabled: false }, {}),
    patch: label,
    filters: [...byType, { query: 'position=1', finds: [0] }, { query: 'enabled=false', finds: [1] }],
  },
  'dcim.frontporttemplate': {
    surroundings: [...types, port('rear')],
    create: (ids) =>
      three(
        { type: '8p8c', rear_ports: [{ position: 1, rear_port: ids['rear'], rear_port_position: 3 }] },
        { type: 'lc', color: 'ff0000' },
        { type: 'lc', positions: 2 },
      )(ids),
    patch: label,
    filters: [
      ...byType,
      { query: 'type=lc', finds: [1, 2] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'positions__gt=1', finds: [2] },
      { query: 'rear_port_id=1', finds: [0] },
    ],
  },
  'dcim.rearporttemplate': {
    surroundings: [...types, port('front')],
    create: (ids) =>
      three(
        { type: '8p8c', front_ports: [{ position: 1, front_port: ids['front'], front_port_position: 3 }] },
        { type: 'mpo', color: 'ff0000' },
        { type: 'mpo', positions: 2 },
      )(ids),
    patch: label,
    filters: [
      ...byType,
      { query: 'type=mpo', finds: [1, 2] },
      { query: 'color__n=ff0000', finds: [0, 2] },
      { query: 'positions=2', finds: [2] },
      { query: 'front_port_id=null', finds: [1, 2] },
      { query: 'front_port_id=1', finds: [0] },
    ],
  },
  'dcim.devicebaytemplate': {
    surroundings: types,
    create: ({ deviceType: type }) => [
      { device_type: type, name: 'Port 10' },
      { device_type: { slug: 'c9500' }, name: 'Port 2', description: 'At the front', enabled: false },
      { device_type: type, name: 'Echo' },
    ],
    patch: label,
    filters: [...byDeviceType, { query: 'enabled=true', finds: [0, 2] }],
  },
  'dcim.inventoryitemtemplate': {
    surroundings: [
      ...types,
      { name: 'role', path: '/api/dcim/inventory-item-roles/', body: { name: 'Fan', slug: 'fan' } },
      {
        name: 'port',
        path: '/api/dcim/console-port-templates/',
        body: { device_type: { slug: 'c9500' }, name: 'Con' },
      },
      {
        name: 'above',
        path: '/api/dcim/inventory-item-templates/',
        body: { device_type: { slug: 'c9500' }, name: 'Tray' },
      },
    ],
    others: 1,
    create: ({ deviceType: type, port, above }) => [
      { device_type: type, name: 'Port 10', component_type: 'dcim.consoleporttemplate', component_id: port },
      { device_type: { slug: 'c9500' }, name: 'Port 2', parent: above, description: 'At the front', part_id: 'P-1' },
      { device_type: type, name: 'Echo', role: { slug: 'fan' }, manufacturer: { slug: 'cisco' } },
    ],
    patch: { body: label.body, shown: { ...label.shown, parent: null, _depth: 0, component: { name: 'Con' } } },
    nullable: { field: 'role', value: { slug: 'fan' }, shown: { name: 'Fan' } },
    filters: [
      ...byDeviceType,
      { query: 'parent_id=1', finds: [1] },
      { query: 'parent_id=null', finds: [0, 2] },
      { query: 'part_id=P-1', finds: [1] },
      { query: 'role=fan', finds: [2] },
      { query: 'role_id=null', finds: [0, 1] },
      { query: 'manufacturer=cisco', finds: [2] },
      { query: 'component_type=dcim.consoleporttemplate', finds: [0] },
      { query: 'component_id__empty=true', finds: [1, 2] },
    ],
  },
};
