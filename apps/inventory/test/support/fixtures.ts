import { cableFixtures } from './cable-fixtures.js';
import { circuitsFixtures } from './circuits-fixtures.js';
import { componentFixtures } from './component-fixtures.js';
import { contextFixtures } from './context-fixtures.js';
import { virtualizationFixtures } from './virtualization-fixtures.js';
import { wirelessFixtures } from './wireless-fixtures.js';
import { customFieldFixtures } from './custom-field-fixtures.js';
import type { Fixture } from './describe-model.js';
import { destinationFixtures } from './destination-fixtures.js';
import { deviceFixtures } from './device-fixtures.js';
import { extrasFixtures } from './extras-fixtures.js';
import { hardwareFixtures } from './hardware-fixtures.js';
import { ipamFixtures } from './ipam-fixtures.js';
import { byName, named, renamed } from './fixtures-of-named-objects.js';
import { tenancyFixtures } from './tenancy-fixtures.js';
import { vpnFixtures } from './vpn-fixtures.js';
import { deviceTypeFixtures } from './device-type-fixtures.js';
import { portFixtures } from './port-fixtures.js';
import { rackFixtures } from './rack-fixtures.js';
import { templateFixtures } from './template-fixtures.js';

const tree: Fixture = { create: named('Delta 10', 'Delta 2', 'Echo'), patch: renamed, filters: byName };

/**
 * Fixtures (test data) of all models, one for each model, by type of the model. The test suite fails for a model
 * without a fixture.
 */
