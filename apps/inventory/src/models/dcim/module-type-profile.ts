import { defineModel } from '../../engine/declaration/define-model.js';
import { jsonField } from '../../engine/field-types/json.js';
import * as common from '../shared-model-fields.js';
import { checkJsonSchema } from '../check-json-schema.js';

/** Model of a module type profile: a JSON schema for the attributes of module types of one kind. */
export const moduleTypeProfileModel = defineModel('dcim.moduletypeprofile', {
  path: 'dcim/module-type-profiles',
  objectName: 'ModuleTypeProfile',
  verboseName: 'module type profile',
  verboseNamePlural: 'module type profiles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    schema: jsonField({ nullable: true, check: checkJsonSchema }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'dcim_moduletypeprofile_name_key', fields: ['name'] }],
});
