import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';

/** Model of a bundle of cables that are laid together. */
export const cableBundleModel = defineModel('dcim.cablebundle', {
  path: 'dcim/cable-bundles',
  objectName: 'CableBundle',
  verboseName: 'cable bundle',
  verboseNamePlural: 'cable bundles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    cable_count: referringObjectCountField('dcim.cable', { via: 'bundle', metadataType: 'integer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'dcim_cablebundle_name_key', fields: ['name'] }],
});
