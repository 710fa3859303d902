import { defineModel } from '../../engine/declaration/define-model.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { treeAncestorFilters, treeConstraints } from '../tree-rules.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { countObjectsInScopeField } from './scope-filters.js';

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
      shape: common.treeParentShape,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    site_count: referringCountField('dcim.site', { via: 'group', cumulative: true, metadataType: 'integer' }),
    prefix_count: countObjectsInScopeField('ipam.prefix', 'dcim.sitegroup'),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'site_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.searchTermsInFields('name', 'slug', 'description', 'comments'),
  constraints: treeConstraints('dcim_sitegroup', 'site group'),
  filters: [...contactFilters, ...treeAncestorFilters('dcim_sitegroup')],
});
