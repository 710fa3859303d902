import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createTreeConstraints } from '../tree-rules.js';

/** Model of a role of devices and virtual machines. Roles form a tree. */
export const deviceRoleModel = defineModel('dcim.devicerole', {
  path: 'dcim/device-roles',
  objectName: 'DeviceRole',
  verboseName: 'device role',
  verboseNamePlural: 'device roles',
  resetOnPut: ['config_template', 'parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    color: colorField({ default: '9e9e9e' }),
    vm_role: booleanField({ default: true, label: 'VM role' }),
    config_template: referenceField('extras.configtemplate', { nullable: true, filterBy: null }),
    parent: referenceField('dcim.devicerole', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringObjectCountField('dcim.device', { via: 'role', cumulative: true, metadataType: 'integer' }),
    virtualmachine_count: referringObjectCountField('virtualization.virtualmachine', {
      via: 'role',
      cumulative: true,
      metadataType: 'integer',
    }),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'device_count', 'virtualmachine_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: createTreeConstraints('dcim_devicerole', 'device role'),
  filters: createTreeAncestorFilters('dcim_devicerole'),
});
