import { defineModel } from '../../engine/declaration/define-model.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createParentCycleConstraint } from '../tree-rules.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

const componentTemplateTypes = [
  'dcim.consoleporttemplate',
  'dcim.consoleserverporttemplate',
  'dcim.frontporttemplate',
  'dcim.interfacetemplate',
  'dcim.poweroutlettemplate',
  'dcim.powerporttemplate',
  'dcim.rearporttemplate',
];

/** Model of an inventory item template, which belongs to a device type. The templates of a device type form a tree. */
export const inventoryItemTemplateModel = defineModel('dcim.inventoryitemtemplate', {
  path: 'dcim/inventory-item-templates',
  objectName: 'InventoryItemTemplate',
  verboseName: 'inventory item template',
  verboseNamePlural: 'inventory item templates',
  resetOnPut: ['parent', 'manufacturer'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    id,
    url,
    display,
    device_type: template.componentTemplateDeviceTypeField,
    parent: referenceField('dcim.inventoryitemtemplate', {
      nullable: true,
      onDelete: 'cascade',
      filterBy: null,
      filterDirect: true,
      bare: true,
    }),
    name: template.componentTemplateNameField,
    label: template.componentTemplateLabelField,
    role: referenceField('dcim.inventoryitemrole', { nullable: true }),
    manufacturer: referenceField('dcim.manufacturer', { nullable: true }),
    part_id: textField({ max: 50, label: 'part ID' }),
    description: common.descriptionField,
    component_type: objectTypeField(componentTemplateTypes, { nullable: true }),
    component_id: integerField({ nullable: true, min: 0 }),
    component: genericObjectField({ type: 'component_type', id: 'component_id', allowed: componentTemplateTypes }),
    ...common.creationTimeFields,
    _depth: common.treeDepthField,
  },
  ...template.deviceTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'description', '_depth'],
  order: [{ sql: (alias) => `${alias}.device_type_id` }, { sql: (alias) => `${alias}._path` }],
  search: common.createFieldSearchTerms('name', 'part_id', 'description'),
  constraints: [
    { name: 'dcim_inventoryitemtemplate_parent_type', key: 'parent' },
    { name: 'dcim_inventoryitemtemplate_component_type', key: 'component_id' },
    createParentCycleConstraint('dcim_inventoryitemtemplate', 'inventory item template'),
    { name: 'dcim_inventoryitemtemplate_device_type_id_parent_id_name_key', fields: ['device_type', 'parent', 'name'] },
  ],
  rules: [template.checkTemplateTypeUnchanged],
});
