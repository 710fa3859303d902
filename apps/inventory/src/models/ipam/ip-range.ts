import { defineModel } from '../../engine/declaration/define-model.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { convertIpAddressToInteger, parseIpNetwork } from '../../engine/field-types/ip-network.js';
import { inetField } from '../../engine/field-types/network.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { createComputedJsonFragment, type SqlText } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { lockIpRanges } from './address-block-locks.js';
import { ipRangeFilters } from './network-filters.js';
import { createAddressFamilyField } from './prefix.js';
import { contactFilters } from '../tenancy/contact-filters.js';

const ipRangeStatusChoices = { active: 'Active', reserved: 'Reserved', deprecated: 'Deprecated' };

/** Maximum number of IP addresses in an IP range. */
const maxIpRangeSize = 2n ** 32n - 1n;

const createIpRangeSizeSql = (alias: string): SqlText =>
  `(host(${alias}.end_address)::inet - host(${alias}.start_address)::inet + 1)`;

/** Returns the error of an IP range whose start and end are not a valid range. Returns null for a valid range. */
function findIpRangeBoundsProblem(start: string | undefined, end: string | undefined): Record<string, string[]> | null {
  const [first, last] = [parseIpNetwork(start ?? ''), parseIpNetwork(end ?? '')];
  if (first === null || last === null) return null;
  if (first.family !== last.family) {
    return { end_address: ['Starting and ending IP address versions must match'] };
  }
  if (first.length !== last.length) return { end_address: ['Starting and ending IP address masks must match'] };
  const count =
    convertIpAddressToInteger(last.address, last.family) - convertIpAddressToInteger(first.address, first.family) + 1n;
  if (count < 1n) {
    return { end_address: [`Ending address must be greater than or equal to the starting address (${start})`] };
  }
  return count > maxIpRangeSize
    ? { __all__: [`Defined range exceeds maximum supported size (${maxIpRangeSize})`] }
    : null;
}

/**
 * Model of an IP range: consecutive IP addresses. A database trigger and a constraint reject IP ranges that overlap
 * within a VRF (docs/contract/inventory.md 3.5).
 */
export const ipRangeModel = defineModel('ipam.iprange', {
  path: 'ipam/ip-ranges',
  objectName: 'IPRange',
  verboseName: 'IP range',
  verboseNamePlural: 'IP ranges',
  fields: {
    ...common.identityFields,
    family: createAddressFamilyField('start_address'),
    start_address: inetField({ required: true, label: 'start address' }),
    end_address: inetField({ required: true, label: 'end address' }),
    size: computedField({
      inSnapshot: true,
      json: ({ alias }) => [createComputedJsonFragment(createIpRangeSizeSql(alias))],
      order: ({ alias }) => [createIpRangeSizeSql(alias)],
      schema: { type: 'integer' },
      metadataType: 'integer',
      filters: (name) => [integerFilter(name, createIpRangeSizeSql)],
    }),
    vrf: referenceField('ipam.vrf', { nullable: true, filterBy: 'rd' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    status: choiceField(ipRangeStatusChoices, { default: 'active' }),
    role: referenceField('ipam.role', { nullable: true, onDelete: 'set_null' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    mark_populated: booleanField({ label: 'mark populated' }),
    mark_utilized: booleanField({ label: 'mark utilized' }),
  },
  display: (alias) => `ipam_range_name(${alias}.start_address, ${alias}.end_address)`,
  brief: ['id', 'url', 'display', 'family', 'start_address', 'end_address', 'description'],
  order: [{ sql: (alias) => `${alias}.vrf_id`, nullsFirst: true }, { field: 'start_address' }],
  search: [
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.start_address`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.end_address`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'ipam_iprange_overlap', key: '__all__' },
    {
      name: 'ipam_iprange_no_overlap',
      key: '__all__',
      message: 'Defined addresses overlap with a range that was added just now.',
    },
  ],
  hooks: { lock: lockIpRanges },
  rules: [({ start_address: start, end_address: end }) => findIpRangeBoundsProblem(start, end)],
  filters: [...contactFilters, ...ipRangeFilters, ...tenantGroupFilters],
});
