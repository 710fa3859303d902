import { defineModel } from '../../engine/declaration/define-model.js';
import { dateField } from '../../engine/field-types/date.js';
import { cidrField } from '../../engine/field-types/network.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { lockAggregateBlocks } from './address-block-locks.js';
import { aggregateFilters } from './network-filters.js';
import { createAddressFamilyField } from './prefix.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/**
 * Model of an aggregate: a block of address space from a registry. A database trigger rejects aggregates that overlap
 * (docs/contract/inventory.md 3.5).
 */
export const aggregateModel = defineModel('ipam.aggregate', {
  path: 'ipam/aggregates',
  objectName: 'Aggregate',
  verboseName: 'aggregate',
  verboseNamePlural: 'aggregates',
  fields: {
    ...common.identityFields,
    family: createAddressFamilyField('prefix'),
    prefix: cidrField({ required: true }),
    rir: referenceField('ipam.rir', { required: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    date_added: dateField({ nullable: true, label: 'date added' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.prefix::text`,
  brief: ['id', 'url', 'display', 'family', 'prefix', 'description'],
  order: [{ field: 'prefix' }],
  search: [
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.prefix`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.prefix`, lookup: 'covers' },
  ],
  constraints: [{ name: 'ipam_aggregate_overlap', key: 'prefix' }],
  hooks: { lock: lockAggregateBlocks },
  rules: [({ prefix }) => (prefix?.endsWith('/0') ? { prefix: ['Cannot create aggregate with /0 mask.'] } : null)],
  filters: [...contactFilters, ...aggregateFilters, ...tenantGroupFilters],
});
