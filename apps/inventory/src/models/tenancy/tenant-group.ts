import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { createTreeAncestorFilters, createParentCycleConstraint } from '../tree-rules.js';

/** Model of a group of tenants. Tenant groups form a tree. */
export const tenantGroupModel = defineModel('tenancy.tenantgroup', {
  path: 'tenancy/tenant-groups',
  objectName: 'TenantGroup',
  verboseName: 'tenant group',
  verboseNamePlural: 'tenant groups',
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    parent: referenceField('tenancy.tenantgroup', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    tenant_count: referringObjectCountField('tenancy.tenant', {
      via: 'group',
      cumulative: true,
      metadataType: 'integer',
    }),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'tenant_count', '_depth'],
  order: [{ sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
  constraints: [
    { name: 'tenancy_tenantgroup_name_key', fields: ['name'] },
    { name: 'tenancy_tenantgroup_slug_key', fields: ['slug'] },
    createParentCycleConstraint('tenancy_tenantgroup', 'tenant group'),
  ],
  filters: createTreeAncestorFilters('tenancy_tenantgroup'),
});
