import {
  requireAbsentReference,
  commonListColumnsSql,
  type CommonListRow,
  type BaselineListPage,
  createNestedObjectJson,
  createTagsJson,
  createTagsSql,
  type TagRow,
  createVrfJson,
} from './baseline-list-page.js';

interface AddressRow extends CommonListRow {
  readonly address: string;
  readonly family: 4 | 6;
  readonly vrf_id: number | null;
  readonly vrf_name: string;
  readonly vrf_rd: string;
  readonly vrf_description: string;
  readonly tenant_id: number | null;
  readonly tenant_name: string;
  readonly tenant_slug: string;
  readonly tenant_description: string;
  readonly status: string;
  readonly role: string | null;
  readonly assigned_object_type: string;
  readonly assigned_object_id: number;
  readonly interface_name: string;
  readonly interface_label: string;
  readonly interface_description: string;
  readonly interface_connected: boolean;
  readonly interface_cable: number | null;
  readonly device_id: number;
  readonly device_name: string;
  readonly device_asset_tag: string | null;
  readonly device_description: string;
  readonly nat_inside_id: number | null;
  readonly outside_id: number | null;
  readonly dns_name: string;
  readonly description: string;
  readonly owner_id: number | null;
  readonly comments: string;
  readonly tags: readonly TagRow[] | null;
}

/** Definition of the list of IP addresses, with all related objects of the addresses. */
export const addressList: BaselineListPage<AddressRow> = {
  path: 'ipam/ip-addresses',
  model: 'ipam.ipaddress',
  table: 'ipam_ipaddress',
  order: 'host(t.address)::inet, masklen(t.address), t.id',
  columns: `${commonListColumnsSql}, host(t.address) || '/' || masklen(t.address) AS address, family(t.address) AS family,
    t.vrf_id, v.name AS vrf_name, v.rd AS vrf_rd, v.description AS vrf_description,
    t.tenant_id, te.name AS tenant_name, te.slug AS tenant_slug, te.description AS tenant_description,
    t.status, t.role, t.assigned_object_type, t.assigned_object_id, i.name AS interface_name, i.label AS interface_label,
    i.description AS interface_description, i.mark_connected AS interface_connected, i.cable_id AS interface_cable,
    d.id AS device_id, d.name AS device_name, d.asset_tag AS device_asset_tag, d.description AS device_description,
    t.nat_inside_id, (SELECT o.id FROM ipam_ipaddress o WHERE o.nat_inside_id = t.id LIMIT 1) AS outside_id,
    t.dns_name, t.description, t.owner_id, t.comments, ${createTagsSql('ipam.ipaddress')}`,
  joins: `LEFT JOIN ipam_vrf v ON v.id = t.vrf_id LEFT JOIN tenancy_tenant te ON te.id = t.tenant_id
    LEFT JOIN dcim_interface i ON t.assigned_object_type = 'dcim.interface' AND i.id = t.assigned_object_id
    LEFT JOIN dcim_device d ON d.id = i.device_id`,
  shape: (row, base) => ({
    id: row.id,
    url: `${base}/api/ipam/ip-addresses/${row.id}/`,
    display_url: `${base}/ipam/ip-addresses/${row.id}/`,
    display: row.address,
    family: { value: row.family, label: `IPv${row.family}` },
    address: row.address,
    vrf: createVrfJson(row, base),
    tenant: createNestedObjectJson(
      'tenancy/tenants',
      row.tenant_id,
      { name: row.tenant_name, slug: row.tenant_slug, description: row.tenant_description },
      base,
    ),
    status: { value: row.status, label: 'Active' },
    role: row.role,
    assigned_object_type: row.assigned_object_type,
    assigned_object_id: row.assigned_object_id,
    assigned_object: {
      id: row.assigned_object_id,
      url: `${base}/api/dcim/interfaces/${row.assigned_object_id}/`,
      display: row.interface_label === '' ? row.interface_name : `${row.interface_name} (${row.interface_label})`,
      device: {
        id: row.device_id,
        url: `${base}/api/dcim/devices/${row.device_id}/`,
        display: row.device_asset_tag === null ? row.device_name : `${row.device_name} (${row.device_asset_tag})`,
        name: row.device_name,
        description: row.device_description,
      },
      name: row.interface_name,
      description: row.interface_description,
      cable: requireAbsentReference(row.interface_cable),
      _occupied: row.interface_connected,
    },
    nat_inside: requireAbsentReference(row.nat_inside_id),
    nat_outside: row.outside_id === null ? [] : [requireAbsentReference(row.outside_id)],
    dns_name: row.dns_name,
    description: row.description,
    owner: requireAbsentReference(row.owner_id),
    comments: row.comments,
    tags: createTagsJson(row.tags, base),
    custom_fields: row.custom_fields,
    created: row.created,
    last_updated: row.last_updated,
  }),
};
