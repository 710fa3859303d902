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

/** Fixtures of what devices and modules are of: makers, types, roles and platforms. */
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
};
