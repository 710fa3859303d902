import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { treeAncestorFilters, treeConstraints } from '../tree-rules.js';

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
      shape: common.treeParentShape,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringCountField('dcim.device', { via: 'role', cumulative: true, metadataType: 'integer' }),
    virtualmachine_count: referringCountField('virtualization.virtualmachine', {
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
  search: common.searchTermsInFields('name', 'slug', 'description', 'comments'),
  constraints: treeConstraints('dcim_devicerole', 'device role'),
  filters: treeAncestorFilters('dcim_devicerole'),
});
