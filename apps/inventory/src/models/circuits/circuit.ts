import { defineModel, type ModelSearchTerm } from '../../engine/declaration/define-model.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import {
  resolveStepToGenericTarget,
  resolveStepToReferringObjects,
} from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { dateField } from '../../engine/field-types/date.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { reverseGenericReferencesField } from '../../engine/field-types/reverse-generic.js';
import { textField } from '../../engine/field-types/text.js';
import { createScopeColumnFilters } from '../dcim/scope-filters.js';
import * as distance from '../distance-and-unit-fields.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { circuitStatusChoices } from './circuit-status.js';
import {
  createAnyTerminationCondition,
  nestedCircuitTerminationFields,
  circuitTerminationPlaceFields,
} from './circuit-termination-fields.js';

const referencePathToTerminations = resolveStepToReferringObjects('circuits.circuittermination', 'circuit');

/** Field of a circuit that refers to the circuit's termination on one side. Database triggers set the reference. */
const circuitTerminationField = referenceField('circuits.circuittermination', {
  nullable: true,
  readOnly: true,
  onDelete: 'set_null',
  filterBy: null,
  shape: nestedCircuitTerminationFields,
});

/**
 * Definition for the search parameter `q` by which the search also finds circuits by the texts of their terminations.
 */
const circuitTerminationSearchTerms: ModelSearchTerm = {
  ids: (pattern) => `SELECT e.circuit_id FROM circuits_circuittermination e
    WHERE e.xconnect_id ILIKE ${pattern} OR e.pp_info ILIKE ${pattern} OR e.description ILIKE ${pattern}`,
  lookup: 'ids',
};

/** Model of a circuit: a connection between two places, sold by a provider. */
export const circuitModel = defineModel('circuits.circuit', {
  path: 'circuits/circuits',
  objectName: 'Circuit',
  verboseName: 'circuit',
  verboseNamePlural: 'circuits',
  resetOnPut: ['provider_account'],
  fields: {
    ...common.identityFields,
    cid: textField({ max: 100, required: true, label: 'circuit ID' }),
    provider: referenceField('circuits.provider', { required: true }),
    provider_account: referenceField('circuits.provideraccount', { nullable: true, filterBy: 'account' }),
    type: referenceField('circuits.circuittype', { required: true }),
    status: choiceField(circuitStatusChoices, { default: 'active' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    install_date: dateField({ nullable: true, label: 'installed' }),
    termination_date: dateField({ nullable: true, label: 'terminates' }),
    commit_rate: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'commit rate (Kbps)' }),
    description: common.descriptionField,
    ...distance.distanceFields,
    termination_a: circuitTerminationField,
    termination_z: circuitTerminationField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    assignments: reverseGenericReferencesField(
      'circuits.circuitgroupassignment',
      { type: 'member_type', id: 'member_id' },
      ['id', 'url', 'display', 'group', 'priority'],
    ),
  },
  display: (alias) => `${alias}.cid`,
  brief: ['id', 'url', 'display', 'provider', 'cid', 'description'],
  nested: ['id', 'url', 'display', 'cid', 'provider', 'description'],
  order: [{ field: 'provider' }, { field: 'provider_account' }, { field: 'cid' }],
  search: [...common.createFieldSearchTerms('cid', 'description', 'comments'), circuitTerminationSearchTerms],
  constraints: [
    { name: 'circuits_circuit_provider_id_cid_key', fields: ['provider', 'cid'] },
    { name: 'circuits_circuit_provider_account_id_cid_key', fields: ['provider_account', 'cid'] },
    {
      name: 'circuits_circuit_account',
      key: 'provider_account',
      message: 'The assigned account must belong to the assigned provider.',
    },
  ],
  rules: [distance.checkDistanceHasUnit],
  hooks: { prepare: distance.clearUnitWithoutDistance },
  filters: [
    ...contactFilters,
    ...tenantGroupFilters,
    createScopeColumnFilters({
      ...circuitTerminationPlaceFields,
      reach: createAnyTerminationCondition,
      only: ['region', 'site_group', 'site'],
    }),
    relatedObjectFilter(
      'location_id',
      [referencePathToTerminations, resolveStepToGenericTarget('termination', 'dcim.location')],
      {
        direct: true,
      },
    ),
    relatedObjectFilter('provider_network_id', [
      referencePathToTerminations,
      resolveStepToGenericTarget('termination', 'circuits.providernetwork'),
    ]),
  ],
});
