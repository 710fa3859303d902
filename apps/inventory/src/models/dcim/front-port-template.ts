import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createPortMappingsField, createPortMappingConstraints } from './port-mappings.js';
import { portTypes } from './port-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a front port template, which belongs to a device type or module type. */
export const frontPortTemplateModel = defineModel('dcim.frontporttemplate', {
  path: 'dcim/front-port-templates',
  objectName: 'FrontPortTemplate',
  verboseName: 'front port template',
  verboseNamePlural: 'front port templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(portTypes, { required: true }),
    color: colorField({ blank: true }),
    positions: integerField({ min: 1, max: 1024, default: 1 }),
    rear_ports: createPortMappingsField('dcim_porttemplatemapping', 'front_port', 'dcim.rearporttemplate'),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    ...template.createUniqueTemplateNameConstraints('dcim_frontporttemplate'),
    ...createPortMappingConstraints('dcim_porttemplatemapping', 'dcim_frontporttemplate', 'rear_ports'),
    template.createUsedTemplateTypeConstraint('dcim_frontporttemplate'),
  ],
  rules: [template.checkTemplateHasOneType],
});
