import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a module bay template, which belongs to a device type or module type. */
export const moduleBayTemplateModel = defineModel('dcim.modulebaytemplate', {
  path: 'dcim/module-bay-templates',
  objectName: 'ModuleBayTemplate',
  verboseName: 'module bay template',
  verboseNamePlural: 'module bay templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    position: textField({ max: 30 }),
    enabled: booleanField({ default: true }),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'enabled', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: template.createUniqueTemplateNameConstraints('dcim_modulebaytemplate'),
  rules: [template.checkTemplateHasOneType],
});
