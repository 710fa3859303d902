import { defineModel } from '../../../src/engine/declaration/define-model.js';
import { secretField } from '../../../src/engine/field-types/secret-field.js';
import { textField } from '../../../src/engine/field-types/text.js';
import * as common from '../../../src/models/shared-model-fields.js';

/** Model of a pager service to which event rules send messages. */
export const pagerModel = defineModel('extras.pager', {
  path: 'extras/pagers',
  objectName: 'Pager',
  verboseName: 'pager',
  verboseNamePlural: 'pagers',
  fields: {
    ...common.identityFields,
    name: textField({ max: 150, required: true }),
    service_url: textField({ max: 500, required: true, label: 'service URL' }),
    access_key: secretField({ max: 255, required: true, label: 'access key' }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'service_url'),
  constraints: [{ name: 'extras_pager_name_key', fields: ['name'] }],
});
