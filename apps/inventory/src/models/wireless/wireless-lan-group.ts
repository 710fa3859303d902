import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createParentCycleConstraint } from '../tree-rules.js';

/** Model of a group of wireless LANs. The groups form a tree. */
export const wirelessLanGroupModel = defineModel('wireless.wirelesslangroup', {
  path: 'wireless/wireless-lan-groups',
  objectName: 'WirelessLANGroup',
  verboseName: 'wireless LAN group',
  verboseNamePlural: 'wireless LAN groups',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    parent: referenceField('wireless.wirelesslangroup', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    wirelesslan_count: referringObjectCountField('wireless.wirelesslan', {
      via: 'group',
      cumulative: true,
      metadataType: 'integer',
    }),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'wirelesslan_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: [
    createParentCycleConstraint('wireless_wirelesslangroup', 'wireless LAN group'),
    { name: 'wireless_wirelesslangroup_name_key', fields: ['name'] },
    { name: 'wireless_wirelesslangroup_slug_key', fields: ['slug'] },
    { name: 'wireless_wirelesslangroup_parent_id_name_key', fields: ['parent', 'name'] },
  ],
  filters: createTreeAncestorFilters('wireless_wirelesslangroup'),
});
