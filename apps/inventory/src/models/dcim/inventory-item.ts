import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/field-types/boolean.js';
import { choice } from '../../engine/field-types/choice.js';
import { genericObject } from '../../engine/field-types/generic-object.js';
import { integer } from '../../engine/field-types/number.js';
import { objectType } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';
import { parentCycleConstraint } from '../tree-rules.js';
import * as component from './component-fields.js';
import { deviceFiltersOfComponents } from './component-filters.js';
import { installedStatus } from './module-and-item-status.js';

const componentTypes = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.frontport',
  'dcim.interface',
  'dcim.poweroutlet',
  'dcim.powerport',
  'dcim.rearport',
];

/** A hardware part of a device, in a tree within the device. */
export const inventoryItem = defineModel('dcim.inventoryitem', {
  path: 'dcim/inventory-items',
  objectName: 'InventoryItem',
  verboseName: 'inventory item',
  verboseNamePlural: 'inventory items',
  resetOnPut: ['parent', 'manufacturer'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    device: component.device,
    parent: referenceField('dcim.inventoryitem', {
      nullable: true,
      onDelete: 'cascade',
      filterBy: null,
      filterDirect: true,
      bare: true,
    }),
    name: component.name,
    label: component.label,
    status: choice(installedStatus, { default: 'active' }),
    role: referenceField('dcim.inventoryitemrole', { nullable: true }),
    manufacturer: referenceField('dcim.manufacturer', { nullable: true }),
    part_id: text({ max: 50, label: 'part ID' }),
    serial: text({ max: 50, label: 'serial number' }),
    asset_tag: text({ max: 50, nullable: true, blankAsNull: true }),
    discovered: boolean(),
    description: common.description,
    component_type: objectType(componentTypes, { nullable: true }),
    component_id: integer({ nullable: true, min: 0 }),
    component: genericObject({ type: 'component_type', id: 'component_id', allowed: componentTypes }),
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    _depth: common.treeDepth,
  },
  relatedTo: 'device',
  display: component.componentNameSql,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', '_depth'],
  order: [{ sql: (alias) => `${alias}.device_id` }, { sql: (alias) => `${alias}._path` }],
  search: common.searchIn('name', 'part_id', 'serial', 'asset_tag', 'description'),
  constraints: [
    parentCycleConstraint('dcim_inventoryitem', 'inventory item'),
    { name: 'dcim_inventoryitem_parent_device', key: 'parent' },
    { name: 'dcim_inventoryitem_children', key: '__all__' },
    { name: 'dcim_inventoryitem_component_device', key: 'device' },
    { name: 'dcim_inventoryitem_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_inventoryitem_device_id_parent_id_name_key', fields: ['device', 'parent', 'name'] },
  ],
  filters: deviceFiltersOfComponents,
});
