import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { manyToManyCountField } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import * as addresses from '../primary-address-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const virtualDeviceContextStatusChoices = { active: 'Active', planned: 'Planned', offline: 'Offline' };

/** Model of a virtual device context: a part of a device that acts as a separate device. */
export const virtualDeviceContextModel = defineModel('dcim.virtualdevicecontext', {
  path: 'dcim/virtual-device-contexts',
  objectName: 'VirtualDeviceContext',
  verboseName: 'virtual device context',
  verboseNamePlural: 'virtual device contexts',
  resetOnPut: ['identifier', 'tenant'],
  fields: {
    ...common.identityFields,
    name: textField({ max: 64, required: true }),
    device: referenceField('dcim.device', { required: true, filterBy: null }),
    identifier: integerField({ nullable: true, min: 0, max: 32_767 }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    primary_ip: addresses.primaryIpField,
    primary_ip4: addresses.primaryAddressReferenceField,
    primary_ip6: addresses.primaryAddressReferenceField,
    status: choiceField(virtualDeviceContextStatusChoices, { required: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    interface_count: manyToManyCountField({
      table: 'dcim_interface_vdcs',
      own: 'virtualdevicecontext_id',
      other: 'interface_id',
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'identifier', 'device', 'description'],
  nested: ['id', 'url', 'display', 'name', 'device', 'identifier', 'description'],
  order: [{ field: 'name' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.identifier`, lookup: 'number' },
  ],
  constraints: [
    { name: 'dcim_virtualdevicecontext_primary_ip4_id_key', fields: ['primary_ip4'] },
    { name: 'dcim_virtualdevicecontext_primary_ip6_id_key', fields: ['primary_ip6'] },
    { name: 'dcim_virtualdevicecontext_primary_ip4_rule', key: 'primary_ip4' },
    { name: 'dcim_virtualdevicecontext_primary_ip6_rule', key: 'primary_ip6' },
    { name: 'dcim_virtualdevicecontext_device_id_identifier_key', fields: ['device', 'identifier'] },
    { name: 'dcim_virtualdevicecontext_device_id_name_key', fields: ['device', 'name'] },
  ],
  filters: [
    ...tenantGroupFilters,
    relatedObjectFilter('device', 'device'),
    relatedObjectFilter('primary_ip4', 'primary_ip4', { by: 'address' }),
    relatedObjectFilter('primary_ip6', 'primary_ip6', { by: 'address' }),
    relatedObjectFilter('interface_id', [resolveStepToReferringObjects('dcim.interface', 'vdcs')]),
    booleanFilter('has_primary_ip', (alias) => `(num_nonnulls(${alias}.primary_ip4_id, ${alias}.primary_ip6_id) > 0)`),
  ],
});
