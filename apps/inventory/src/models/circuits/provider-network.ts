import { defineModel } from '../../engine/declaration/define-model.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a provider's network whose internal structure is unknown. */
export const providerNetworkModel = defineModel('circuits.providernetwork', {
  path: 'circuits/provider-networks',
  objectName: 'ProviderNetwork',
  verboseName: 'provider network',
  verboseNamePlural: 'provider networks',
  fields: {
    ...common.identityFields,
    provider: referenceField('circuits.provider', { required: true }),
    name: common.requiredNameField,
    service_id: textField({ max: 100, label: 'service ID' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'provider' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'service_id', 'description', 'comments'),
  constraints: [{ name: 'circuits_providernetwork_provider_id_name_key', fields: ['provider', 'name'] }],
});
