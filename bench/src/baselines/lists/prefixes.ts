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
import { createPrefixRelationCountsSql } from '../prefix-relation-counts.js';

interface PrefixRow extends CommonListRow {
  readonly prefix: string;
  readonly family: 4 | 6;
  readonly vrf_id: number | null;
  readonly vrf_name: string;
  readonly vrf_rd: string;
  readonly vrf_description: string;
  readonly scope_type: string | null;
  readonly scope_id: number;
  readonly site_name: string;
  readonly site_slug: string;
  readonly site_description: string;
  readonly tenant_id: number | null;
  readonly tenant_name: string;
  readonly tenant_slug: string;
  readonly tenant_description: string;
  readonly vlan_id: number | null;
  readonly status: string;
  readonly role_id: number | null;
  readonly role_name: string;
  readonly role_slug: string;
  readonly role_description: string;
  readonly is_pool: boolean;
  readonly mark_utilized: boolean;
  readonly description: string;
  readonly owner_id: number | null;
  readonly comments: string;
  readonly tags: readonly TagRow[] | null;
  readonly children: number;
  readonly depth: number;
}

const prefixCountSql = createPrefixRelationCountsSql('t');

/** List of IP prefixes in the inventory benchmark, each with all its related objects. */
export const prefixList: BaselineListPage<PrefixRow> = {
  path: 'ipam/prefixes',
  model: 'ipam.prefix',
  table: 'ipam_prefix',
  order: 't.vrf_id NULLS FIRST, t.prefix, t.id',
  columns: `${commonListColumnsSql}, t.prefix, family(t.prefix) AS family, t.vrf_id, v.name AS vrf_name, v.rd AS vrf_rd,
    v.description AS vrf_description, t.scope_type, t.scope_id, si.name AS site_name, si.slug AS site_slug,
    si.description AS site_description, t.tenant_id, te.name AS tenant_name, te.slug AS tenant_slug,
    te.description AS tenant_description, t.vlan_id, t.status, t.role_id, ro.name AS role_name, ro.slug AS role_slug,
    ro.description AS role_description, t.is_pool, t.mark_utilized, t.description, t.owner_id, t.comments, ${createTagsSql('ipam.prefix')},
    ${prefixCountSql.children} AS children, ${prefixCountSql.depth} AS depth`,
  joins: `LEFT JOIN ipam_vrf v ON v.id = t.vrf_id LEFT JOIN tenancy_tenant te ON te.id = t.tenant_id
    LEFT JOIN ipam_role ro ON ro.id = t.role_id LEFT JOIN dcim_site si ON t.scope_type = 'dcim.site' AND si.id = t.scope_id`,
  shape: (row, base) => ({
    id: row.id,
    url: `${base}/api/ipam/prefixes/${row.id}/`,
    display_url: `${base}/ipam/prefixes/${row.id}/`,
    display: row.prefix,
    family: { value: row.family, label: `IPv${row.family}` },
    prefix: row.prefix,
    vrf: createVrfJson(row, base),
    scope_type: row.scope_type,
    scope_id: row.scope_id,
    scope: createNestedObjectJson(
      'dcim/sites',
      row.scope_id,
      { name: row.site_name, slug: row.site_slug, description: row.site_description },
      base,
    ),
    tenant: createNestedObjectJson(
      'tenancy/tenants',
      row.tenant_id,
      { name: row.tenant_name, slug: row.tenant_slug, description: row.tenant_description },
      base,
    ),
    vlan: requireAbsentReference(row.vlan_id),
    status: { value: row.status, label: 'Active' },
    role: createNestedObjectJson(
      'ipam/roles',
      row.role_id,
      { name: row.role_name, slug: row.role_slug, description: row.role_description },
      base,
    ),
    is_pool: row.is_pool,
    mark_utilized: row.mark_utilized,
    description: row.description,
    owner: requireAbsentReference(row.owner_id),
    comments: row.comments,
    tags: createTagsJson(row.tags, base),
    custom_fields: { asset_owner: row.custom_fields['#2'] ?? null },
    created: row.created,
    last_updated: row.last_updated,
    children: row.children,
    _depth: row.depth,
  }),
};
