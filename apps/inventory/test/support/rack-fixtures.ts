import type { Fixture } from './describe-model.js';

type Surrounding = NonNullable<Fixture['surroundings']>[number];

const site: Surrounding = {
  name: 'site',
  path: '/api/dcim/sites/',
  body: { name: 'Amsterdam', slug: 'amsterdam', region: { slug: 'europe' }, group: { slug: 'edge' } },
};

/** Test objects: a region, a site group, and a site that belongs to both. */
const places: readonly Surrounding[] = [
  { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
  { name: 'siteGroup', path: '/api/dcim/site-groups/', body: { name: 'Edge', slug: 'edge' } },
  site,
];

const placed = [
  { query: 'region=europe', finds: [0, 1, 2] },
  { query: 'region_id=1', finds: [0, 1, 2] },
  { query: 'region_id=null', finds: [] },
  { query: 'site_group=edge', finds: [0, 1, 2] },
  { query: 'site_group_id=1', finds: [0, 1, 2] },
  { query: 'site=amsterdam', finds: [0, 1, 2] },
  { query: 'site_id=1', finds: [0, 1, 2] },
];

/** Test objects: a tenant, and the tenant group to which the tenant belongs. */
const tenants: readonly Surrounding[] = [
  { name: 'tenantGroup', path: '/api/tenancy/tenant-groups/', body: { name: 'Customers', slug: 'customers' } },
  {
    name: 'tenant',
    path: '/api/tenancy/tenants/',
    body: { name: 'Acme', slug: 'acme', group: { slug: 'customers' } },
  },
];

const tenanted = [
  { query: 'tenant=acme', finds: [0] },
  { query: 'tenant_group=customers', finds: [0] },
  { query: 'tenant_group_id=null', finds: [1, 2] },
];

const manufacturer: Surrounding = {
  name: 'manufacturer',
  path: '/api/dcim/manufacturers/',
  body: { name: 'Acme Racks', slug: 'acme-racks' },
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

const renamed = { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } };

/** Fixtures (test data) of locations and racks. */
export const rackFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.location': {
    surroundings: [...places, ...tenants],
    create: ({ site: at, tenant }) => [
      { ...delta10, site: at, tenant, facility: 'A 1' },
      { ...delta2, site: at, status: 'planned' },
      { ...echo, site: { slug: 'amsterdam' }, parent: { slug: 'delta-10' } },
    ],
    patch: { body: { status: 'retired' }, shown: { status: { value: 'retired', label: 'Retired' } } },
    nullable: { field: 'tenant', value: { slug: 'acme' }, shown: { name: 'Acme' } },
    filters: [
      ...named,
      ...placed,
      ...tenanted,
      { query: 'status=planned', finds: [1] },
      { query: 'facility=A%201', finds: [0] },
      { query: 'parent=delta-10', finds: [2] },
      { query: 'parent_id=null', finds: [0, 1] },
      { query: 'ancestor=delta-10', finds: [2] },
      { query: 'ancestor_id=null', finds: [0, 1] },
      { query: 'q=a%201', finds: [0] },
    ],
  },
  'dcim.rackgroup': {
    create: () => [delta10, delta2, echo],
    patch: renamed,
    filters: named,
  },
  'dcim.rackrole': {
    create: () => [delta10, { ...delta2, color: 'ff0000' }, echo],
    patch: { body: { color: '00ff00' }, shown: { color: '00ff00' } },
    filters: [...named, { query: 'color=ff0000', finds: [1] }, { query: 'color=9e9e9e', finds: [0, 2] }],
  },
  'dcim.racktype': {
    surroundings: [manufacturer],
    create: ({ manufacturer: maker }) => [
      {
        manufacturer: maker,
        model: 'Delta 10',
        slug: 'delta-10',
        form_factor: '4-post-cabinet',
        outer_width: 600,
        outer_height: 2000,
        outer_depth: 1000,
        outer_unit: 'mm',
        mounting_depth: 800,
      },
      {
        manufacturer: maker,
        model: 'Delta 2',
        slug: 'delta-2',
        form_factor: '2-post-frame',
        width: 23,
        u_height: 12,
        starting_unit: 2,
        desc_units: true,
        weight: 80.5,
        max_weight: 1500,
        weight_unit: 'kg',
      },
      { manufacturer: { slug: 'acme-racks' }, model: 'Echo', slug: 'echo', form_factor: 'wall-frame' },
    ],
    patch: {
      body: { width: 21, max_weight: 1000, weight_unit: 'lb' },
      shown: {
        width: { value: 21, label: '21 inches' },
        max_weight: 1000,
        weight_unit: { value: 'lb', label: 'Pounds' },
      },
    },
    nullable: { field: 'mounting_depth', value: 700, shown: 700 },
    filters: [
      { query: 'rack_count=0', finds: [0, 1, 2] },
      { query: 'rack_count__gt=0', finds: [] },
      { query: 'model=Delta%202&model=Echo', finds: [1, 2] },
      { query: 'manufacturer=acme-racks', finds: [0, 1, 2] },
      { query: 'form_factor=2-post-frame', finds: [1] },
      { query: 'width=23', finds: [1] },
      { query: 'u_height__lt=42', finds: [1] },
      { query: 'desc_units=true', finds: [1] },
      { query: 'outer_unit=mm', finds: [0] },
      { query: 'weight=80.5', finds: [1] },
      { query: 'weight_unit=kg', finds: [1] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'dcim.rack': {
    surroundings: [
      ...places,
      ...tenants,
      manufacturer,
      {
        name: 'location',
        path: '/api/dcim/locations/',
        body: { name: 'Hall', slug: 'hall', site: { slug: 'amsterdam' } },
      },
      { name: 'group', path: '/api/dcim/rack-groups/', body: { name: 'Row 1', slug: 'row-1' } },
      { name: 'role', path: '/api/dcim/rack-roles/', body: { name: 'Network', slug: 'network' } },
      {
        name: 'rackType',
        path: '/api/dcim/rack-types/',
        body: {
          manufacturer: { slug: 'acme-racks' },
          model: 'R 24',
          slug: 'r-24',
          form_factor: '4-post-cabinet',
          u_height: 24,
        },
      },
    ],
    create: ({ site: at, tenant, location, group, role, rackType }) => [
      {
        name: 'Delta 10',
        site: at,
        location,
        tenant,
        group,
        role,
        facility_id: 'B 7',
        asset_tag: 'T 1',
        serial: 'S 1',
        outer_width: 600,
        outer_height: 2000,
        outer_depth: 1000,
        outer_unit: 'mm',
        mounting_depth: 800,
        weight: 120.25,
        max_weight: 900,
        weight_unit: 'kg',
        airflow: 'front-to-rear',
      },
      { name: 'Delta 2', site: { slug: 'amsterdam' }, rack_type: rackType, status: 'planned' },
      { name: 'Echo', site: at, location, width: 10, u_height: 6, starting_unit: 3, desc_units: true },
    ],
    patch: {
      body: { status: 'deprecated', airflow: 'rear-to-front' },
      shown: {
        status: { value: 'deprecated', label: 'Deprecated' },
        airflow: { value: 'rear-to-front', label: 'Rear to front' },
      },
    },
    nullable: { field: 'role', value: { slug: 'network' }, shown: { name: 'Network' } },
    filters: [
      ...placed,
      ...tenanted,
      { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
      { query: 'location=hall', finds: [0, 2] },
      { query: 'group=row-1', finds: [0] },
      { query: 'role=network', finds: [0] },
      { query: 'rack_type=r-24', finds: [1] },
      { query: 'manufacturer=acme-racks', finds: [1] },
      { query: 'manufacturer_id=null', finds: [0, 2] },
      { query: 'facility_id=B%207', finds: [0] },
      { query: 'status=planned', finds: [1] },
      { query: 'form_factor=4-post-cabinet', finds: [1] },
      { query: 'width=10', finds: [2] },
      { query: 'u_height=24', finds: [1] },
      { query: 'airflow=front-to-rear', finds: [0] },
      { query: 'airflow__empty=true', finds: [1, 2] },
      { query: 'outer_unit=mm', finds: [0] },
      { query: 'weight_unit=kg', finds: [0] },
      { query: 'q=elta', finds: [0, 1] },
      { query: 'q=b%207', finds: [0] },
    ],
  },
  'dcim.rackreservation': {
    surroundings: [
      ...places,
      ...tenants,
      {
        name: 'location',
        path: '/api/dcim/locations/',
        body: { name: 'Hall', slug: 'hall', site: { slug: 'amsterdam' } },
      },
      { name: 'group', path: '/api/dcim/rack-groups/', body: { name: 'Row 1', slug: 'row-1' } },
      {
        name: 'rack',
        path: '/api/dcim/racks/',
        body: {
          name: 'Rack 1',
          facility_id: 'B 7',
          site: { slug: 'amsterdam' },
          location: { slug: 'hall' },
          group: { slug: 'row-1' },
        },
      },
    ],
    create: ({ rack, admin, tenant }) => [
      { rack, units: [1, 2, 3], user: admin, tenant, description: 'Delta 10' },
      {
        rack: { name: 'Rack 1' },
        units: ['10'],
        user: { username: 'root' },
        status: 'pending',
        description: 'Delta 2',
      },
      { rack, units: [42], user: admin, description: 'Echo' },
    ],
    patch: {
      body: { units: [1, 4] },
      shown: { units: [1, 4], unit_count: 2, display: 'Reservation for rack Rack 1 (B 7)' },
    },
    nullable: { field: 'tenant', value: { slug: 'acme' }, shown: { name: 'Acme' } },
    filters: [
      ...placed,
      ...tenanted,
      { query: 'location=hall', finds: [0, 1, 2] },
      { query: 'location_id=1', finds: [0, 1, 2] },
      { query: 'group=row-1', finds: [0, 1, 2] },
      { query: 'group_id=1', finds: [0, 1, 2] },
      { query: 'status=pending', finds: [1] },
      { query: 'user=root', finds: [0, 1, 2] },
      { query: 'unit=2', finds: [0] },
      { query: 'unit__n=2', finds: [1, 2] },
      { query: 'unit__gte=10', finds: [1, 2] },
      { query: 'unit_count_min=2', finds: [0] },
      { query: 'unit_count_max=1', finds: [1, 2] },
      { query: 'q=b%207', finds: [0, 1, 2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'dcim.cablebundle': {
    create: () => [{ name: 'Delta 10' }, { name: 'Delta 2' }, { name: 'Echo' }],
    patch: renamed,
    filters: named,
  },
  'dcim.powerpanel': {
    surroundings: [
      ...places,
      {
        name: 'location',
        path: '/api/dcim/locations/',
        body: { name: 'Hall', slug: 'hall', site: { slug: 'amsterdam' } },
      },
    ],
    create: ({ site: at, location }) => [
      { name: 'Delta 10', site: at, location },
      { name: 'Delta 2', site: at },
      { name: 'Echo', site: { slug: 'amsterdam' } },
    ],
    patch: renamed,
    nullable: { field: 'location', value: { slug: 'hall' }, shown: { name: 'Hall' } },
    filters: [
      ...named,
      ...placed,
      { query: 'location_id=1', finds: [0] },
      { query: 'location_id=null', finds: [1, 2] },
    ],
  },
  'dcim.powerfeed': {
    surroundings: [
      ...places,
      ...tenants,
      { name: 'rack', path: '/api/dcim/racks/', body: { name: 'Rack 1', site: { slug: 'amsterdam' } } },
      { name: 'panel', path: '/api/dcim/power-panels/', body: { name: 'Panel 1', site: { slug: 'amsterdam' } } },
    ],
    create: ({ panel, rack, tenant }) => [
      { power_panel: panel, rack, name: 'Delta 10', tenant, mark_connected: true },
      { power_panel: panel, name: 'Delta 2', status: 'failed', type: 'redundant', phase: 'three-phase', voltage: 400 },
      {
        power_panel: { name: 'Panel 1' },
        name: 'Echo',
        supply: 'dc',
        voltage: -48,
        amperage: 20,
        max_utilization: 100,
      },
    ],
    patch: { body: { voltage: '230' }, shown: { voltage: 230 } },
    nullable: { field: 'rack', value: { name: 'Rack 1' }, shown: { name: 'Rack 1' } },
    filters: [
      ...named,
      ...placed,
      ...tenanted,
      { query: 'power_panel_id=1', finds: [0, 1, 2] },
      { query: 'rack_id=1', finds: [0] },
      { query: 'status=failed', finds: [1] },
      { query: 'type=redundant', finds: [1] },
      { query: 'supply=dc', finds: [2] },
      { query: 'phase=three-phase', finds: [1] },
      { query: 'voltage__lt=0', finds: [2] },
      { query: 'available_power=1440', finds: [0] },
      { query: 'available_power=8314', finds: [1] },
      { query: 'available_power=960', finds: [2] },
      { query: 'mark_connected=true', finds: [0] },
      { query: 'occupied=true', finds: [0] },
      { query: 'cabled=true', finds: [] },
      { query: 'connected=true', finds: [] },
      { query: 'q=panel', finds: [0, 1, 2] },
    ],
  },
};
