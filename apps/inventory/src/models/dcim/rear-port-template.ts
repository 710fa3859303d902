import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createPortMappingsField, createPortMappingConstraints } from './port-mappings.js';
import { portTypes } from './port-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a rear port template, which belongs to a device type or module type. */
export const rearPortTemplateModel = defineModel('dcim.rearporttemplate', {
  path: 'dcim/rear-port-templates',
  objectName: 'RearPortTemplate',
  verboseName: 'rear port template',
  verboseNamePlural: 'rear port templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(portTypes, { required: true }),
    color: colorField({ blank: true }),
    positions: integerField({ min: 1, max: 1024, default: 1 }),
    front_ports: createPortMappingsField('dcim_porttemplatemapping', 'rear_port', 'dcim.frontporttemplate'),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    ...template.createUniqueTemplateNameConstraints('dcim_rearporttemplate'),
    ...createPortMappingConstraints('dcim_porttemplatemapping', 'dcim_rearporttemplate', 'front_ports'),
    template.createUsedTemplateTypeConstraint('dcim_rearporttemplate'),
  ],
  rules: [template.checkTemplateHasOneType],
});
