import { defineModel } from '../../engine/declaration/define-model.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** Model of an account with a provider, to which circuits are billed. */
export const providerAccountModel = defineModel('circuits.provideraccount', {
  path: 'circuits/provider-accounts',
  objectName: 'ProviderAccount',
  verboseName: 'provider account',
  verboseNamePlural: 'provider accounts',
  resetOnPut: ['name'],
  fields: {
    ...common.identityFields,
    provider: referenceField('circuits.provider', { required: true }),
    name: textField({ max: 100 }),
    account: textField({ max: 100, required: true, label: 'account ID' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.account || coalesce(' (' || nullif(${alias}.name, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'account', 'description'],
  order: [{ field: 'provider' }, { field: 'account' }],
  search: common.createFieldSearchTerms('name', 'description', 'account', 'comments'),
  constraints: [
    { name: 'circuits_provideraccount_provider_id_account_key', fields: ['provider', 'account'] },
    {
      name: 'circuits_provideraccount_unique_provider_name',
      key: '__all__',
      message: 'Constraint “circuits_provideraccount_unique_provider_name” is violated.',
    },
  ],
  filters: contactFilters,
});
