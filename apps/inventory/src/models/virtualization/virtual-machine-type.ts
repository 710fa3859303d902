import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';

/** Model of a virtual machine type: default values for virtual machines. */
export const virtualMachineTypeModel = defineModel('virtualization.virtualmachinetype', {
  path: 'virtualization/virtual-machine-types',
  objectName: 'VirtualMachineType',
  verboseName: 'virtual machine type',
  verboseNamePlural: 'virtual machine types',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    default_platform: referenceField('dcim.platform', { nullable: true, onDelete: 'set_null' }),
    default_vcpus: decimalField({ digits: 6, places: 2, nullable: true, min: 0.01, label: 'default vCPUs' }),
    default_memory: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'default memory (MB)' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    virtual_machine_count: referringObjectCountField('virtualization.virtualmachine', {
      via: 'virtual_machine_type',
      filter: true,
      metadataType: 'integer',
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [
    { name: 'virtualization_virtualmachinetype_slug_key', fields: ['slug'] },
    {
      name: 'virtualization_virtualmachinetype_unique_name',
      key: '__all__',
      message: 'Virtual machine type name must be unique.',
    },
  ],
});
