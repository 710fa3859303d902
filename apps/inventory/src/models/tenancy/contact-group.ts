import { defineModel } from '../../engine/declaration/define-model.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { manyToManyCountField } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createParentCycleConstraint } from '../tree-rules.js';

/** Model of a group of contacts. Contact groups form a tree. */
export const contactGroupModel = defineModel('tenancy.contactgroup', {
  path: 'tenancy/contact-groups',
  objectName: 'ContactGroup',
  verboseName: 'contact group',
  verboseNamePlural: 'contact groups',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    parent: referenceField('tenancy.contactgroup', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    contact_count: manyToManyCountField(
      { table: 'tenancy_contact_groups', own: 'contactgroup_id', other: 'contact_id' },
      { cumulative: true, metadataType: 'integer' },
    ),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'contact_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: [
    createParentCycleConstraint('tenancy_contactgroup', 'contact group'),
    { name: 'tenancy_contactgroup_parent_id_name_key', fields: ['parent', 'name'] },
  ],
  filters: [
    ...createTreeAncestorFilters('tenancy_contactgroup'),
    relatedObjectFilter('contact_id', [resolveStepToReferringObjects('tenancy.contact', 'groups')]),
  ],
});
