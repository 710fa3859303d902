import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { integerField } from '../../engine/field-types/number.js';
import * as common from '../shared-model-fields.js';

/** Model of a role of prefixes, IP ranges and VLANs. */
export const roleModel = defineModel('ipam.role', {
  path: 'ipam/roles',
  objectName: 'Role',
  verboseName: 'role',
  verboseNamePlural: 'roles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    weight: integerField({ default: 1000, min: 0, max: 32_767 }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    prefix_count: referringObjectCountField('ipam.prefix', { via: 'role' }),
    vlan_count: referringObjectCountField('ipam.vlan', { via: 'role' }),
    asn_count: referringObjectCountField('ipam.asn', { via: 'role' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'prefix_count', 'vlan_count', 'asn_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'ipam_role_name_key', fields: ['name'] },
    { name: 'ipam_role_slug_key', fields: ['slug'] },
  ],
});
