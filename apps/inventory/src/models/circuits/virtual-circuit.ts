import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { circuitStatusChoices } from './circuit-status.js';

/** Model of a virtual circuit: a connection through the network of a provider. */
export const virtualCircuitModel = defineModel('circuits.virtualcircuit', {
  path: 'circuits/virtual-circuits',
  objectName: 'VirtualCircuit',
  verboseName: 'virtual circuit',
  verboseNamePlural: 'virtual circuits',
  resetOnPut: ['provider_account'],
  fields: {
    ...common.identityFields,
    cid: textField({ max: 100, required: true, label: 'circuit ID' }),
    provider_network: referenceField('circuits.providernetwork', { required: true, filterBy: null }),
    provider_account: referenceField('circuits.provideraccount', { nullable: true, filterBy: 'account' }),
    type: referenceField('circuits.virtualcircuittype', { required: true }),
    status: choiceField(circuitStatusChoices, { default: 'active' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.cid`,
  brief: ['id', 'url', 'display', 'provider_network', 'cid', 'description'],
  nested: ['id', 'url', 'display', 'cid', 'provider_network', 'description'],
  order: [{ field: 'provider_network' }, { field: 'provider_account' }, { field: 'cid' }],
  search: common.createFieldSearchTerms('cid', 'description', 'comments'),
  constraints: [
    { name: 'circuits_virtualcircuit_provider_network_id_cid_key', fields: ['provider_network', 'cid'] },
    { name: 'circuits_virtualcircuit_provider_account_id_cid_key', fields: ['provider_account', 'cid'] },
    {
      name: 'circuits_virtualcircuit_account',
      key: 'provider_account',
      message: 'The assigned account must belong to the provider of the assigned network.',
    },
  ],
  filters: [...tenantGroupFilters, referencePathFilters('provider', 'provider_network.provider')],
});
