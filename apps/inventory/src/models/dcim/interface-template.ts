import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/field-types/boolean.js';
import { choice } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../field-groups.js';
import { poeModes, poeTypes, wirelessRoles } from './interface-choices.js';
import { physicalRules } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identityFields;

/** Template of an interface, for a device type or module type. */
export const interfaceTemplate = defineModel('dcim.interfacetemplate', {
  path: 'dcim/interface-templates',
  objectName: 'InterfaceTemplate',
  verboseName: 'interface template',
  verboseNamePlural: 'interface templates',
  resetOnPut: ['device_type', 'module_type'],
  fields: {
    id,
    url,
    display,
    ...template.typeAndNameFields,
    type: choice(interfaceTypes, { required: true }),
    enabled: boolean({ default: true }),
    mgmt_only: boolean({ label: 'management only' }),
    description: common.description,
    bridge: referenceField('dcim.interfacetemplate', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: { id, url, display, name: template.name },
    }),
    poe_mode: choice(poeModes, { nullable: true }),
    poe_type: choice(poeTypes, { nullable: true }),
    rf_role: choice(wirelessRoles, { nullable: true }),
    ...common.timeFields,
  },
  ...template.modularTemplateOptions,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.searchIn('name', 'description'),
  constraints: [
    ...template.uniqueNameConstraints('dcim_interfacetemplate'),
    { name: 'dcim_interfacetemplate_bridge_type', key: 'bridge' },
    {
      name: 'dcim_interfacetemplate_bridge_self',
      key: 'bridge',
      message: 'An interface cannot be bridged to itself.',
    },
    template.usedTemplateTypeConstraint('dcim_interfacetemplate'),
  ],
  rules: [template.hasExactlyOneTypeRule, ...physicalRules],
});
