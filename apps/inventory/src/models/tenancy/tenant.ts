import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from './contact-filters.js';

/** Model of a tenant, such as a customer or department. */
export const tenantModel = defineModel('tenancy.tenant', {
  path: 'tenancy/tenants',
  objectName: 'Tenant',
  verboseName: 'tenant',
  verboseNamePlural: 'tenants',
  resetOnPut: ['group'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    group: referenceField('tenancy.tenantgroup', { nullable: true, onDelete: 'set_null' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    circuit_count: referringObjectCountField('circuits.circuit', { via: 'tenant' }),
    device_count: referringObjectCountField('dcim.device', { via: 'tenant' }),
    ipaddress_count: referringObjectCountField('ipam.ipaddress', { via: 'tenant' }),
    prefix_count: referringObjectCountField('ipam.prefix', { via: 'tenant' }),
    rack_count: referringObjectCountField('dcim.rack', { via: 'tenant' }),
    site_count: referringObjectCountField('dcim.site', { via: 'tenant' }),
    virtualmachine_count: referringObjectCountField('virtualization.virtualmachine', { via: 'tenant' }),
    vlan_count: referringObjectCountField('ipam.vlan', { via: 'tenant' }),
    vrf_count: referringObjectCountField('ipam.vrf', { via: 'tenant' }),
    cluster_count: referringObjectCountField('virtualization.cluster', { via: 'tenant' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description', 'comments'),
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
 * Filters of objects by the tenant group of the object's tenant: `tenant_group` compares the slug, and
 * `tenant_group_id` the id. A filter by a tenant group also matches tenants of the groups below it.
 */
export const tenantGroupFilters: readonly ModelFilterFactory[] = [referencePathFilters('tenant_group', 'tenant.group')];
