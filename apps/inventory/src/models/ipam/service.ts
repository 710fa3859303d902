import { defineModel } from '../../engine/declaration/define-model.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { manyToManyField, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { servicePortsField, serviceProtocolField, requireServiceProtocol, serviceNameSql } from './service-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

const serviceParentTypes = ['dcim.device', 'ipam.fhrpgroup', 'virtualization.virtualmachine'];

const pathToDevice = [resolveStepToGenericTarget('parent', 'dcim.device')] as const;
const pathToMachine = [resolveStepToGenericTarget('parent', 'virtualization.virtualmachine')] as const;
const pathToFhrpGroup = [resolveStepToGenericTarget('parent', 'ipam.fhrpgroup')] as const;

const serviceAddressTable = { table: 'ipam_service_ipaddresses', own: 'service_id', other: 'ipaddress_id' };

/** SQL table expression of IP addresses as text with mask length. Filters compare the text. */
const addressTextsSql = {
  table: `(SELECT id, host(address) || '/' || masklen(address) AS address FROM ipam_ipaddress) written`,
};

/**
 * Filters of services by the device, virtual machine or FHRP group to which the service belongs. A filter value that
 * names no object matches no services (docs/contract/inventory.md 9.4).
 */
const serviceParentFilters: readonly CreateFilters[] = [
  relatedFilterIgnoringUnknownIds('device', [pathToDevice], 'name'),
  relatedFilterIgnoringUnknownIds('device_id', [pathToDevice], 'id'),
  relatedFilterIgnoringUnknownIds('virtual_machine', [pathToMachine], 'name'),
  relatedFilterIgnoringUnknownIds('virtual_machine_id', [pathToMachine], 'id'),
  relatedFilterIgnoringUnknownIds('fhrpgroup', [pathToFhrpGroup], 'name'),
  relatedFilterIgnoringUnknownIds('fhrpgroup_id', [pathToFhrpGroup], 'id'),
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
    ipaddresses: manyToManyField('ipam.ipaddress', { join: serviceAddressTable, label: 'IP addresses' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: serviceNameSql,
  brief: ['id', 'url', 'display', 'name', 'protocol', 'ports', 'description'],
  order: [{ field: 'protocol' }, { sql: (alias) => `(SELECT min(port) FROM unnest(${alias}.ports) port)` }],
  search: common.searchTermsInFields('name', 'description'),
  rules: [requireServiceProtocol],
  filters: [
    ...contactFilters,
    ...serviceParentFilters,
    ...manyToManyFilters('ip_address', addressTextsSql, serviceAddressTable, 'address'),
  ],
});
