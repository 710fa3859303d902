import pg from 'pg';

/**
 * Number of objects in the benchmark's inventory. Each device has one prefix and five interfaces, and each interface
 * has one address.
 */
export interface InventoryListsSize {
  readonly devices: number;
}

/**
 * Number of objects for the published figures: 100,000 devices, 500,000 interfaces, 500,000 addresses, 100,000
 * prefixes.
 */
export const publishedInventoryListsSize: InventoryListsSize = { devices: 100_000 };

/** Number of interfaces per device, and of IP addresses per device. */
export const INTERFACES_PER_DEVICE = 5;

/**
 * Maximum number of prefixes that one transaction inserts. Each insert takes locks, and the size of PostgreSQL's lock
 * table is limited.
 */
const MAX_PREFIXES_PER_TRANSACTION = 1_000;

/**
 * SQL statements that insert the benchmark's inventory objects. `$1` is the number of devices, or `$1` and `$2` are the
 * first and the last device. Ids start at 1 and names contain the id, so that later statements can refer to rows
 * without a query.
 */
const SEED_INVENTORY_STATEMENTS = [
  `INSERT INTO dcim_region (name, slug) SELECT 'Region ' || n, 'region-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO dcim_sitegroup (name, slug) SELECT 'Group ' || n, 'group-' || n FROM generate_series(1, 5) n`,
  `INSERT INTO tenancy_tenant (name, slug) SELECT 'Tenant ' || n, 'tenant-' || n FROM generate_series(1, 20) n`,
  `INSERT INTO ipam_vrf (name, rd) SELECT 'VRF ' || n, '65000:' || n FROM generate_series(1, 10) n`,
  `INSERT INTO ipam_role (name, slug) SELECT 'Role ' || n, 'role-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO extras_tag (name, slug, color) SELECT 'Tag ' || n, 'tag-' || n, '00ff00' FROM generate_series(1, 20) n`,
  `INSERT INTO extras_tag (name, slug, color) VALUES ('Scarce', 'scarce', 'ff0000')`,
  // Custom field values are stored under the numbers of pairs of field and model, assigned in this order: #1 to #3.
  `INSERT INTO extras_customfield (name, type, object_types, filter_logic)
   VALUES ('asset_owner', 'text', '{dcim.device,ipam.prefix}', 'exact'), ('slot', 'integer', '{dcim.device}', 'loose')`,
  `INSERT INTO dcim_manufacturer (name, slug) SELECT 'Maker ' || n, 'maker-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO dcim_devicetype (manufacturer_id, model, slug, u_height)
   SELECT n % 10 + 1, 'Model ' || n, 'model-' || n, 1 FROM generate_series(1, 50) n`,
  `INSERT INTO dcim_devicerole (name, slug) SELECT 'Role ' || n, 'role-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO dcim_platform (name, slug) SELECT 'Platform ' || n, 'platform-' || n FROM generate_series(1, 10) n`,
  // A thousand devices per site, which has four locations; forty devices per rack.
  `INSERT INTO dcim_site (name, slug, region_id, group_id)
   SELECT 'Site ' || n, 'site-' || n, n % 10 + 1, n % 5 + 1 FROM generate_series(1, greatest($1::int / 1000, 4)) n`,
  `INSERT INTO dcim_location (name, slug, site_id)
   SELECT 'Floor ' || n, 'floor-' || n, (n + 3) / 4 FROM generate_series(1, greatest($1::int / 1000, 4) * 4) n`,
  `INSERT INTO dcim_rack (name, site_id, location_id)
   SELECT 'Rack ' || n, l.site_id, l.id FROM generate_series(1, $1::int / 40) n
   JOIN dcim_location l ON l.id = n % (SELECT count(*) FROM dcim_location) + 1 ORDER BY n`,
  `INSERT INTO dcim_device (name, device_type_id, role_id, tenant_id, platform_id, serial, site_id, location_id, rack_id,
     position, face, status, airflow, description, custom_field_data)
   SELECT 'device-' || n, n % 50 + 1, n % 10 + 1, n % 20 + 1, n % 10 + 1, 'S' || md5(n::text), r.site_id, r.location_id, r.id,
     (n - 1) % 40 + 1, 'front', CASE WHEN n % 200 = 0 THEN 'failed' ELSE 'active' END, 'front-to-rear', 'Device number ' || n,
     jsonb_build_object('#1', 'owner-' || n % 1000, '#3', n)
   FROM generate_series(1, $1::int) n JOIN dcim_rack r ON r.id = (n - 1) / 40 + 1 ORDER BY n`,
  `INSERT INTO extras_taggeditem (object_type, object_id, tag_id)
   SELECT 'dcim.device', n, t FROM generate_series(1, $1::int) n
   CROSS JOIN LATERAL (VALUES (n % 20 + 1), ((n + 7) % 20 + 1)) tags(t)
   UNION ALL SELECT 'dcim.device', n, 21 FROM generate_series(500, $1::int, 500) n`,
  `INSERT INTO dcim_interface (device_id, name, type, enabled, mgmt_only, mtu, description)
   SELECT (n - 1) / ${INTERFACES_PER_DEVICE} + 1, 'GigabitEthernet0/0/' || n % ${INTERFACES_PER_DEVICE}, '1000base-t', n % 7 > 0, n % ${INTERFACES_PER_DEVICE} = 0, 1500,
     'Interface number ' || n
   FROM generate_series(1, $1::int * ${INTERFACES_PER_DEVICE}) n`,
  // Prefix n contains the addresses of device n.
  `INSERT INTO ipam_prefix (prefix, vrf_id, tenant_id, role_id, status, scope_type, scope_id, description, custom_field_data)
   SELECT set_masklen(inet '10.0.0.0' + n::bigint * 256, 24)::cidr, n % 10 + 1, n % 20 + 1, n % 10 + 1, 'active',
     'dcim.site', d.site_id, 'Network number ' || n, jsonb_build_object('#2', 'owner-' || n % 1000)
   FROM generate_series($1::int, $2::int) n JOIN dcim_device d ON d.id = n ORDER BY n`,
  `INSERT INTO ipam_ipaddress (address, vrf_id, tenant_id, status, assigned_object_type, assigned_object_id, dns_name)
   SELECT set_masklen(inet '10.0.0.1' + device::bigint * 256 + n % ${INTERFACES_PER_DEVICE}, 24), device % 10 + 1, device % 20 + 1, 'active',
     'dcim.interface', n, 'host-' || n || '.example.com'
   FROM generate_series(1, $1::int * ${INTERFACES_PER_DEVICE}) n CROSS JOIN LATERAL (SELECT (n - 1) / ${INTERFACES_PER_DEVICE} + 1 AS device) of_device`,
  `UPDATE dcim_device SET primary_ip4_id = (id - 1) * ${INTERFACES_PER_DEVICE} + 1 WHERE id <= $1::int`,
];

/** Inserts the benchmark's objects into an empty inventory. */
export async function seedInventoryForLists(url: string, { devices }: InventoryListsSize): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of SEED_INVENTORY_STATEMENTS) {
      if (!statement.includes('$2')) await client.query(statement, statement.includes('$1') ? [devices] : []);
      else
        for (let first = 1; first <= devices; first += MAX_PREFIXES_PER_TRANSACTION)
          await client.query(statement, [first, Math.min(first + MAX_PREFIXES_PER_TRANSACTION - 1, devices)]);
    }
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}
