import { defineModel } from '../../engine/declaration/define-model.js';
import { pathFilters } from '../../engine/filter/path-filter.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
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
    circuit_count: referringCountField('circuits.circuit', { via: 'tenant' }),
    device_count: referringCountField('dcim.device', { via: 'tenant' }),
    ipaddress_count: referringCountField('ipam.ipaddress', { via: 'tenant' }),
    prefix_count: referringCountField('ipam.prefix', { via: 'tenant' }),
    rack_count: referringCountField('dcim.rack', { via: 'tenant' }),
    site_count: referringCountField('dcim.site', { via: 'tenant' }),
    virtualmachine_count: referringCountField('virtualization.virtualmachine', { via: 'tenant' }),
    vlan_count: referringCountField('ipam.vlan', { via: 'tenant' }),
    vrf_count: referringCountField('ipam.vrf', { via: 'tenant' }),
    cluster_count: referringCountField('virtualization.cluster', { via: 'tenant' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchTermsInFields('name', 'slug', 'description', 'comments'),
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
export const tenantGroupFilters: readonly CreateFilters[] = [pathFilters('tenant_group', 'tenant.group')];
