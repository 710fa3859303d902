import { defineModel } from '../../engine/declaration/define-model.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { relatedObjectFilterByCondition } from '../../engine/filter/relation-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField, createChoiceWithLabelSql } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { cidrField } from '../../engine/field-types/network.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import { placeScopeFilters } from '../dcim/scope-filters.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { prefixChildCountField, prefixDepthField } from './prefix-hierarchy.js';
import { prefixFilters, createVrfImportFilters } from './network-filters.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { createVrfLockHook } from './vrf-locks.js';

/** Creates a field that shows the IP version (4 or 6) of the addresses in a column, as `{value, label}`. */
export function createAddressFamilyField(column: string): ReturnType<typeof computedField> {
  const families = { 4: 'IPv4', 6: 'IPv6' };
  return computedField({
    json: ({ alias }) => [
      createComputedJsonFragment(createChoiceWithLabelSql(`family(${alias}.${column})`, families, true)),
    ],
    schema: {
      type: 'object',
      properties: { value: { type: 'integer', enum: [4, 6] }, label: { type: 'string', enum: ['IPv4', 'IPv6'] } },
      required: ['value', 'label'],
      additionalProperties: false,
    },
    choices: [
      { value: 4, display_name: 'IPv4' },
      { value: 6, display_name: 'IPv6' },
    ],
  });
}

const prefixStatusChoices = {
  container: 'Container',
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
};
const prefixScopeTypes = ['dcim.location', 'dcim.region', 'dcim.site', 'dcim.sitegroup'];

/** Filters of prefixes by their VLAN, and by the VLAN group of that VLAN. */
const prefixVlanFilters = [
  {
    ...integerFilter('vlan_vid', (alias) => `(SELECT v.vid FROM ipam_vlan v WHERE v.id = ${alias}.vlan_id)`),
    multiple: false,
  },
  ...(['id', 'slug'] as const).map((by) =>
    relatedObjectFilterByCondition(by === 'id' ? 'vlan_group_id' : 'vlan_group', {
      target: { table: 'ipam_vlangroup' },
      by,
      below: false,
      matches: (alias, ids) => `${alias}.vlan_id IN (SELECT v.id FROM ipam_vlan v WHERE v.group_id = ANY (${ids}))`,
      isNull: (alias) =>
        `NOT EXISTS (SELECT FROM ipam_vlan v WHERE v.id = ${alias}.vlan_id AND v.group_id IS NOT NULL)`,
    }),
  ),
];

/**
 * Model of a prefix: an IP network. Database triggers reject duplicate prefixes. The numbers of containing and
 * contained prefixes are computed when a prefix is read. The cost of a write therefore does not depend on these
 * numbers.
 */
export const prefixModel = defineModel('ipam.prefix', {
  path: 'ipam/prefixes',
  objectName: 'Prefix',
  verboseName: 'prefix',
  verboseNamePlural: 'prefixes',
  resetOnPut: ['scope_type', 'scope_id'],
  rereadAfterUpdate: true,
  rereadAfterCreateOfMany: true,
  fields: {
    ...common.identityFields,
    family: createAddressFamilyField('prefix'),
    prefix: cidrField({ required: true }),
    vrf: referenceField('ipam.vrf', { nullable: true, filterBy: 'rd', isIndexedWithId: true }),
    scope_type: objectTypeField(prefixScopeTypes, { nullable: true }),
    scope_id: integerField({ nullable: true, min: 0, big: false }),
    scope: genericObjectField({
      type: 'scope_type',
      id: 'scope_id',
      allowed: prefixScopeTypes,
      incomplete: { key: '__all__', message: ({ verboseName }) => `Please select a ${verboseName}.` },
    }),
    tenant: referenceField('tenancy.tenant', { nullable: true, hasManyRows: true }),
    vlan: referenceField('ipam.vlan', { nullable: true, filterBy: null }),
    status: choiceField(prefixStatusChoices, { default: 'active' }),
    role: referenceField('ipam.role', { nullable: true, onDelete: 'set_null', isIndexedWithId: true }),
    is_pool: booleanField({ label: 'is a pool' }),
    mark_utilized: booleanField({ label: 'mark utilized' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    children: prefixChildCountField,
    _depth: prefixDepthField,
  },
  display: (alias) => `${alias}.prefix::text`,
  brief: ['id', 'url', 'display', 'family', 'prefix', 'description', '_depth'],
  order: [{ sql: (alias) => `${alias}.vrf_id`, nullsFirst: true }, { field: 'prefix' }],
  search: [
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.prefix`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.prefix`, lookup: 'covers' },
  ],
  constraints: [{ name: 'ipam_prefix_duplicate', key: 'prefix' }],
  hooks: { lock: createVrfLockHook(['prefix', 'vrf_id']) },
  rules: [
    ({ prefix: network }) => (network?.endsWith('/0') ? { prefix: ['Cannot create prefix with /0 mask.'] } : null),
  ],
  filters: [
    ...contactFilters,
    ...prefixFilters,
    ...createVrfImportFilters,
    ...prefixVlanFilters,
    ...tenantGroupFilters,
    placeScopeFilters,
  ],
});
