import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createParentCycleConstraint } from '../tree-rules.js';
import * as component from './device-component-fields.js';
import { deviceFiltersOfComponents } from './device-component-filters.js';
import { moduleAndItemStatusChoices } from './module-and-item-status.js';

const componentTypes = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.frontport',
  'dcim.interface',
  'dcim.poweroutlet',
  'dcim.powerport',
  'dcim.rearport',
];

/** Model of an inventory item: a hardware part of a device. The inventory items of a device form a tree. */
export const inventoryItemModel = defineModel('dcim.inventoryitem', {
  path: 'dcim/inventory-items',
  objectName: 'InventoryItem',
  verboseName: 'inventory item',
  verboseNamePlural: 'inventory items',
  resetOnPut: ['parent', 'manufacturer'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    device: component.componentDeviceField,
    parent: referenceField('dcim.inventoryitem', {
      nullable: true,
      onDelete: 'cascade',
      filterBy: null,
      filterDirect: true,
      bare: true,
    }),
    name: component.componentNameField,
    label: component.componentLabelField,
    status: choiceField(moduleAndItemStatusChoices, { default: 'active' }),
    role: referenceField('dcim.inventoryitemrole', { nullable: true }),
    manufacturer: referenceField('dcim.manufacturer', { nullable: true }),
    part_id: textField({ max: 50, label: 'part ID' }),
    serial: textField({ max: 50, label: 'serial number' }),
    asset_tag: textField({ max: 50, nullable: true, blankAsNull: true }),
    discovered: booleanField(),
    description: common.descriptionField,
    component_type: objectTypeField(componentTypes, { nullable: true }),
    component_id: integerField({ nullable: true, min: 0 }),
    component: genericObjectField({ type: 'component_type', id: 'component_id', allowed: componentTypes }),
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    _depth: common.treeDepthField,
  },
  relatedTo: 'device',
  display: component.createComponentNameSql,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', '_depth'],
  order: [{ sql: (alias) => `${alias}.device_id` }, { sql: (alias) => `${alias}._path` }],
  search: common.createFieldSearchTerms('name', 'part_id', 'serial', 'asset_tag', 'description'),
  constraints: [
    createParentCycleConstraint('dcim_inventoryitem', 'inventory item'),
    { name: 'dcim_inventoryitem_parent_device', key: 'parent' },
    { name: 'dcim_inventoryitem_children', key: '__all__' },
    { name: 'dcim_inventoryitem_component_device', key: 'device' },
    { name: 'dcim_inventoryitem_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_inventoryitem_device_id_parent_id_name_key', fields: ['device', 'parent', 'name'] },
  ],
  filters: deviceFiltersOfComponents,
});