export const fixtures: Readonly<Record<string, Fixture>> = {
  ...cableFixtures,
  ...circuitsFixtures,
  ...componentFixtures,
  ...contextFixtures,
  ...virtualizationFixtures,
  ...wirelessFixtures,
  ...customFieldFixtures,
  ...destinationFixtures,
  ...deviceFixtures,
  ...extrasFixtures,
  ...hardwareFixtures,
  ...ipamFixtures,
  ...tenancyFixtures,
  ...vpnFixtures,
  ...deviceTypeFixtures,
  ...portFixtures,
  ...rackFixtures,
  ...templateFixtures,
  'dcim.region': tree,
  'dcim.sitegroup': tree,
  'tenancy.tenantgroup': tree,
  'dcim.site': {
    surroundings: [
      { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } },
      { name: 'tag', path: '/api/extras/tags/', body: { name: 'Alpha', slug: 'alpha' } },
    ],
    create: ({ region }) => [
      { name: 'Delta 10', slug: 'delta-10', region, latitude: '52.370216', tags: [{ slug: 'alpha' }] },
      { name: 'Delta 2', slug: 'delta-2', tenant: { slug: 'acme' }, status: 'planned', time_zone: 'Europe/Berlin' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: {
      body: { status: 'retired', longitude: 4.895168 },
      shown: { status: { value: 'retired', label: 'Retired' }, longitude: 4.895168 },
    },
    nullable: { field: 'region', value: { name: 'Europe' }, shown: { slug: 'europe' } },
    filters: [
      ...byName,
      { query: 'status=planned', finds: [1] },
      { query: 'region=europe', finds: [0] },
      { query: 'region_id=null', finds: [1, 2] },
      { query: 'tenant=acme', finds: [1] },
      { query: 'tag=alpha', finds: [0] },
      { query: 'latitude__gt=50', finds: [0] },
    ],
  },
  'tenancy.tenant': {
    surroundings: [
      { name: 'group', path: '/api/tenancy/tenant-groups/', body: { name: 'Customers', slug: 'customers' } },
    ],
    create: ({ group }) => [
      { name: 'Delta 10', slug: 'delta-10', group },
      { name: 'Delta 2', slug: 'delta-2' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: renamed,
    nullable: { field: 'group', value: { slug: 'customers' }, shown: { name: 'Customers' } },
    filters: [...byName, { query: 'group=customers', finds: [0] }],
  },
  'ipam.vrf': {
    create: () => [{ name: 'Delta 10', rd: '65000:1' }, { name: 'Delta 2', enforce_unique: false }, { name: 'Echo' }],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed (65000:1)' } },
    nullable: { field: 'rd', value: '65000:7', shown: '65000:7' },
    filters: [
      { query: 'rd=65000:1', finds: [0] },
      { query: 'enforce_unique=false', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'ipam.role': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: { body: { weight: '50' }, shown: { weight: 50 } },
    filters: byName,
  },
  'ipam.prefix': {
    untried: ['present_in_vrf_id', 'present_in_vrf'],
    surroundings: [
      { name: 'vrf', path: '/api/ipam/vrfs/', body: { name: 'Red', rd: '65000:1' } },
      { name: 'site', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } },
    ],
    create: ({ vrf, site }) => [
      { prefix: '10.0.0.0/16', status: 'container' },
      { prefix: '10.0.1.0/24', scope_type: 'dcim.site', scope_id: site },
      { prefix: '2001:db8::/32', vrf },
    ],
    patch: { body: { is_pool: 'true', description: ' trimmed ' }, shown: { is_pool: true, description: 'trimmed' } },
    nullable: { field: 'vrf', value: { rd: '65000:1' }, shown: { name: 'Red' } },
    filters: [
      { query: 'prefix=10.0.1.0/24', finds: [1] },
      { query: 'within=10.0.0.0/16', finds: [1] },
      { query: 'within_include=10.0.0.0/16', finds: [0, 1] },
      { query: 'contains=10.0.1.7', finds: [0, 1] },
      { query: 'contains=nonsense', finds: [] },
      { query: 'family=6', finds: [2] },
      { query: 'mask_length=24', finds: [1] },
      { query: 'vrf=65000:1', finds: [2] },
      { query: 'vrf_id=null', finds: [0, 1] },
      { query: 'depth=1', finds: [1] },
      { query: 'children__gte=1', finds: [0] },
      { query: 'scope_type=dcim.site', finds: [1] },
      { query: 'status=container&status=reserved', finds: [0] },
    ],
  },
  'ipam.ipaddress': {
    // Filters by device and virtual machine are tested in test/related-filters.spec.ts.
    untried: [
      'assigned_object_type',
      'device',
      'device_id',
      'virtual_machine',
      'virtual_machine_id',
      'present_in_vrf_id',
      'present_in_vrf',
    ],
    create: () => [
      { address: '10.0.0.10/24', dns_name: 'WWW.Example.com' },
      { address: '10.0.0.9', role: 'vip' },
      { address: '2001:db8::1/64', status: 'slaac' },
    ],
    patch: { body: { role: 'anycast' }, shown: { role: { value: 'anycast', label: 'Anycast' } } },
    nullable: { field: 'role', value: 'vrrp', shown: { value: 'vrrp', label: 'VRRP' } },
    filters: [
      { query: 'address=10.0.0.10', finds: [0] },
      { query: 'address=10.0.0.10/25', finds: [] },
      { query: 'address=10.0.0.9/32', finds: [1] },
      { query: 'mask_length=24', finds: [0] },
      { query: 'parent=10.0.0.0/24', finds: [0, 1] },
      { query: 'dns_name=www.example.com', finds: [0] },
      { query: 'role=null', finds: [0, 2] },
      { query: 'family=6', finds: [2] },
      { query: 'q=10.0.0.1', finds: [0] },
    ],
  },
  'extras.tag': {
    untried: ['content_type', 'content_type_id', 'for_object_type_id'],
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: {
      body: { color: 'ff0000', object_types: ['dcim.site'] },
      shown: { color: 'ff0000', object_types: ['dcim.site'] },
    },
    filters: byName,
  },
  'extras.eventrule': {
    surroundings: [
      {
        name: 'webhook',
        path: '/api/extras/webhooks/',
        body: { name: 'Local', payload_url: 'http://localhost:9000/' },
      },
    ],
    create: ({ webhook }) => {
      const action = { action_type: 'webhook', action_object_type: 'extras.webhook', action_object_id: webhook };
      return [
        { name: 'Delta 10', object_types: ['dcim.site'], event_types: ['object_created'], ...action },
        {
          name: 'Delta 2',
          object_types: ['ipam.prefix', 'ipam.vrf'],
          event_types: ['object_deleted'],
          enabled: false,
          ...action,
        },
        {
          name: 'Echo',
          object_types: [],
          event_types: ['object_created', 'object_updated'],
          conditions: { and: [] },
          ...action,
        },
      ];
    },
    patch: { body: { event_types: ['object_updated'] }, shown: { event_types: ['object_updated'] } },
    nullable: { field: 'conditions', value: { attr: 'name', value: 'x' }, shown: { attr: 'name' } },
    filters: [
      { query: 'enabled=false', finds: [1] },
      { query: 'object_type=ipam.vrf', finds: [1] },
      { query: 'event_type=object_created', finds: [0, 2] },
    ],
  },
  'users.group': {
    surroundings: [
      {
        name: 'permission',
        path: '/api/users/permissions/',
        body: { name: 'See', object_types: ['dcim.site'], actions: ['view'] },
      },
    ],
    create: ({ permission, admin }) => [
      { name: 'delta-10', permissions: [permission] },
      { name: 'delta-2', description: String(admin) },
      { name: 'echo' },
    ],
    patch: { body: { description: 'Who does what' }, shown: { description: 'Who does what' } },
    filters: [
      { query: 'name=delta-2', finds: [1] },
      { query: 'permission_id=1', finds: [0] },
      { query: 'permission_id=null', finds: [1, 2] },
      { query: 'user_id=null', finds: [0, 1, 2] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'users.objectpermission': {
    surroundings: [{ name: 'group', path: '/api/users/groups/', body: { name: 'Team' } }],
    create: ({ admin, group }) => [
      { name: 'delta 10', object_types: ['dcim.site'], actions: ['view'], users: [admin] },
      { name: 'delta 2', object_types: ['dcim.region'], actions: ['add', 'sync'], groups: [group] },
      {
        name: 'echo',
        object_types: ['dcim.site'],
        actions: ['run'],
        enabled: false,
        constraints: [{ status: 'active' }],
      },
    ],
    patch: { body: { actions: ['change'] }, shown: { actions: ['change'] } },
    nullable: { field: 'constraints', value: { id: 1 }, shown: { id: 1 } },
    filters: [
      { query: 'object_type=dcim.site', finds: [0, 2] },
      { query: 'can_view=true', finds: [0] },
      { query: 'can_add=false', finds: [0, 2] },
      { query: 'enabled=false', finds: [2] },
      { query: 'user=root', finds: [0] },
      { query: 'group=Team', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'users.user': {
    others: 1,
    create: () => [
      { username: 'delta-10', password: 'Twelve chars 1' },
      { username: 'delta-2', password: 'Twelve chars 1', email: 'delta@example.com' },
      { username: 'echo', password: 'Twelve chars 1', is_active: false },
    ],
    patch: { body: { first_name: 'Dee' }, shown: { first_name: 'Dee' } },
    filters: [
      { query: 'is_active=false', finds: [2] },
      { query: 'username=delta-2', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'users.token': {
    untried: ['expires'],
    others: 1,
    create: ({ admin }) => [
      { user: admin, description: 'one' },
      { user: { username: 'root' }, version: 1, description: 'two', allowed_ips: ['10.0.0.0/8'] },
      { user: admin, write_enabled: false, description: 'three' },
    ],
    patch: { body: { enabled: false }, shown: { enabled: false } },
    filters: [
      { query: 'description=two', finds: [1] },
      { query: 'write_enabled=false', finds: [2] },
      { query: 'version=1', finds: [1] },
      { query: 'user=root', finds: [0, 1, 2] },
    ],
  },
};
