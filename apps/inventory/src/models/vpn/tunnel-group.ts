import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** Model of a group of VPN tunnels. */
export const tunnelGroupModel = defineModel('vpn.tunnelgroup', {
  path: 'vpn/tunnel-groups',
  objectName: 'TunnelGroup',
  verboseName: 'tunnel group',
  verboseNamePlural: 'tunnel groups',
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
    tunnel_count: referringObjectCountField('vpn.tunnel', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'tunnel_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  filters: contactFilters,
  constraints: [
    { name: 'vpn_tunnelgroup_name_key', fields: ['name'] },
    { name: 'vpn_tunnelgroup_slug_key', fields: ['slug'] },
  ],
});
