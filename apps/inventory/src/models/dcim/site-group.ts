import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createTreeConstraints } from '../tree-rules.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { createScopedObjectCountField } from './scope-filters.js';

/** Model of a group of sites with a common function. Site groups form a tree. */
export const siteGroupModel = defineModel('dcim.sitegroup', {
  path: 'dcim/site-groups',
  objectName: 'SiteGroup',
  verboseName: 'site group',
  verboseNamePlural: 'site groups',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    parent: referenceField('dcim.sitegroup', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    site_count: referringObjectCountField('dcim.site', { via: 'group', cumulative: true, metadataType: 'integer' }),
    prefix_count: createScopedObjectCountField('ipam.prefix', 'dcim.sitegroup'),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'site_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: createTreeConstraints('dcim_sitegroup', 'site group'),
  filters: [...contactFilters, ...createTreeAncestorFilters('dcim_sitegroup')],
});
