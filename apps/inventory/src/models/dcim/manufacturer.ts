import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import * as common from '../field-groups.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** A manufacturer of devices, modules and racks. */
export const manufacturer = defineModel('dcim.manufacturer', {
  path: 'dcim/manufacturers',
  objectName: 'Manufacturer',
  verboseName: 'manufacturer',
  verboseNamePlural: 'manufacturers',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    devicetype_count: countOf('dcim.devicetype', { via: 'manufacturer' }),
    moduletype_count: countOf('dcim.moduletype', { via: 'manufacturer' }),
    inventoryitem_count: countOf('dcim.inventoryitem', { via: 'manufacturer' }),
    platform_count: countOf('dcim.platform', { via: 'manufacturer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_manufacturer_name_key', fields: ['name'] },
    { name: 'dcim_manufacturer_slug_key', fields: ['slug'] },
  ],
  filters: contactFilters,
});
