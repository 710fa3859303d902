import { defineModel } from '../../engine/declaration/define-model.js';
import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { manyToManyField, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import {
  servicePortsField,
  serviceProtocolField,
  requireServiceProtocol,
  createServiceNameSql,
} from './service-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

const serviceParentTypes = ['dcim.device', 'ipam.fhrpgroup', 'virtualization.virtualmachine'];

const referencePathToDevice = [resolveStepToGenericTarget('parent', 'dcim.device')] as const;
const referencePathToVirtualMachine = [resolveStepToGenericTarget('parent', 'virtualization.virtualmachine')] as const;
const referencePathToFhrpGroup = [resolveStepToGenericTarget('parent', 'ipam.fhrpgroup')] as const;

const serviceAddressJoinTable = { table: 'ipam_service_ipaddresses', own: 'service_id', other: 'ipaddress_id' };

/** SQL table expression of IP addresses as text with mask length. Filters compare the text. */
const ipAddressTextsSql = {
  table: `(SELECT id, host(address) || '/' || masklen(address) AS address FROM ipam_ipaddress) written`,
};

/**
 * Filters of services by the device, virtual machine or FHRP group to which the service belongs. A filter value that
 * names no object matches no services (docs/contract/inventory.md 9.4).
 */
const serviceParentFilters: readonly ModelFilterFactory[] = [
  relatedFilterIgnoringUnknownIds('device', [referencePathToDevice], 'name'),
  relatedFilterIgnoringUnknownIds('device_id', [referencePathToDevice], 'id'),
  relatedFilterIgnoringUnknownIds('virtual_machine', [referencePathToVirtualMachine], 'name'),
  relatedFilterIgnoringUnknownIds('virtual_machine_id', [referencePathToVirtualMachine], 'id'),
  relatedFilterIgnoringUnknownIds('fhrpgroup', [referencePathToFhrpGroup], 'name'),
  relatedFilterIgnoringUnknownIds('fhrpgroup_id', [referencePathToFhrpGroup], 'id'),
];

/**
 * Model of a network service of a device, virtual machine or FHRP group. The service uses some of the IP addresses of
 * its parent.
 */
export const serviceModel = defineModel('ipam.service', {
  path: 'ipam/services',
  objectName: 'Service',
  verboseName: 'application service',
  verboseNamePlural: 'application services',
  fields: {
    ...common.identityFields,
    parent_object_type: objectTypeField(serviceParentTypes, { required: true }),
    parent_object_id: integerField({ required: true, min: 0 }),
    parent: genericObjectField({ type: 'parent_object_type', id: 'parent_object_id', allowed: serviceParentTypes }),
    name: textField({ max: 100, required: true }),
    protocol: serviceProtocolField,
    ports: servicePortsField,
    ipaddresses: manyToManyField('ipam.ipaddress', { join: serviceAddressJoinTable, label: 'IP addresses' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: createServiceNameSql,
  brief: ['id', 'url', 'display', 'name', 'protocol', 'ports', 'description'],
  order: [{ field: 'protocol' }, { sql: (alias) => `(SELECT min(port) FROM unnest(${alias}.ports) port)` }],
  search: common.createFieldSearchTerms('name', 'description'),
  rules: [requireServiceProtocol],
  filters: [
    ...contactFilters,
    ...serviceParentFilters,
    ...manyToManyFilters('ip_address', ipAddressTextsSql, serviceAddressJoinTable, 'address'),
  ],
});
