import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import * as common from '../shared-model-fields.js';
import { consolePortTypes } from './console-port-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a console server port template, which belongs to a device type or module type. */
export const consoleServerPortTemplateModel = defineModel('dcim.consoleserverporttemplate', {
  path: 'dcim/console-server-port-templates',
  objectName: 'ConsoleServerPortTemplate',
  verboseName: 'console server port template',
  verboseNamePlural: 'console server port templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(consolePortTypes, { nullable: true, filterSingle: true }),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: template.createUniqueTemplateNameConstraints('dcim_consoleserverporttemplate'),
  rules: [template.checkTemplateHasOneType],
});
