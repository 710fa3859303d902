import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createTreeConstraints } from '../tree-rules.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { createScopedObjectCountField } from './scope-filters.js';

/** Model of a region: a geographic area that contains sites. Regions form a tree. */
export const regionModel = defineModel('dcim.region', {
  path: 'dcim/regions',
  objectName: 'Region',
  verboseName: 'region',
  verboseNamePlural: 'regions',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    parent: referenceField('dcim.region', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    site_count: referringObjectCountField('dcim.site', { via: 'region', cumulative: true, metadataType: 'integer' }),
    prefix_count: createScopedObjectCountField('ipam.prefix', 'dcim.region'),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'site_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: createTreeConstraints('dcim_region', 'region'),
  filters: [...contactFilters, ...createTreeAncestorFilters('dcim_region')],
});
