import { defineModel } from '../../engine/declaration/define-model.js';
import { singleObjectFilter } from '../../engine/filter/single-object-filter.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createParentCycleConstraint } from '../tree-rules.js';

/** Model of a platform of devices and virtual machines, such as an operating system. Platforms form a tree. */
export const platformModel = defineModel('dcim.platform', {
  path: 'dcim/platforms',
  objectName: 'Platform',
  verboseName: 'platform',
  verboseNamePlural: 'platforms',
  resetOnPut: ['parent', 'config_template'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    parent: referenceField('dcim.platform', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    manufacturer: referenceField('dcim.manufacturer', { nullable: true }),
    config_template: referenceField('extras.configtemplate', { nullable: true, filterBy: null }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringObjectCountField('dcim.device', {
      via: 'platform',
      cumulative: true,
      metadataType: 'integer',
    }),
    virtualmachine_count: referringObjectCountField('virtualization.virtualmachine', {
      via: 'platform',
      cumulative: true,
      metadataType: 'integer',
    }),
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'device_count', 'virtualmachine_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: [
    createParentCycleConstraint('dcim_platform', 'platform'),
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
  filters: [
    ...createTreeAncestorFilters('dcim_platform'),
    // Platforms for devices of a type: those of its manufacturer, and those without a manufacturer.
    singleObjectFilter(
      'available_for_device_type',
      { table: 'dcim_devicetype' },
      'id',
      (alias, ids) =>
        `(${alias}.manufacturer_id IS NULL OR ${alias}.manufacturer_id IN (SELECT t.manufacturer_id FROM dcim_devicetype t WHERE t.id = ANY (${ids})))`,
    ),
  ],
});
