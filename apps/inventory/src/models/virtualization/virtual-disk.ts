import { defineModel } from '../../engine/declaration/define-model.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a disk of a virtual machine. */
export const virtualDiskModel = defineModel('virtualization.virtualdisk', {
  path: 'virtualization/virtual-disks',
  objectName: 'VirtualDisk',
  verboseName: 'virtual disk',
  verboseNamePlural: 'virtual disks',
  fields: {
    ...common.identityFields,
    virtual_machine: referenceField('virtualization.virtualmachine', {
      required: true,
      onDelete: 'cascade',
      filterBy: 'name',
    }),
    name: textField({ max: 64, required: true }),
    description: common.descriptionField,
    size: integerField({ required: true, min: 0, max: 2_147_483_647, label: 'size (MB)' }),
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'virtual_machine',
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'virtual_machine', 'name', 'description', 'size'],
  order: [{ field: 'virtual_machine' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'virtualization_virtualdisk_virtual_machine_id_name_key', fields: ['virtual_machine', 'name'] },
    {
      name: 'virtualization_virtualdisk_total',
      key: 'size',
      message: 'The disks of a virtual machine must be less than or equal to 2147483647 together.',
    },
  ],
});
