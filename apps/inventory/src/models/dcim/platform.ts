import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/kinds/computed.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';
import { ancestorFilters, parentCycle } from '../tree-rules.js';

/** What runs on devices and virtual machines; a tree. */
export const platform = defineModel('dcim.platform', {
  path: 'dcim/platforms',
  objectName: 'Platform',
  verboseName: 'platform',
  verboseNamePlural: 'platforms',
  tree: true,
  settlesAfterUpdate: true,
  fields: {
    ...common.identity,
    parent: ref('dcim.platform', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentShape,
    }),
    name: common.requiredName,
    slug: common.requiredSlug,
    manufacturer: ref('dcim.manufacturer', { nullable: true }),
    config_template: ref('extras.configtemplate', { nullable: true, filterBy: null }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    device_count: countOf('dcim.device', { via: 'platform', cumulative: true }),
    virtualmachine_count: countOf('virtualization.virtualmachine', { via: 'platform', cumulative: true }),
    _depth: common.treeDepth,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'device_count', 'virtualmachine_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.searchIn('name', 'slug', 'description', 'comments'),
  constraints: [
    parentCycle('dcim_platform', 'platform'),
    { name: 'dcim_platform_manufacturer_id_name_key', fields: ['manufacturer', 'name'] },
    { name: 'dcim_platform_manufacturer_id_slug_key', fields: ['manufacturer', 'slug'] },
    {
      name: 'dcim_platform_name',
      fields: ['name'],
      whereNull: 'manufacturer',
      key: '__all__',
      message: 'Platform name must be unique.',
    },
    {
      name: 'dcim_platform_slug',
      fields: ['slug'],
      whereNull: 'manufacturer',
      key: '__all__',
      message: 'Platform slug must be unique.',
    },
  ],
  // DRAFT rules: tree since 4.4; name/slug unique per manufacturer and globally when no manufacturer; limited to device types of its manufacturer
  // DRAFT filters: available_for_device_type (object, no lookups): platforms without manufacturer or of the device type manufacturer
  filters: ancestorFilters('dcim_platform'),
});
