import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';
import { createDocumentedFilterOperations } from './filter-operations.js';

/**
 * An inventory model with very many objects. Includes the sort orders and filters with which its lists are measured.
 */
interface LargeInventoryModel {
  readonly title: string;
  readonly path: string;
  /** Names of the fields by which an index can order the list of a model. */
  readonly orders: readonly string[];
  /** Names of the fields by which the list of a model is sorted without an index. */
  readonly otherOrders: readonly string[];
  /** Names of reference filters with which pages far into the list are measured. */
  readonly references: readonly string[];
  readonly filters: readonly string[];
}

const createTextLookupQueries = (name: string, value: string): string[] => [
  `${name}=${value}`,
  ...['n', 'ic', 'nic', 'isw', 'nisw', 'iew', 'niew', 'ie', 'nie', 'regex', 'iregex'].map(
    (lookup) => `${name}__${lookup}=${value}`,
  ),
  `${name}__empty=true`,
];
const createNumberLookupQueries = (name: string, value: number | string): string[] => [
  `${name}=${value}`,
  ...['n', 'lt', 'lte', 'gt', 'gte'].map((lookup) => `${name}__${lookup}=${value}`),
  `${name}__empty=true`,
];
/**
 * Returns four query strings that filter a list by a referenced object: by its id and by its slug or name, each plain
 * and negated.
 */
const createReferenceFilterQueries = (name: string, value: string): string[] => [
  `${name}_id=1`,
  `${name}_id__n=1`,
  `${name}=${value}`,
  `${name}__n=${value}`,
];

const filterQueriesOfAllModels = [
  ...createNumberLookupQueries('id', 500),
  ...createNumberLookupQueries('created', '2024-03-01T00:00:00Z'),
  'last_updated__gte=2026-01-01T00:00:00Z',
  'created_by_request=00000000-0000-4000-8000-000000000001',
  'modified_by_request=00000000-0000-4000-8000-000000000001',
  'tag=tag-22',
  'tag__n=tag-1',
  'tag=tag-1&tag=tag-22',
  'tag_id=22',
];
const fullTextSearchQueryStrings = ['q=word777', 'q=common', 'q=nonesuch', 'q=7777'];
const customFieldFilterQueries = [
  'cf_code=code-7',
  'cf_code__ic=code-77',
  'cf_slot=777',
  'cf_slot__lt=50',
  'cf_code__n=code-7',
  'cf_code__empty=true',
];

