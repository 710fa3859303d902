import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** Model of a manufacturer of devices, modules and racks. */
export const manufacturerModel = defineModel('dcim.manufacturer', {
  path: 'dcim/manufacturers',
  objectName: 'Manufacturer',
  verboseName: 'manufacturer',
  verboseNamePlural: 'manufacturers',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    devicetype_count: referringObjectCountField('dcim.devicetype', { via: 'manufacturer' }),
    moduletype_count: referringObjectCountField('dcim.moduletype', { via: 'manufacturer' }),
    inventoryitem_count: referringObjectCountField('dcim.inventoryitem', { via: 'manufacturer' }),
    platform_count: referringObjectCountField('dcim.platform', { via: 'manufacturer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_manufacturer_name_key', fields: ['name'] },
    { name: 'dcim_manufacturer_slug_key', fields: ['slug'] },
  ],
  filters: contactFilters,
});
