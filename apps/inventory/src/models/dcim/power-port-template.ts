import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import * as common from '../shared-model-fields.js';
import * as power from './power-draw-fields.js';
import { powerPortTypes } from './power-port-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a power port template, which belongs to a device type or module type. */
export const powerPortTemplateModel = defineModel('dcim.powerporttemplate', {
  path: 'dcim/power-port-templates',
  objectName: 'PowerPortTemplate',
  verboseName: 'power port template',
  verboseNamePlural: 'power port templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(powerPortTypes, { nullable: true, filterSingle: true }),
    ...power.powerDrawFields,
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    ...template.createUniqueTemplateNameConstraints('dcim_powerporttemplate'),
    template.createUsedTemplateTypeConstraint('dcim_powerporttemplate'),
  ],
  rules: [template.checkTemplateHasOneType, power.checkAllocatedPowerDraw],
});