const largeInventoryModels: readonly LargeInventoryModel[] = [
  {
    title: 'devices',
    path: 'dcim/devices/',
    orders: [
      '',
      'id',
      '-id',
      'name',
      '-name',
      'created',
      '-last_updated',
      'site',
      'role',
      'device_type',
      'tenant',
      'rack',
      'platform',
      'primary_ip4',
    ],
    otherOrders: ['serial', 'description', 'status', '-tenant', 'location', 'tenant,name'],
    references: ['tenant', '-tenant', 'site', 'location', 'rack', 'role', 'device_type', 'platform', 'primary_ip4'],
    filters: [
      ...filterQueriesOfAllModels,
      ...fullTextSearchQueryStrings,
      ...customFieldFilterQueries,
      ...createTextLookupQueries('name', 'device-777'),
      ...createTextLookupQueries('serial', 'S1'),
      'status=failed',
      'status=active',
      'status__n=active',
      'status__ic=fail',
      'status__empty=true',
      ...['site', 'role', 'tenant', 'platform', 'device_type', 'region', 'site_group', 'manufacturer'].flatMap((name) =>
        createReferenceFilterQueries(
          name,
          `${{ site_group: 'group', device_type: 'model', manufacturer: 'maker' }[name] ?? name}-1`,
        ),
      ),
      'rack_id=1',
      'rack_id=null',
      'tenant_id=null',
      'primary_ip4_id=2',
      'position__gt=3',
      'interface_count__gt=5',
      'interface_count=0',
      'has_primary_ip=true',
      'has_primary_ip=false',
      'interfaces=true',
      'virtual_chassis_member=true',
      'mac_address=00:11:22:33:44:55',
    ],
  },
  {
    title: 'interfaces',
    path: 'dcim/interfaces/',
    orders: ['', 'id', '-id', 'name', 'created', '-last_updated', 'device', 'vrf'],
    otherOrders: ['type', 'description', 'enabled', '-name', 'mtu'],
    references: ['vrf'],
    filters: [
      ...filterQueriesOfAllModels,
      ...fullTextSearchQueryStrings,
      ...createTextLookupQueries('name', 'GigabitEthernet1/0/7'),
      ...createNumberLookupQueries('mtu', 1510),
      'type=1000base-t',
      'type__n=1000base-t',
      'enabled=false',
      'mgmt_only=true',
      'mode__empty=true',
      'kind=physical',
      ...createReferenceFilterQueries('vrf', '65000:1'),
      'device_id=7',
      'device=device-7',
      'site=site-1',
      'site_id=1',
      'region=region-1',
      'role=role-1',
      'rack_id=1',
      'tenant_id=1',
      'device_role=role-1',
      'device_type=Model 1',
      'device_status=failed',
      'cabled=true',
      'occupied=false',
      'connected=false',
      'mac_address=00:11:22:33:44:55',
    ],
  },
  {
    title: 'addresses',
    path: 'ipam/ip-addresses/',
    orders: ['', 'id', '-id', 'address', '-address', 'created', '-last_updated', 'vrf', 'tenant'],
    otherOrders: ['dns_name', 'description', 'status', 'assigned_object_id'],
    references: ['vrf', 'tenant'],
    filters: [
      ...filterQueriesOfAllModels,
      ...fullTextSearchQueryStrings,
      ...customFieldFilterQueries,
      ...createTextLookupQueries('dns_name', 'host-777.example.com'),
      'status=reserved',
      'status__n=active',
      'role__empty=true',
      'family=4',
      'family=6',
      'mask_length=28',
      'mask_length__lte=24',
      'address=10.0.7.1',
      'address=10.0.7.1/28',
      'parent=10.0.7.0/28',
      'parent=10.0.0.0/16',
      'parent=10.0.0.0/8',
      'present_in_vrf_id=1',
      ...createReferenceFilterQueries('vrf', '65000:1'),
      ...createReferenceFilterQueries('tenant', 'tenant-1'),
      'vrf_id=null',
      'device=device-77',
      'device_id=77',
      'interface_id=77',
      'assigned_to_interface=false',
      'assigned=true',
      'assigned_object_type=dcim.interface',
    ],
  },
  {
    title: 'prefixes',
    path: 'ipam/prefixes/',
    orders: ['', 'id', '-id', 'created', '-last_updated', 'vrf', 'tenant', 'role'],
    otherOrders: ['prefix', 'description', 'status', '_depth', 'children', 'scope_id'],
    references: ['vrf', 'tenant', 'role'],
    filters: [
      ...filterQueriesOfAllModels,
      ...fullTextSearchQueryStrings,
      ...customFieldFilterQueries,
      ...createTextLookupQueries('description', 'Network number 777'),
      'status=reserved',
      'status__n=active',
      'is_pool=true',
      'family=4',
      'mask_length=16',
      'mask_length__lte=24',
      'mask_length__gte=28',
      'prefix=10.0.7.0/24',
      'within=10.0.0.0/8',
      'within=10.0.7.0/24',
      'within_include=10.0.7.0/24',
      'contains=10.0.7.9',
      'contains=10.0.0.0/8',
      'depth=0',
      'depth__gt=1',
      'children=0',
      'children__gt=100',
      'present_in_vrf_id=1',
      'scope_type=dcim.site',
      'scope_id=1',
      'site=site-1',
      'site_id=1',
      'region=region-1',
      'site_group=group-1',
      'vlan_id=null',
      ...createReferenceFilterQueries('vrf', '65000:1'),
      ...createReferenceFilterQueries('tenant', 'tenant-1'),
      ...createReferenceFilterQueries('role', 'role-1'),
    ],
  },
];

const listPageLimit = 50;

function createListOperation(
  name: string,
  pathOf: (world: MeasuredInventoryService) => string,
  accepted: readonly number[] = [],
): MeasuredOperation<MeasuredInventoryService> {
  return {
    name,
    run: async (world) => {
      await world.sendRequest('GET', pathOf(world), undefined, accepted);
    },
  };
}

