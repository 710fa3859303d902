import type { ModelField, FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField, referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { createJsonValueFragment, type SqlText } from '../../engine/sql/json-text-sql.js';
import * as place from '../dcim/scope-fields.js';
import { placeScopeFilters } from '../dcim/scope-filters.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const clusterStatusChoices = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  offline: 'Offline',
};

/**
 * Creates a field of a cluster with the sum of a resource, such as memory, over the cluster's virtual machines. The sum
 * is null if no virtual machine has a value for the resource.
 */
function createResourceSumField(column: string, type: 'integer' | 'number'): ModelField {
  const sum = ({ alias, scope }: FieldSqlContext): SqlText => {
    const machine = scope.alias();
    return `(SELECT sum(${machine}.${column}) FROM virtualization_virtualmachine ${machine} WHERE ${machine}.cluster_id = ${alias}.id)`;
  };
  return computedField({
    json: (place) => [createJsonValueFragment(sum(place))],
    order: (place) => [sum(place)],
    schema: { type: [type, 'null'] },
    metadataType: type === 'number' ? 'decimal' : type,
  });
}

/** Model of a cluster: a group of hosts that run virtual machines. */
export const clusterModel = defineModel('virtualization.cluster', {
  path: 'virtualization/clusters',
  objectName: 'Cluster',
  verboseName: 'cluster',
  verboseNamePlural: 'clusters',
  resetOnPut: ['group', 'scope_type', 'scope_id'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    type: referenceField('virtualization.clustertype', { required: true }),
    group: referenceField('virtualization.clustergroup', { nullable: true }),
    status: choiceField(clusterStatusChoices, { default: 'active' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    ...place.placeScopeFields,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringObjectCountField('dcim.device', { via: 'cluster' }),
    virtualmachine_count: referringObjectCountField('virtualization.virtualmachine', { via: 'cluster' }),
    allocated_vcpus: createResourceSumField('vcpus', 'number'),
    allocated_memory: createResourceSumField('memory', 'integer'),
    allocated_disk: createResourceSumField('disk', 'integer'),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'virtualmachine_count'],
  nested: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [
    { name: 'virtualization_cluster_group_id_name_key', fields: ['group', 'name'] },
    {
      name: 'virtualization_cluster__site_id_name_key',
      key: '__all__',
      message: 'Cluster with this Site and Name already exists.',
    },
    { name: 'virtualization_cluster_hosts', key: 'scope' },
  ],
  filters: [...contactFilters, ...tenantGroupFilters, placeScopeFilters],
});
