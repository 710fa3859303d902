import { defineModel } from '../../engine/declaration/model.js';
import { viaPath } from '../../engine/filter/path-filter.js';
import type { FilterSource } from '../../engine/filter/filter.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../field-groups.js';
import { contactFilters } from './contact-filters.js';

/** A tenant, such as a customer or department. */
export const tenant = defineModel('tenancy.tenant', {
  path: 'tenancy/tenants',
  objectName: 'Tenant',
  verboseName: 'tenant',
  verboseNamePlural: 'tenants',
  resetOnPut: ['group'],
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    group: referenceField('tenancy.tenantgroup', { nullable: true, onDelete: 'set_null' }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    circuit_count: countOf('circuits.circuit', { via: 'tenant' }),
    device_count: countOf('dcim.device', { via: 'tenant' }),
    ipaddress_count: countOf('ipam.ipaddress', { via: 'tenant' }),
    prefix_count: countOf('ipam.prefix', { via: 'tenant' }),
    rack_count: countOf('dcim.rack', { via: 'tenant' }),
    site_count: countOf('dcim.site', { via: 'tenant' }),
    virtualmachine_count: countOf('virtualization.virtualmachine', { via: 'tenant' }),
    vlan_count: countOf('ipam.vlan', { via: 'tenant' }),
    vrf_count: countOf('ipam.vrf', { via: 'tenant' }),
    cluster_count: countOf('virtualization.cluster', { via: 'tenant' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description', 'comments'),
  constraints: [
    {
      name: 'tenancy_tenant_group_id_name_key',
      fields: ['group', 'name'],
      message: 'Tenant name must be unique per group.',
    },
    {
      name: 'tenancy_tenant_group_id_slug_key',
      fields: ['group', 'slug'],
      message: 'Tenant slug must be unique per group.',
    },
    ...(['name', 'slug'] as const).map((field) => ({
      name: `tenancy_tenant_unique_${field}`,
      fields: [field],
      whereNull: 'group',
      key: '__all__',
      message: `Tenant ${field} must be unique among tenants without a group.`,
    })),
  ],
  filters: contactFilters,
});

/**
 * Filters of objects with a tenant by the tenant's group: `tenant_group` by slug and `tenant_group_id` by id. A group
 * includes the groups below it.
 */
export const tenantGroupFilters: readonly FilterSource[] = [viaPath('tenant_group', 'tenant.group')];
