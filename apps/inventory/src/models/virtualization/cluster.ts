import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { countOf } from '../../engine/kinds/computed.js';
import { ref } from '../../engine/kinds/relation.js';
import * as place from '../dcim/scope-fields.js';
import { scopeFilters } from '../dcim/scope-filters.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const clusterStatus = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  offline: 'Offline',
};

/** Hosts on which virtual machines run. */
export const cluster = defineModel('virtualization.cluster', {
  path: 'virtualization/clusters',
  objectName: 'Cluster',
  verboseName: 'cluster',
  verboseNamePlural: 'clusters',
  fields: {
    ...common.identity,
    name: common.requiredName,
    type: ref('virtualization.clustertype', { required: true }),
    group: ref('virtualization.clustergroup', { nullable: true }),
    status: choice(clusterStatus, { default: 'active' }),
    tenant: ref('tenancy.tenant', { nullable: true }),
    ...place.scopeFields,
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    device_count: countOf('dcim.device', { via: 'cluster' }),
    virtualmachine_count: countOf('virtualization.virtualmachine', { via: 'cluster' }),
    // DRAFT field: allocated_vcpus (computed decimal); allocated_memory (computed integer); allocated_disk (computed integer)
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'virtualmachine_count'],
  nested: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description', 'comments'),
  constraints: [
    { name: 'virtualization_cluster_group_id_name_key', fields: ['group', 'name'] },
    {
      name: 'virtualization_cluster__site_id_name_key',
      key: '__all__',
      message: 'DRAFT message: _site_id, name must differ.',
    },
  ],
  // DRAFT rules: name unique per group and per site; scope as prefixes; scope site must match devices in it; VMs follow the site of the cluster; allocated_* are sums
  // DRAFT filters: contact (object_multi, n), contact_role (object_multi, n), contact_group (tree_node, n): by contact assignments
  filters: [...tenantGroupFilters, scopeFilters],
});
