import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { powerFeedLegs, powerOutletTypes } from './power-outlet-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a power outlet template, which belongs to a device type or module type. */
export const powerOutletTemplateModel = defineModel('dcim.poweroutlettemplate', {
  path: 'dcim/power-outlet-templates',
  objectName: 'PowerOutletTemplate',
  verboseName: 'power outlet template',
  verboseNamePlural: 'power outlet templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(powerOutletTypes, { nullable: true, filterSingle: true }),
    color: colorField({ blank: true }),
    power_port: referenceField('dcim.powerporttemplate', { nullable: true, onDelete: 'set_null', filterBy: null }),
    feed_leg: choiceField(powerFeedLegs, { nullable: true }),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    ...template.createUniqueTemplateNameConstraints('dcim_poweroutlettemplate'),
    { name: 'dcim_poweroutlettemplate_power_port_type', key: '__all__' },
  ],
  rules: [template.checkTemplateHasOneType],
});
