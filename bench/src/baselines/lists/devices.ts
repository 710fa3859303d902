import {
  requireAbsentReference,
  commonListColumnsSql,
  type CommonListRow,
  type BaselineListPage,
  createNestedObjectJson,
  createTagsJson,
  createTagsSql,
  type TagRow,
} from './baseline-list-page.js';

interface DeviceRow extends CommonListRow {
  readonly name: string;
  readonly device_type_id: number;
  readonly model: string;
  readonly type_slug: string;
  readonly type_description: string;
  readonly type_devices: number;
  readonly maker_id: number;
  readonly maker_name: string;
  readonly maker_slug: string;
  readonly maker_description: string;
  readonly role_id: number;
  readonly role_name: string;
  readonly role_slug: string;
  readonly role_description: string;
  readonly role_depth: number;
  readonly tenant_id: number | null;
  readonly tenant_name: string;
  readonly tenant_slug: string;
  readonly tenant_description: string;
  readonly platform_id: number | null;
  readonly platform_name: string;
  readonly platform_slug: string;
  readonly platform_description: string;
  readonly platform_depth: number;
  readonly serial: string;
  readonly asset_tag: string | null;
  readonly site_id: number;
  readonly site_name: string;
  readonly site_slug: string;
  readonly site_description: string;
  readonly location_id: number | null;
  readonly location_name: string;
  readonly location_slug: string;
  readonly location_description: string;
  readonly location_depth: number;
  readonly rack_id: number | null;
  readonly rack_name: string;
  readonly rack_facility: string | null;
  readonly rack_description: string;
  readonly position: number | null;
  readonly face: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly status: string;
  readonly airflow: string | null;
  readonly address_id: number | null;
  readonly address: string;
  readonly address_family: 4 | 6;
  readonly address_dns: string;
  readonly address_description: string;
  readonly address_nat_inside: number | null;
  readonly primary_ip6_id: number | null;
  readonly oob_ip_id: number | null;
  readonly cluster_id: number | null;
  readonly virtual_chassis_id: number | null;
  readonly vc_position: number | null;
  readonly vc_priority: number | null;
  readonly description: string;
  readonly owner_id: number | null;
  readonly comments: string;
  readonly config_template_id: number | null;
  readonly local_context_data: unknown;
  readonly has_contexts: boolean;
  readonly tags: readonly TagRow[] | null;
  readonly bay_id: number | null;
  readonly counts: readonly number[];
}

const deviceStatusLabels: Readonly<Record<string, string>> = { active: 'Active', failed: 'Failed' };
const componentTableNames = [
  'console_port',
  'console_server_port',
  'power_port',
  'power_outlet',
  'interface',
  'front_port',
  'rear_port',
  'device_bay',
  'module_bay',
  'inventory_item',
] as const;
const componentCountsSql = componentTableNames.map(
  (name) => `(SELECT count(*) FROM dcim_${name.replaceAll('_', '')} c WHERE c.device_id = t.id)`,
);

