import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** Model of a group of clusters. */
export const clusterGroupModel = defineModel('virtualization.clustergroup', {
  path: 'virtualization/cluster-groups',
  objectName: 'ClusterGroup',
  verboseName: 'cluster group',
  verboseNamePlural: 'cluster groups',
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
    cluster_count: referringObjectCountField('virtualization.cluster', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'cluster_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'virtualization_clustergroup_name_key', fields: ['name'] },
    { name: 'virtualization_clustergroup_slug_key', fields: ['slug'] },
  ],
  filters: contactFilters,
});
