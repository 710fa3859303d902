import { defineModel } from '../../engine/declaration/define-model.js';
import type { ListFilter } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { createAsNumberField } from './asn.js';

const createAsnCountSql = (alias: string): string =>
  `(SELECT count(*) FROM ipam_asn a WHERE a.asn BETWEEN ${alias}."start" AND ${alias}."end")`;

/**
 * Filter of ASN ranges by the field `start`, with a lookup such as `start__gte`. Without a lookup, the query parameter
 * `start` is the paging parameter instead of this filter (inventory-4-query-9).
 */
const asnRangeStartComparison = integerFilter('start', (alias) => `${alias}."start"`);
const asnRangeStartFilter: ListFilter = {
  ...asnRangeStartComparison,
  compile: (request) => (request.lookup === null ? null : asnRangeStartComparison.compile(request)),
};

/** Model of a range of AS numbers from a registry. */
export const asnRangeModel = defineModel('ipam.asnrange', {
  path: 'ipam/asn-ranges',
  objectName: 'ASNRange',
  verboseName: 'ASN range',
  verboseNamePlural: 'ASN ranges',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    rir: referenceField('ipam.rir', { required: true }),
    start: createAsNumberField(),
    end: createAsNumberField(),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    asn_count: computedField({
      json: ({ alias }) => [createComputedJsonFragment(createAsnCountSql(alias))],
      order: ({ alias }) => [createAsnCountSql(alias)],
      schema: { type: 'integer', format: 'int64' },
      metadataType: 'integer',
    }),
  },
  display: (alias) => `concat(${alias}.name, ' (', ${alias}.start, '-', ${alias}."end", ')')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'ipam_asnrange_name_key', fields: ['name'] },
    { name: 'ipam_asnrange_slug_key', fields: ['slug'] },
  ],
  rules: [
    ({ start, end }) =>
      Number(start) < Number(end)
        ? null
        : { __all__: [`Starting ASN (${start}) must be lower than ending ASN (${end}).`] },
  ],
  filters: [...tenantGroupFilters, asnRangeStartFilter],
});
