import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../field-groups.js';
import { ancestorFilters, treeConstraints } from '../tree-rules.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { countOfObjectsInScope } from './scope-filters.js';

/** A group of sites by function, in a tree. */
export const siteGroup = defineModel('dcim.sitegroup', {
  path: 'dcim/site-groups',
  objectName: 'SiteGroup',
  verboseName: 'site group',
  verboseNamePlural: 'site groups',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    parent: referenceField('dcim.sitegroup', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentShape,
    }),
    description: common.description,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    site_count: countOf('dcim.site', { via: 'group', cumulative: true, metadataType: 'integer' }),
    prefix_count: countOfObjectsInScope('ipam.prefix', 'dcim.sitegroup'),
    owner: common.owner,
    comments: common.comments,
    _depth: common.treeDepth,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'site_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.searchIn('name', 'slug', 'description', 'comments'),
  constraints: treeConstraints('dcim_sitegroup', 'site group'),
  filters: [...contactFilters, ...ancestorFilters('dcim_sitegroup')],
});
