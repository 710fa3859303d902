import type { Fixture } from './describe-model.js';

/**
 * Objects that must exist before a device. If these objects exist, `{ name: 'Switch 1', ...deviceBasics }` is a valid
 * device.
 */
export const deviceSurroundings = [
  { name: 'manufacturer', path: '/api/dcim/manufacturers/', body: { name: 'Acme', slug: 'acme' } },
  {
    name: 'deviceType',
    path: '/api/dcim/device-types/',
    body: { manufacturer: { slug: 'acme' }, model: 'Box 1', slug: 'box-1' },
  },
  { name: 'deviceRole', path: '/api/dcim/device-roles/', body: { name: 'Access', slug: 'access' } },
  { name: 'deviceSite', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } },
] as const;

/** Required fields of a device. The fields refer to the objects of {@link deviceSurroundings}. */
export const deviceBasics = {
  device_type: { slug: 'box-1' },
  role: { slug: 'access' },
  site: { slug: 'amsterdam' },
} as const;

/**
 * Returns the description of a device that is created before the tested objects. The objects of
 * {@link deviceSurroundings} must be created before the device.
 */
export function deviceIn(name: string): { name: string; path: string; body: Readonly<Record<string, unknown>> } {
  return { name, path: '/api/dcim/devices/', body: { name, ...deviceBasics } };
}

/** Fixtures (test data) of devices and of groups of devices. */
export const deviceFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.device': {
    // These devices have no components: dcim-device-filters.spec.ts tests the filter.
    untried: ['mac_address'],
    surroundings: [
      ...deviceSurroundings,
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Tenant', slug: 'tenant' } },
    ],
    create: ({ tenant }) => [
      { ...deviceBasics, name: 'Delta 10', tenant, serial: 'S-1', asset_tag: 'A-1' },
      { ...deviceBasics, name: 'Delta 2', status: 'planned', airflow: 'rear-to-front', local_context_data: { a: 1 } },
      { ...deviceBasics, description: 'no name' },
    ],
    patch: {
      body: { name: 'Renamed', latitude: 52.370216 },
      shown: { name: 'Renamed', display: 'Renamed (A-1)', latitude: 52.370216 },
    },
    nullable: { field: 'tenant', value: { slug: 'tenant' }, shown: { name: 'Tenant' } },
    filters: [
      { query: 'name=Delta%202', finds: [1] },
      { query: 'q=elta', finds: [0, 1] },
      { query: 'tenant=tenant', finds: [0] },
      { query: 'status=planned', finds: [1] },
      { query: 'manufacturer=acme', finds: [0, 1, 2] },
      { query: 'model=box-1', finds: [0, 1, 2] },
      { query: 'manufacturer_id=1', finds: [0, 1, 2] },
      { query: 'local_context_data=true', finds: [1] },
    ],
  },
  'dcim.virtualchassis': {
    surroundings: [
      ...deviceSurroundings,
      { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
      { name: 'group', path: '/api/dcim/site-groups/', body: { name: 'Edge', slug: 'edge' } },
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Tenant', slug: 'tenant' } },
      {
        name: 'site',
        path: '/api/dcim/sites/',
        body: { name: 'Utrecht', slug: 'utrecht', region: { slug: 'europe' }, group: { slug: 'edge' } },
      },
      {
        name: 'master',
        path: '/api/dcim/devices/',
        body: { ...deviceBasics, name: 'Leader', site: { slug: 'utrecht' }, tenant: { slug: 'tenant' } },
      },
    ],
    create: ({ master }) => [
      { name: 'Delta 10', master, domain: 'one.example' },
      { name: 'Delta 2', domain: 'two.example' },
      { name: 'Echo' },
    ],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } },
    filters: [
      { query: 'domain=two.example', finds: [1] },
      { query: 'q=elta', finds: [0, 1] },
      { query: 'q=leader', finds: [0] },
      { query: 'member_count=1', finds: [0] },
      { query: 'member_count__lt=1', finds: [1, 2] },
      { query: 'master=Leader', finds: [0] },
      { query: 'master_id=null', finds: [1, 2] },
      { query: 'region=europe', finds: [0] },
      { query: 'region_id=1', finds: [0] },
      { query: 'site_group=edge', finds: [0] },
      { query: 'site_group_id=1', finds: [0] },
      { query: 'site=utrecht', finds: [0] },
      { query: 'site_id=2', finds: [0] },
      { query: 'tenant=tenant', finds: [0] },
      { query: 'tenant_id=1', finds: [0] },
    ],
  },
  'dcim.virtualdevicecontext': {
    surroundings: [
      ...deviceSurroundings,
      deviceIn('device'),
      deviceIn('other'),
      {
        name: 'port',
        path: '/api/dcim/interfaces/',
        body: { name: 'eth0', device: { name: 'device' }, type: 'virtual' },
      },
      {
        name: 'four',
        path: '/api/ipam/ip-addresses/',
        body: { address: '192.0.2.1/24', assigned_object_type: 'dcim.interface', assigned_object_id: 1 },
      },
      {
        name: 'six',
        path: '/api/ipam/ip-addresses/',
        body: { address: '2001:db8::1/64', assigned_object_type: 'dcim.interface', assigned_object_id: 1 },
      },
    ],
    create: ({ device, other, four, six }) => [
      { name: 'Delta 10', device, identifier: 1, status: 'active', primary_ip4: four, primary_ip6: six },
      { name: 'Delta 2', device, identifier: 2, status: 'planned' },
      { name: 'Echo', device: other, identifier: 1, status: 'offline' },
    ],
    patch: { body: { description: 'One' }, shown: { description: 'One' } },
    nullable: { field: 'identifier', value: 9, shown: 9 },
    filters: [
      { query: 'device=1', finds: [0, 1] },
      { query: 'device__n=1', finds: [2] },
      { query: 'device_id=2', finds: [2] },
      { query: 'identifier=1', finds: [0, 2] },
      { query: 'status=planned', finds: [1] },
      { query: 'primary_ip4=192.0.2.1/24', finds: [0] },
      { query: 'primary_ip6=2001:db8::1/64', finds: [0] },
      { query: 'has_primary_ip=true', finds: [0] },
      { query: 'interface_id=null', finds: [0, 1, 2] },
      { query: 'q=2', finds: [1] },
    ],
  },
};
