import type { Fixture } from './describe-model.js';
import { deviceSurroundings } from './device-fixtures.js';

const named = (name: string): { name: string; slug: string } => ({ name, slug: name.toLowerCase() });

/**
 * Objects that are created before the tested config contexts. Config contexts can be restricted to such objects; the
 * list has one object of each kind.
 */
const criteria = [
  { name: 'region', path: '/api/dcim/regions/', body: named('Europe') },
  { name: 'group', path: '/api/dcim/site-groups/', body: named('Edge') },
  { name: 'location', path: '/api/dcim/locations/', body: { ...named('Hall'), site: { slug: 'amsterdam' } } },
  { name: 'platform', path: '/api/dcim/platforms/', body: named('Linux') },
  { name: 'clusterType', path: '/api/virtualization/cluster-types/', body: named('KVM') },
  { name: 'clusterGroup', path: '/api/virtualization/cluster-groups/', body: named('West') },
  { name: 'cluster', path: '/api/virtualization/clusters/', body: { name: 'One', type: { slug: 'kvm' } } },
  { name: 'tenantGroup', path: '/api/tenancy/tenant-groups/', body: named('Customers') },
  { name: 'tenant', path: '/api/tenancy/tenants/', body: named('Tenant') },
  { name: 'tag', path: '/api/extras/tags/', body: named('Alpha') },
  { name: 'profile', path: '/api/extras/config-context-profiles/', body: { name: 'Plain' } },
] as const;

/** Fixtures (test data) of config contexts. */
export const contextFixtures: Readonly<Record<string, Fixture>> = {
  'extras.configcontextprofile': {
    create: () => [
      { name: 'Delta 10', schema: { type: 'object', required: ['ntp'] } },
      { name: 'Delta 2', comments: 'free' },
      { name: 'Echo' },
    ],
    patch: { body: { description: 'Servers' }, shown: { description: 'Servers' } },
    nullable: { field: 'schema', value: { type: 'object' }, shown: { type: 'object' } },
    filters: [
      { query: 'name=Echo', finds: [2] },
      { query: 'q=elta', finds: [0, 1] },
      { query: 'auto_sync_enabled=false', finds: [0, 1, 2] },
      { query: 'auto_sync_enabled=true', finds: [] },
      { query: 'data_file_id=null', finds: [0, 1, 2] },
      { query: 'data_source_id=null', finds: [0, 1, 2] },
    ],
  },
  'extras.configcontext': {
    surroundings: [...deviceSurroundings, ...criteria],
    create: (ids) => [
      {
        name: 'Delta 10',
        data: { ntp: ['192.0.2.1'] },
        regions: [ids['region']],
        site_groups: [{ slug: 'edge' }],
        sites: [{ slug: 'amsterdam' }],
        locations: [ids['location']],
        device_types: [ids['deviceType']],
        roles: [{ slug: 'access' }],
        platforms: [ids['platform']],
        cluster_types: [ids['clusterType']],
        cluster_groups: [ids['clusterGroup']],
        clusters: [ids['cluster']],
        tenant_groups: [ids['tenantGroup']],
        tenants: [ids['tenant']],
        tags: ['alpha'],
        profile: ids['profile'],
      },
      { name: 'Delta 2', weight: 500, is_active: false, data: { dns: 'echo' } },
      { name: 'Echo', data: {} },
    ],
    patch: { body: { tags: [], regions: [], weight: 50 }, shown: { tags: [], regions: [], weight: 50 } },
    nullable: { field: 'profile', value: { name: 'Plain' }, shown: { name: 'Plain' } },
    filters: [
      { query: 'is_active=false', finds: [1] },
      { query: 'weight__lt=1000', finds: [1] },
      { query: 'q=echo', finds: [1, 2] },
      { query: 'tag=alpha', finds: [0] },
      { query: 'tag_id=null', finds: [1, 2] },
      { query: 'tag__n=alpha', finds: [1, 2] },
      { query: 'region=europe', finds: [0] },
      { query: 'device_role=access', finds: [0] },
      { query: 'device_role_id=1', finds: [0] },
      { query: 'cluster_id=1', finds: [0] },
      { query: 'auto_sync_enabled=false', finds: [0, 1, 2] },
      { query: 'data_file_id=null', finds: [0, 1, 2] },
    ],
  },
};
