import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a role of inventory items. */
export const inventoryItemRoleModel = defineModel('dcim.inventoryitemrole', {
  path: 'dcim/inventory-item-roles',
  objectName: 'InventoryItemRole',
  verboseName: 'inventory item role',
  verboseNamePlural: 'inventory item roles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    color: colorField({ default: '9e9e9e' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    inventoryitem_count: referringObjectCountField('dcim.inventoryitem', { via: 'role' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'inventoryitem_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_inventoryitemrole_name_key', fields: ['name'] },
    { name: 'dcim_inventoryitemrole_slug_key', fields: ['slug'] },
  ],
});
