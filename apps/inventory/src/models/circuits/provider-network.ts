import { defineModel } from '../../engine/declaration/model.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';

/** A network of a provider whose internal structure is unknown. */
export const providerNetwork = defineModel('circuits.providernetwork', {
  path: 'circuits/provider-networks',
  objectName: 'ProviderNetwork',
  verboseName: 'provider network',
  verboseNamePlural: 'provider networks',
  fields: {
    ...common.identityFields,
    provider: referenceField('circuits.provider', { required: true }),
    name: common.requiredName,
    service_id: text({ max: 100, label: 'service ID' }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'provider' }, { field: 'name' }],
  search: common.searchIn('name', 'service_id', 'description', 'comments'),
  constraints: [{ name: 'circuits_providernetwork_provider_id_name_key', fields: ['provider', 'name'] }],
});