function createListOperations({
  title,
  path,
  orders,
  otherOrders,
  references,
  filters,
}: LargeInventoryModel): MeasuredOperation<MeasuredInventoryService>[] {
  const at = (share: number, { amounts }: MeasuredInventoryService): number =>
    Math.max(0, Math.floor(amounts.size.devices * share) - listPageLimit);
  return [
    createListOperation(`list ${title}: brief`, () => `${path}?limit=${listPageLimit}&brief=true`),
    createListOperation(`list ${title}: 1,000`, () => `${path}?limit=1000`),
    ...orders.map((order) =>
      createListOperation(
        `order ${title}: ${order || 'own'}`,
        () => `${path}?limit=${listPageLimit}&ordering=${order}`,
      ),
    ),
    ...otherOrders.map((order) =>
      createListOperation(`other order ${title}: ${order}`, () => `${path}?limit=${listPageLimit}&ordering=${order}`),
    ),
    ...['', 'id', 'created', ...references].flatMap((order) =>
      ([0.5, 1] as const).map((share) =>
        createListOperation(
          `deep offset ${title}: ${order || 'own'}, ${share === 1 ? 'end' : 'middle'}`,
          (world) => `${path}?limit=${listPageLimit}&ordering=${order}&offset=${at(share, world)}`,
        ),
      ),
    ),
    ...filters.map((filter) =>
      createListOperation(
        `${filter.startsWith('q=') ? 'search' : 'filter'} ${title}: ${filter}`,
        () => `${path}?limit=${listPageLimit}&${filter}`,
      ),
    ),
    ...createDocumentedFilterOperations(title, path, filters),
  ];
}

/**
 * Measured operations for every sort order and every kind of filter of the four large models, and for lists that search
 * many rows.
 */
export const inventoryListOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  ...largeInventoryModels.flatMap(createListOperations),
  ...[
    'q=nonesuch',
    'q=word777',
    'q=object-777',
    'changed_object_id=77&changed_object_type=dcim.device',
    'user=scale',
    'action=update',
    'time_after=2026-01-01T00:00:00Z',
  ].map((filter) =>
    createListOperation(`changes: ${filter}`, () => `core/object-changes/?limit=${listPageLimit}&${filter}`),
  ),
  createListOperation('changes: first page', () => `core/object-changes/?limit=${listPageLimit}`),
  createListOperation(
    'changes: deep offset',
    ({ amounts }) => `core/object-changes/?limit=${listPageLimit}&offset=${amounts.size.changes / 2}`,
  ),
  createListOperation('tagged objects: first page', () => `extras/tagged-objects/?limit=${listPageLimit}`),
  ...['q=nonesuch', 'q=tag-22'].map((filter) =>
    createListOperation(`tagged objects: ${filter}`, () => `extras/tagged-objects/?limit=${listPageLimit}&${filter}`),
  ),
  createListOperation('tags: counts', () => `extras/tags/?limit=${listPageLimit}`),
  createListOperation('sites: counts', () => `dcim/sites/?limit=${listPageLimit}`),
  createListOperation('platforms: counts', () => `dcim/platforms/?limit=${listPageLimit}`),
  createListOperation('VRFs: counts', () => `ipam/vrfs/?limit=${listPageLimit}`),
  createListOperation('tenants: counts', () => `tenancy/tenants/?limit=${listPageLimit}`),
  createListOperation(
    'background tasks: first page',
    () => `core/background-tasks/?limit=${listPageLimit}&status=queued&status=scheduled&status=deferred`,
  ),
  createListOperation('background tasks: counts', () => 'core/background-queues/'),
  createListOperation('device', () => 'dcim/devices/77/'),
  createListOperation('prefix', () => 'ipam/prefixes/1/'),
  createListOperation('available prefixes of a /16', () => 'ipam/prefixes/1/available-prefixes/'),
  createListOperation('available addresses of a /24', () => 'ipam/prefixes/2/available-ips/'),
  ...['dcim/devices/', 'dcim/interfaces/', 'dcim/sites/', 'tenancy/tenants/'].map((path) => ({
    name: `limited user: ${path}`,
    run: (world: MeasuredInventoryService) => world.readPathAsUser('limited', `${path}?limit=${listPageLimit}`),
  })),
  {
    name: 'changes: 10 searches at once by one user',
    runs: 1,
    run: async (world) => {
      const search = () =>
        world.sendRequest('GET', `core/object-changes/?limit=${listPageLimit}&q=nonesuch`, undefined, [503]);
      await Promise.all(Array.from({ length: 10 }, search));
    },
  },
];
