import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { referencePathFilters, relatedFieldFilter, relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createConfigContextField, localContextDataField } from '../config-context-data.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import * as addresses from '../primary-address-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const virtualMachineStatusChoices = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  decommissioning: 'Decommissioning',
  paused: 'Paused',
};

const virtualMachineStartOnBootChoices = { on: 'On', off: 'Off', laststate: 'Last State' };

/** Model of a virtual machine, which belongs to a cluster, a site or a device. */
export const virtualMachineModel = defineModel('virtualization.virtualmachine', {
  path: 'virtualization/virtual-machines',
  objectName: 'VirtualMachine',
  verboseName: 'virtual machine',
  verboseNamePlural: 'virtual machines',
  resetOnPut: ['virtual_machine_type', 'site', 'cluster', 'device', 'tenant', 'config_template'],
  fields: {
    ...common.identityFields,
    name: textField({ max: 64, required: true }),
    virtual_machine_type: referenceField('virtualization.virtualmachinetype', { nullable: true }),
    role: referenceField('dcim.devicerole', { nullable: true }),
    status: choiceField(virtualMachineStatusChoices, { default: 'active' }),
    start_on_boot: choiceField(virtualMachineStartOnBootChoices, { default: 'off' }),
    site: referenceField('dcim.site', { nullable: true }),
    cluster: referenceField('virtualization.cluster', { nullable: true, filterBy: 'name' }),
    device: referenceField('dcim.device', { nullable: true, filterBy: 'name' }),
    platform: referenceField('dcim.platform', { nullable: true, onDelete: 'set_null' }),
    primary_ip: addresses.primaryIpField,
    primary_ip4: addresses.primaryAddressReferenceField,
    primary_ip6: addresses.primaryAddressReferenceField,
    vcpus: decimalField({ digits: 6, places: 2, nullable: true, min: 0.01, label: 'vCPUs' }),
    memory: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'memory (MB)' }),
    disk: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'disk (MB)' }),
    description: common.descriptionField,
    serial: textField({ max: 50, label: 'serial number' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    local_context_data: localContextDataField,
    config_template: referenceField('extras.configtemplate', { nullable: true, filterBy: null }),
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    interface_count: referringObjectCountField('virtualization.vminterface', {
      via: 'virtual_machine',
      filter: true,
      metadataType: 'integer',
    }),
    virtual_disk_count: referringObjectCountField('virtualization.virtualdisk', {
      via: 'virtual_machine',
      filter: true,
      metadataType: 'integer',
    }),
    config_context: createConfigContextField({}),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }, { field: 'id' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.serial`, lookup: 'icontains' },
    addresses.primaryAddressSearchTerm,
  ],
  constraints: [
    { name: 'virtualization_virtualmachine_primary_ip4_id_key', fields: ['primary_ip4'] },
    { name: 'virtualization_virtualmachine_primary_ip6_id_key', fields: ['primary_ip6'] },
    {
      name: 'virtualization_virtualmachine_unique_name_cluster_tenant',
      key: '__all__',
      message: 'Virtual machine name must be unique per cluster and tenant.',
    },
    {
      name: 'virtualization_virtualmachine_unique_name_cluster',
      key: '__all__',
      message: 'Virtual machine name must be unique per cluster.',
    },
    {
      name: 'virtualization_virtualmachine_unique_name_device_tenant',
      key: '__all__',
      message: 'Virtual machine name must be unique per device and tenant.',
    },
    {
      name: 'virtualization_virtualmachine_unique_name_device',
      key: '__all__',
      message: 'Virtual machine name must be unique per device.',
    },
    {
      name: 'virtualization_virtualmachine_place_check',
      key: '__all__',
      message: 'A virtual machine must be assigned to a site, cluster, or device.',
    },
    { name: 'virtualization_virtualmachine_cluster_site', key: 'cluster' },
    { name: 'virtualization_virtualmachine_device_site', key: 'site' },
    { name: 'virtualization_virtualmachine_device_cluster', key: 'cluster' },
    { name: 'virtualization_virtualmachine_cluster_device', key: 'device' },
    { name: 'virtualization_virtualmachine_disk', key: 'disk' },
    { name: 'virtualization_virtualmachine_primary_ip4', key: 'primary_ip4' },
    { name: 'virtualization_virtualmachine_primary_ip6', key: 'primary_ip6' },
  ],
  filters: [
    ...contactFilters,
    ...tenantGroupFilters,
    relatedObjectFilter('primary_ip4', 'primary_ip4', { by: 'address' }),
    relatedObjectFilter('primary_ip6', 'primary_ip6', { by: 'address' }),
    relatedFieldFilter(
      'mac_address',
      [
        resolveStepToReferringObjects('virtualization.vminterface', 'virtual_machine'),
        resolveStepToReferringObjects('dcim.macaddress', 'assigned_object'),
      ],
      'mac_address',
    ),
    referencePathFilters('cluster_group', 'cluster.group'),
    referencePathFilters('cluster_type', 'cluster.type'),
    referencePathFilters('region', 'site.region'),
    referencePathFilters('site_group', 'site.group'),
    booleanFilter('local_context_data', (alias) => `(${alias}.local_context_data IS NOT NULL)`),
    booleanFilter('has_primary_ip', (alias) => `(num_nonnulls(${alias}.primary_ip4_id, ${alias}.primary_ip6_id) > 0)`),
  ],
});
