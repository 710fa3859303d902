import { defineModel } from '../../engine/declaration/define-model.js';
import { integerListFilter } from '../../engine/filter/integer-list-filter.js';
import { numberBoundFilter } from '../../engine/filter/number-filter.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { createListField } from '../../engine/field-types/text-list.js';
import { parseIntegerInput } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { createRackNameSql } from './rack.js';

const rackReservationStatusChoices = { pending: 'Pending', active: 'Active', stale: 'Stale' };

/** Model of a rack reservation: units of a rack that are reserved for a user. */
export const rackReservationModel = defineModel('dcim.rackreservation', {
  path: 'dcim/rack-reservations',
  objectName: 'RackReservation',
  verboseName: 'rack reservation',
  verboseNamePlural: 'rack reservations',
  fields: {
    ...common.identityFields,
    rack: referenceField('dcim.rack', { required: true, onDelete: 'cascade', filterBy: null }),
    units: createListField<number>({
      required: true,
      nonEmpty: true,
      columnType: 'integer[]',
      child: { type: 'integer', label: 'Units', min_value: 0, max_value: 32_767 },
      itemSchema: { type: 'integer', minimum: 0, maximum: 32_767 },
      item: (value) => parseIntegerInput(value, { min: 0, max: 32_767 }, false) ?? 0,
    }),
    unit_count: computedField({
      json: ({ alias }) => [createComputedJsonFragment(`cardinality(${alias}.units)`)],
      schema: { type: 'integer' },
    }),
    status: choiceField(rackReservationStatusChoices, { default: 'active' }),
    ...common.creationTimeFields,
    user: referenceField('users.user', { required: true, filterBy: 'username' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: textField({ max: 200, required: true }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
  },
  display: (alias) =>
    `'Reservation for rack ' || (SELECT ${createRackNameSql('r')} FROM dcim_rack r WHERE r.id = ${alias}.rack_id)`,
  brief: ['id', 'url', 'display', 'status', 'user', 'description', 'units'],
  nested: ['id', 'url', 'display', 'units', 'status', 'user', 'description'],
  order: [{ field: 'created' }],
  relatedTo: 'rack',
  search: [
    common.createReferenceSearchTerm('rack_id', 'dcim_rack', 'name', 'facility_id'),
    common.createReferenceSearchTerm('user_id', 'users_user', 'username'),
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'dcim_rackreservation_units_of_rack', key: 'units' },
    { name: 'dcim_rackreservation_units_free', key: 'units' },
  ],
  filters: [
    ...tenantGroupFilters,
    referencePathFilters('site', 'rack.site'),
    referencePathFilters('region', 'rack.site.region'),
    referencePathFilters('site_group', 'rack.site.group'),
    referencePathFilters('location', 'rack.location'),
    referencePathFilters('group', 'rack.group'),
    integerListFilter('unit', (alias) => `${alias}.units`),
    numberBoundFilter('unit_count_min', (alias) => `cardinality(${alias}.units)`, '>='),
    numberBoundFilter('unit_count_max', (alias) => `cardinality(${alias}.units)`, '<='),
  ],
});
