import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import {
  manyToManyField,
  manyToManyFilters,
  writableReverseReferencesField,
} from '../../engine/field-types/many-to-many.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import { createScopeColumnFilters } from '../dcim/scope-filters.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { asNumberListSql } from '../ipam/as-number-list-sql.js';
import { createAnyTerminationCondition, circuitTerminationPlaceFields } from './circuit-termination-fields.js';

const providerAsnJoinTable = { table: 'circuits_provider_asns', own: 'provider_id', other: 'asn_id' };

/** Returns the SQL condition that a provider has a circuit with at least one termination that meets a condition. */
const createAnyCircuitCondition = (alias: string, condition: (end: string) => SqlText): SqlText =>
  `${alias}.id IN (SELECT c.provider_id FROM circuits_circuit c WHERE ${createAnyTerminationCondition('c', condition)})`;

/** Model of a provider: a company that sells circuits. */
export const providerModel = defineModel('circuits.provider', {
  path: 'circuits/providers',
  objectName: 'Provider',
  verboseName: 'provider',
  verboseNamePlural: 'providers',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    accounts: writableReverseReferencesField('circuits.provideraccount', 'provider', {
      table: 'circuits_provideraccount',
      shape: ['id', 'url', 'display_url', 'display', 'name', 'account'],
    }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    asns: manyToManyField('ipam.asn', { join: providerAsnJoinTable }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    circuit_count: referringObjectCountField('circuits.circuit', { via: 'provider' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [
    { name: 'circuits_provider_name_key', fields: ['name'] },
    { name: 'circuits_provider_slug_key', fields: ['slug'] },
    ...(
      ['circuits_provideraccount_provider_id_account_key', 'circuits_provideraccount_unique_provider_name'] as const
    ).map((name) => ({
      name,
      key: 'accounts',
      message: 'The accounts of a provider must differ in name and account ID.',
    })),
  ],
  filters: [
    ...contactFilters,
    ...manyToManyFilters('asn', asNumberListSql, providerAsnJoinTable, 'asn'),
    createScopeColumnFilters({
      ...circuitTerminationPlaceFields,
      reach: createAnyCircuitCondition,
      only: ['region', 'site_group', 'site'],
    }),
  ],
});
