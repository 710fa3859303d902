import { defineModel } from '../../engine/declaration/define-model.js';
import { type ListFilter, InvalidFilterValueError } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { computedField, referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerRangesField } from '../../engine/field-types/integer-ranges.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import {
  createJsonStringFragment,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
} from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const vlanGroupScopeTypes = [
  'dcim.location',
  'dcim.rack',
  'dcim.rackgroup',
  'dcim.region',
  'dcim.site',
  'dcim.sitegroup',
  'virtualization.cluster',
  'virtualization.clustergroup',
];

/** Model of the scope of a VLAN group, by the name of the filter that compares the id of the scope. */
const scopeTypeByFilter = {
  region: 'dcim.region',
  site_group: 'dcim.sitegroup',
  site: 'dcim.site',
  location: 'dcim.location',
  rack_group: 'dcim.rackgroup',
  rack: 'dcim.rack',
  cluster_group: 'virtualization.clustergroup',
  cluster: 'virtualization.cluster',
};

/** Returns a filter whose value is a single whole number. `condition` builds the SQL condition of the filter. */
function createSingleNumberFilter(name: string, condition: (alias: string, number: SqlText) => SqlText): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: { type: 'integer' },
    compile: ({ alias, values, parameters }) => {
      const value = (values.at(-1) ?? '').trim();
      if (!/^[+-]?\d{1,18}$/.test(value)) throw new InvalidFilterValueError('Enter a number.');
      return condition(alias, parameters.add(value, 'bigint'));
    },
  };
}

const createVlanIdCountSql = (alias: string): SqlText =>
  `(SELECT coalesce(sum(upper(r) - lower(r)), 0)::bigint FROM unnest(${alias}.vid_ranges) r)`;
const createUsedVlanCountSql = (alias: string): SqlText =>
  `(SELECT count(*) FROM ipam_vlan v WHERE v.group_id = ${alias}.id)`;

/** Model of a group of VLANs with common ranges of VLAN ids. */
export const vlanGroupModel = defineModel('ipam.vlangroup', {
  path: 'ipam/vlan-groups',
  objectName: 'VLANGroup',
  verboseName: 'VLAN group',
  verboseNamePlural: 'VLAN groups',
  resetOnPut: ['scope_type', 'scope_id'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    scope_type: objectTypeField(vlanGroupScopeTypes, { nullable: true }),
    scope_id: integerField({ nullable: true, min: 0, big: false }),
    scope: genericObjectField({ type: 'scope_type', id: 'scope_id', allowed: vlanGroupScopeTypes }),
    vid_ranges: integerRangesField({
      min: 1,
      max: 4094,
      noun: 'VLAN ID',
      default: ['[1,4094]'],
      label: 'VLAN ID ranges',
    }),
    total_vlan_ids: computedField({
      inSnapshot: true,
      json: ({ alias }) => [createComputedJsonFragment(createVlanIdCountSql(alias))],
      order: ({ alias }) => [createVlanIdCountSql(alias)],
      schema: { type: 'integer' },
      metadataType: 'integer',
      filters: (name) => [integerFilter(name, createVlanIdCountSql)],
      label: 'total VLAN IDs',
    }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    vlan_count: referringObjectCountField('ipam.vlan', { via: 'group' }),
    utilization: computedField({
      json: ({ alias }) => [
        createJsonStringFragment(
          `coalesce(round(${createUsedVlanCountSql(alias)} * 100.0 / nullif(${createVlanIdCountSql(alias)}, 0), 2), 0)`,
        ),
      ],
      schema: { type: 'string' },
      metadataType: 'string',
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'vlan_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'ipam_vlangroup_scope_type_scope_id_name_key', fields: ['scope_type', 'scope_id', 'name'] },
    { name: 'ipam_vlangroup_scope_type_scope_id_slug_key', fields: ['scope_type', 'scope_id', 'slug'] },
  ],
  filters: [
    ...tenantGroupFilters,
    ...Object.entries(scopeTypeByFilter).map(([name, type]) =>
      createSingleNumberFilter(
        name,
        (alias, id) => `${alias}.scope_type = ${quoteSqlLiteral(type)} AND ${alias}.scope_id = ${id}`,
      ),
    ),
    createSingleNumberFilter(
      'contains_vid',
      (alias, vid) =>
        `EXISTS (SELECT FROM unnest(${alias}.vid_ranges) r WHERE lower(r) <= ${vid} AND ${vid} < upper(r))`,
    ),
  ],
});
