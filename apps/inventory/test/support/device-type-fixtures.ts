import type { Fixture } from './describe-model.js';

type Surrounding = NonNullable<Fixture['surroundings']>[number];

const manufacturer: Surrounding = {
  name: 'manufacturer',
  path: '/api/dcim/manufacturers/',
  body: { name: 'Juniper', slug: 'juniper' },
};

const other: Surrounding = {
  name: 'other',
  path: '/api/dcim/manufacturers/',
  body: { name: 'Arista', slug: 'arista' },
};

const template: Surrounding = {
  name: 'template',
  path: '/api/extras/config-templates/',
  body: { name: 'Base', template_code: 'hostname {{ device.name }}' },
};

const [delta10, delta2, echo] = [
  { name: 'Delta 10', slug: 'delta-10' },
  { name: 'Delta 2', slug: 'delta-2' },
  { name: 'Echo', slug: 'echo' },
];

const named = [
  { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
  { query: 'q=elta', finds: [0, 1] },
];

const descends = [
  { query: 'parent=delta-10', finds: [2] },
  { query: 'parent_id=null', finds: [0, 1] },
  { query: 'ancestor=delta-10', finds: [2] },
  { query: 'ancestor_id=null', finds: [0, 1] },
];

const renamed = { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } };

/** Fixtures (test data) of manufacturers, device types, module types, roles and platforms. */
export const deviceTypeFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.manufacturer': {
    create: () => [delta10, delta2, echo],
    patch: renamed,
    filters: named,
  },
  'dcim.devicerole': {
    surroundings: [template],
    create: ({ template: code }) => [
      { ...delta10, config_template: code },
      { ...delta2, vm_role: false, color: 'ff0000' },
      { ...echo, parent: { slug: 'delta-10' } },
    ],
    patch: { body: { color: '00ff00' }, shown: { color: '00ff00' } },
    nullable: { field: 'config_template', value: { name: 'Base' }, shown: { name: 'Base' } },
    filters: [
      ...named,
      ...descends,
      { query: 'vm_role=false', finds: [1] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'config_template_id=null', finds: [1, 2] },
    ],
  },
  'dcim.platform': {
    surroundings: [
      manufacturer,
      other,
      template,
      {
        name: 'deviceType',
        path: '/api/dcim/device-types/',
        body: { manufacturer: { slug: 'arista' }, model: 'X', slug: 'x' },
      },
    ],
    create: ({ manufacturer: maker, template: code }) => [
      { ...delta10, manufacturer: maker, config_template: code },
      { ...delta2 },
      { ...echo, parent: { slug: 'delta-10' }, manufacturer: { slug: 'arista' } },
    ],
    patch: renamed,
    nullable: { field: 'manufacturer', value: { slug: 'juniper' }, shown: { name: 'Juniper' } },
    filters: [
      ...named,
      ...descends,
      { query: 'manufacturer=juniper', finds: [0] },
      { query: 'manufacturer_id=null', finds: [1] },
      { query: 'available_for_device_type=1', finds: [1, 2] },
      { query: 'config_template_id=null', finds: [1, 2] },
    ],
  },
  'dcim.inventoryitemrole': {
    create: () => [delta10, { ...delta2, color: 'ff0000' }, echo],
    patch: { body: { color: '00ff00' }, shown: { color: '00ff00' } },
    filters: [...named, { query: 'color=ff0000', finds: [1] }, { query: 'color=9e9e9e', finds: [0, 2] }],
  },
  'dcim.devicetype': {
    surroundings: [
      manufacturer,
      other,
      { name: 'platform', path: '/api/dcim/platforms/', body: { name: 'Linux', slug: 'linux' } },
    ],
    create: ({ manufacturer: maker, platform }) => [
      {
        manufacturer: maker,
        model: 'Delta 10',
        slug: 'delta-10',
        u_height: 2.5,
        part_number: 'D-10',
        default_platform: platform,
        airflow: 'side-to-rear',
        weight: '12.5',
        weight_unit: 'kg',
        subdevice_role: 'parent',
      },
      { manufacturer: maker, model: 'Delta 2', slug: 'delta-2', is_full_depth: false, exclude_from_utilization: true },
      { manufacturer: { slug: 'arista' }, model: 'Echo', slug: 'echo', u_height: 0, subdevice_role: 'child' },
    ],
    patch: {
      body: { u_height: '3', airflow: 'mixed' },
      shown: { u_height: 3, airflow: { value: 'mixed', label: 'Mixed' } },
    },
    nullable: { field: 'default_platform', value: { slug: 'linux' }, shown: { name: 'Linux' } },
    filters: [
      { query: 'model=Delta%202&model=Echo', finds: [1, 2] },
      { query: 'manufacturer=arista', finds: [2] },
      { query: 'default_platform=linux', finds: [0] },
      { query: 'u_height__gte=1', finds: [0, 1] },
      { query: 'is_full_depth=false', finds: [1] },
      { query: 'exclude_from_utilization=true', finds: [1] },
      { query: 'subdevice_role=parent', finds: [0] },
      { query: 'airflow=side-to-rear', finds: [0] },
      { query: 'weight=12.5', finds: [0] },
      { query: 'device_count=0', finds: [0, 1, 2] },
      { query: 'interface_template_count__gt=0', finds: [] },
      { query: 'interfaces=false', finds: [0, 1, 2] },
      { query: 'pass_through_ports=true', finds: [] },
      { query: 'q=elta', finds: [0, 1] },
      { query: 'q=arista', finds: [2] },
    ],
  },
  'dcim.moduletypeprofile': {
    create: () => [
      { name: 'Delta 10', schema: { properties: { speed: { type: 'number' } }, required: ['speed'] } },
      { name: 'Delta 2', schema: null },
      { name: 'Echo' },
    ],
    patch: { body: { schema: { type: 'object' } }, shown: { schema: { type: 'object' } } },
    nullable: { field: 'schema', value: { properties: {} }, shown: { properties: {} } },
    filters: named,
  },
  'dcim.moduletype': {
    surroundings: [
      manufacturer,
      other,
      {
        name: 'profile',
        path: '/api/dcim/module-type-profiles/',
        body: { name: 'CPU', schema: { properties: { cores: { type: 'integer' } }, required: ['cores'] } },
      },
    ],
    create: ({ manufacturer: maker, profile }) => [
      { manufacturer: maker, model: 'Delta 10', profile, attributes: { cores: 8 }, part_number: 'D-10' },
      { manufacturer: maker, model: 'Delta 2', airflow: 'passive', weight: 2, weight_unit: 'lb' },
      { manufacturer: { slug: 'arista' }, model: 'Echo' },
    ],
    patch: { body: { attributes: { cores: 16 } }, shown: { attributes: { cores: 16 } } },
    nullable: { field: 'profile', value: { name: 'CPU' }, shown: { name: 'CPU' } },
    filters: [
      { query: 'model=Delta%202&model=Echo', finds: [1, 2] },
      { query: 'manufacturer=arista', finds: [2] },
      { query: 'profile=CPU', finds: [0] },
      { query: 'profile_id=null', finds: [1, 2] },
      { query: 'airflow=passive', finds: [1] },
      { query: 'weight=2', finds: [1] },
      { query: 'module_count=0', finds: [0, 1, 2] },
      { query: 'module_bays=false', finds: [0, 1, 2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
};
