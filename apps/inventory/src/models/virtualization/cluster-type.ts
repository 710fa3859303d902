import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';

/** Model of a type of clusters, such as a virtualization technology. */
export const clusterTypeModel = defineModel('virtualization.clustertype', {
  path: 'virtualization/cluster-types',
  objectName: 'ClusterType',
  verboseName: 'cluster type',
  verboseNamePlural: 'cluster types',
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
    cluster_count: referringObjectCountField('virtualization.cluster', { via: 'type' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'cluster_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'virtualization_clustertype_name_key', fields: ['name'] },
    { name: 'virtualization_clustertype_slug_key', fields: ['slug'] },
  ],
});
