import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { integer } from '../../engine/field-types/number.js';
import * as common from '../field-groups.js';

/** A role of prefixes, IP ranges and VLANs. */
export const role = defineModel('ipam.role', {
  path: 'ipam/roles',
  objectName: 'Role',
  verboseName: 'role',
  verboseNamePlural: 'roles',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    weight: integer({ default: 1000, min: 0, max: 32_767 }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    prefix_count: countOf('ipam.prefix', { via: 'role' }),
    vlan_count: countOf('ipam.vlan', { via: 'role' }),
    asn_count: countOf('ipam.asn', { via: 'role' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'prefix_count', 'vlan_count', 'asn_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'ipam_role_name_key', fields: ['name'] },
    { name: 'ipam_role_slug_key', fields: ['slug'] },
  ],
});