/** Definition of the list of devices, with all related objects of the devices. */
export const deviceList: BaselineListPage<DeviceRow> = {
  path: 'dcim/devices',
  model: 'dcim.device',
  table: 'dcim_device',
  order: 't.name, t.id',
  columns: `${commonListColumnsSql}, t.name, t.device_type_id, dt.model, dt.slug AS type_slug, dt.description AS type_description,
    (SELECT count(*)::int FROM dcim_device c WHERE c.device_type_id = t.device_type_id) AS type_devices,
    m.id AS maker_id, m.name AS maker_name, m.slug AS maker_slug, m.description AS maker_description,
    t.role_id, ro.name AS role_name, ro.slug AS role_slug, ro.description AS role_description, ro._depth AS role_depth,
    t.tenant_id, te.name AS tenant_name, te.slug AS tenant_slug, te.description AS tenant_description,
    t.platform_id, pl.name AS platform_name, pl.slug AS platform_slug, pl.description AS platform_description, pl._depth AS platform_depth,
    t.serial, t.asset_tag, t.site_id, si.name AS site_name, si.slug AS site_slug, si.description AS site_description,
    t.location_id, lo.name AS location_name, lo.slug AS location_slug, lo.description AS location_description, lo._depth AS location_depth,
    t.rack_id, ra.name AS rack_name, ra.facility_id AS rack_facility, ra.description AS rack_description,
    t.position::float8, t.face, t.latitude::float8, t.longitude::float8, t.status, t.airflow,
    t.primary_ip4_id AS address_id, host(ip.address) || '/' || masklen(ip.address) AS address, family(ip.address) AS address_family,
    ip.dns_name AS address_dns, ip.description AS address_description, ip.nat_inside_id AS address_nat_inside,
    t.primary_ip6_id, t.oob_ip_id, t.cluster_id, t.virtual_chassis_id, t.vc_position, t.vc_priority, t.description, t.owner_id,
    t.comments, t.config_template_id, t.local_context_data,
    EXISTS (SELECT FROM extras_configcontext c WHERE c.is_active) AS has_contexts, ${createTagsSql('dcim.device')},
    (SELECT b.id FROM dcim_devicebay b WHERE b.installed_device_id = t.id) AS bay_id, ARRAY[${componentCountsSql.join(', ')}]::int[] AS counts`,
  joins: `JOIN dcim_devicetype dt ON dt.id = t.device_type_id JOIN dcim_manufacturer m ON m.id = dt.manufacturer_id
    JOIN dcim_devicerole ro ON ro.id = t.role_id LEFT JOIN tenancy_tenant te ON te.id = t.tenant_id
    LEFT JOIN dcim_platform pl ON pl.id = t.platform_id JOIN dcim_site si ON si.id = t.site_id
    LEFT JOIN dcim_location lo ON lo.id = t.location_id LEFT JOIN dcim_rack ra ON ra.id = t.rack_id
    LEFT JOIN ipam_ipaddress ip ON ip.id = t.primary_ip4_id`,
  shape: (row, base) => {
    const address = createPrimaryAddressJson(row, base);
    const nested = (
      path: string,
      prefix: 'role' | 'tenant' | 'platform' | 'site' | 'location',
      further = {},
    ): object | null =>
      createNestedObjectJson(
        path,
        row[`${prefix}_id`],
        { name: row[`${prefix}_name`], slug: row[`${prefix}_slug`], description: row[`${prefix}_description`] },
        base,
        further,
      );
    const users = { device_count: 0, virtualmachine_count: 0 };
    return {
      id: row.id,
      url: `${base}/api/dcim/devices/${row.id}/`,
      display_url: `${base}/dcim/devices/${row.id}/`,
      display: row.asset_tag === null ? row.name : `${row.name} (${row.asset_tag})`,
      name: row.name,
      device_type: createDeviceTypeJson(row, base),
      role: nested('dcim/device-roles', 'role', { ...users, _depth: row.role_depth }),
      tenant: nested('tenancy/tenants', 'tenant'),
      platform: nested('dcim/platforms', 'platform', { ...users, _depth: row.platform_depth }),
      serial: row.serial,
      asset_tag: row.asset_tag,
      site: nested('dcim/sites', 'site'),
      location: nested('dcim/locations', 'location', { rack_count: 0, _depth: row.location_depth }),
      rack: createRackJson(row, base),
      position: row.position,
      face: row.face === null ? null : { value: row.face, label: row.face === 'front' ? 'Front' : 'Rear' },
      latitude: row.latitude,
      longitude: row.longitude,
      parent_device: requireAbsentReference(row.bay_id),
      status: { value: row.status, label: deviceStatusLabels[row.status] },
      airflow: row.airflow === null ? null : { value: row.airflow, label: 'Front to rear' },
      primary_ip: address,
      primary_ip4: address,
      primary_ip6: requireAbsentReference(row.primary_ip6_id),
      oob_ip: requireAbsentReference(row.oob_ip_id),
      cluster: requireAbsentReference(row.cluster_id),
      virtual_chassis: requireAbsentReference(row.virtual_chassis_id),
      vc_position: row.vc_position,
      vc_priority: row.vc_priority,
      description: row.description,
      owner: requireAbsentReference(row.owner_id),
      comments: row.comments,
      config_template: requireAbsentReference(row.config_template_id),
      config_context: requireAbsentReference(row.has_contexts) ?? row.local_context_data ?? {},
      local_context_data: row.local_context_data,
      tags: createTagsJson(row.tags, base),
      custom_fields: { asset_owner: row.custom_fields['#1'] ?? null, slot: row.custom_fields['#3'] ?? null },
      created: row.created,
      last_updated: row.last_updated,
      ...Object.fromEntries(componentTableNames.map((name, index) => [`${name}_count`, row.counts[index]])),
    };
  },
};

function createDeviceTypeJson(row: DeviceRow, base: string): object {
  const maker = { name: row.maker_name, slug: row.maker_slug, description: row.maker_description };
  return {
    id: row.device_type_id,
    url: `${base}/api/dcim/device-types/${row.device_type_id}/`,
    display: row.model,
    manufacturer: createNestedObjectJson('dcim/manufacturers', row.maker_id, maker, base),
    model: row.model,
    slug: row.type_slug,
    description: row.type_description,
    device_count: row.type_devices,
  };
}

function createRackJson(row: DeviceRow, base: string): object | null {
  if (row.rack_id === null) return null;
  return {
    id: row.rack_id,
    url: `${base}/api/dcim/racks/${row.rack_id}/`,
    display: row.rack_facility === null ? row.rack_name : `${row.rack_name} (${row.rack_facility})`,
    name: row.rack_name,
    description: row.rack_description,
  };
}

function createPrimaryAddressJson(row: DeviceRow, base: string): object | null {
  if (row.address_id === null) return null;
  return {
    id: row.address_id,
    url: `${base}/api/ipam/ip-addresses/${row.address_id}/`,
    display: row.address,
    family: { value: row.address_family, label: `IPv${row.address_family}` },
    address: row.address,
    nat_inside: requireAbsentReference(row.address_nat_inside),
    nat_outside: [],
    dns_name: row.address_dns,
    description: row.address_description,
  };
}
