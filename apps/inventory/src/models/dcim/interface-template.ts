import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { powerOverEthernetModes, powerOverEthernetTypes, wirelessRoles } from './interface-choices.js';
import { interfaceTypeRules } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of an interface template, which belongs to a device type or module type. */
export const interfaceTemplateModel = defineModel('dcim.interfacetemplate', {
  path: 'dcim/interface-templates',
  objectName: 'InterfaceTemplate',
  verboseName: 'interface template',
  verboseNamePlural: 'interface templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.templateTypeAndNameFields,
    type: choiceField(interfaceTypes, { required: true }),
    enabled: booleanField({ default: true }),
    mgmt_only: booleanField({ label: 'management only' }),
    description: common.descriptionField,
    bridge: referenceField('dcim.interfacetemplate', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: { id, url, display, name: template.componentTemplateNameField },
    }),
    poe_mode: choiceField(powerOverEthernetModes, { nullable: true }),
    poe_type: choiceField(powerOverEthernetTypes, { nullable: true }),
    rf_role: choiceField(wirelessRoles, { nullable: true }),
    ...common.creationTimeFields,
  },
  ...template.modularTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    ...template.createUniqueTemplateNameConstraints('dcim_interfacetemplate'),
    { name: 'dcim_interfacetemplate_bridge_type', key: 'bridge' },
    {
      name: 'dcim_interfacetemplate_bridge_self',
      key: 'bridge',
      message: 'An interface cannot be bridged to itself.',
    },
    template.createUsedTemplateTypeConstraint('dcim_interfacetemplate'),
  ],
  rules: [template.checkTemplateHasOneType, ...interfaceTypeRules],
});
