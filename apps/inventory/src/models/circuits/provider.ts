import { defineModel } from '../../engine/declaration/define-model.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
import {
  manyToManyField,
  manyToManyFilters,
  writableReverseReferences,
} from '../../engine/field-types/many-to-many.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import { scopeColumnFilters } from '../dcim/scope-filters.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { asNumberListSql } from '../ipam/as-number-list-sql.js';
import { anyTerminationMeetsCondition, terminationPlaceFields } from './circuit-termination-fields.js';

const providerAsnTable = { table: 'circuits_provider_asns', own: 'provider_id', other: 'asn_id' };

/** Returns the SQL condition that a provider has a circuit with at least one termination that meets a condition. */
const anyCircuitMeetsCondition = (alias: string, condition: (end: string) => SqlText): SqlText =>
  `${alias}.id IN (SELECT c.provider_id FROM circuits_circuit c WHERE ${anyTerminationMeetsCondition('c', condition)})`;

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
    accounts: writableReverseReferences('circuits.provideraccount', 'provider', {
      table: 'circuits_provideraccount',
      shape: ['id', 'url', 'display_url', 'display', 'name', 'account'],
    }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    asns: manyToManyField('ipam.asn', { join: providerAsnTable }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    circuit_count: referringCountField('circuits.circuit', { via: 'provider' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchTermsInFields('name', 'description', 'comments'),
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
    ...manyToManyFilters('asn', asNumberListSql, providerAsnTable, 'asn'),
    scopeColumnFilters({
      ...terminationPlaceFields,
      reach: anyCircuitMeetsCondition,
      only: ['region', 'site_group', 'site'],
    }),
  ],
});
