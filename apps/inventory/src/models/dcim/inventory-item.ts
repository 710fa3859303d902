import { defineModel } from '../../engine/declaration/model.js';
import { along } from '../../engine/filter/path-filter.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { choice } from '../../engine/kinds/choice.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { parentCycle } from '../tree-rules.js';
import * as component from './component-fields.js';
import { installedStatus } from './installed-status.js';

const componentTypes = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.frontport',
  'dcim.interface',
  'dcim.poweroutlet',
  'dcim.powerport',
  'dcim.rearport',
];

/** A part of a device that is kept account of; a tree within the device. */
export const inventoryItem = defineModel('dcim.inventoryitem', {
  path: 'dcim/inventory-items',
  objectName: 'InventoryItem',
  verboseName: 'inventory item',
  verboseNamePlural: 'inventory items',
  tree: true,
  settlesAfterUpdate: true,
  fields: {
    ...common.identity,
    device: component.device,
    // DRAFT field: parent is shown as a bare id
    parent: ref('dcim.inventoryitem', { nullable: true, onDelete: 'cascade', filterBy: null, filterDirect: true }),
    name: component.name,
    label: component.label,
    status: choice(installedStatus, { default: 'active' }),
    role: ref('dcim.inventoryitemrole', { nullable: true }),
    manufacturer: ref('dcim.manufacturer', { nullable: true }),
    part_id: text({ max: 50 }),
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
    ...common.times,
    _depth: common.treeDepth,
  },
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', '_depth'],
  order: [
    { sql: (alias) => `${alias}.device_id` },
    { sql: (alias) => `${alias}.parent_id` },
    { sql: (alias) => `${alias}._sort` },
  ],
  search: common.searchIn('name', 'part_id', 'serial', 'asset_tag', 'description'),
  constraints: [
    parentCycle('dcim_inventoryitem', 'inventory item'),
    { name: 'dcim_inventoryitem_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_inventoryitem_device_id_parent_id_name_key', fields: ['device', 'parent', 'name'] },
  ],
  // DRAFT rules: tree; may move between devices unless it has children; component must be on the same device; name unique per device and parent; asset_tag unique
  // DRAFT filters: location_id (object_multi, n): path _location
  // DRAFT filters: location (object_multi, n): path _location.slug
  // DRAFT filters: device_role_id (object_multi, n): path device.role
  // DRAFT filters: device_role (object_multi, n): path device.role.slug
  // DRAFT filters: device_status (choice, n ic nic iew niew isw nisw ie nie empty regex iregex): path device.status
  filters: [
    along('region', 'device.site.region'),
    along('site_group', 'device.site.group'),
    along('site', 'device.site'),
    along('rack', 'device.rack', 'name'),
    along('device_type', 'device.device_type', 'model'),
    along('virtual_chassis', 'device.virtual_chassis', 'name'),
    along('tenant', 'device.tenant'),
  ],
});
