import type { Fixture } from './describe-model.js';

/** What a device needs, for the surroundings of fixtures: a device is then `{ name: 'Switch 1', ...deviceBasics }`. */
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

/** The fields that every device must have, beside {@link deviceSurroundings}. */
export const deviceBasics = {
  device_type: { slug: 'box-1' },
  role: { slug: 'access' },
  site: { slug: 'amsterdam' },
} as const;

/** A device for the surroundings of fixtures, after {@link deviceSurroundings}. */
export function deviceIn(name: string): { name: string; path: string; body: Readonly<Record<string, unknown>> } {
  return { name, path: '/api/dcim/devices/', body: { name, ...deviceBasics } };
}

/** Fixtures of devices and what groups them. */
export const deviceFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.device': {
    // Nothing has a component yet: see dcim-device-filters.spec.ts.
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
};
