import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { relatedObjectFilterByCondition } from '../../engine/filter/relation-filter.js';
import { stringFilter } from '../../engine/filter/string-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { convertIpAddressToInteger, parseIpNetwork } from '../../engine/field-types/ip-network.js';
import { manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { inetField } from '../../engine/field-types/network.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField, reverseReferencesField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { ipAddressInterfaceFilters } from './interface-filters.js';
import { ipAddressFilters, createVrfImportFilters } from './network-filters.js';
import { createAddressFamilyField } from './prefix.js';
import { createVrfLockHook } from './vrf-locks.js';
import { contactFilters } from '../tenancy/contact-filters.js';

const ipAddressStatusChoices = {
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
  dhcp: 'DHCP',
  slaac: 'SLAAC',
};
const ipAddressRoleChoices = {
  loopback: 'Loopback',
  secondary: 'Secondary',
  anycast: 'Anycast',
  vip: 'VIP',
  vrrp: 'VRRP',
  hsrp: 'HSRP',
  glbp: 'GLBP',
  carp: 'CARP',
};
const ipAddressAssignableTypes = ['dcim.interface', 'ipam.fhrpgroup', 'virtualization.vminterface'];
const requiredIpAddressField = inetField({ required: true });

/**
 * Returns the error for an address that no interface can have. Such an address is the network id or the broadcast
 * address of its subnet. Returns null for other addresses.
 */
function findSubnetIdProblem(given: string): Record<string, string[]> | null {
  const parsed = parseIpNetwork(given);
  if (parsed === null) return null;
  const { address, family, length } = parsed;
  const hostBits = BigInt((family === 4 ? 32 : 128) - length);
  if (hostBits <= 1n) return null;
  const host = convertIpAddressToInteger(address, family) & ((1n << hostBits) - 1n);
  const what = host === 0n ? 'network ID' : host === (1n << hostBits) - 1n && family === 4 ? 'broadcast address' : null;
  return what === null ? null : { __all__: [`${address} is a ${what}, which may not be assigned to an interface.`] };
}

/** Fields that an IP address shows of the nested IP addresses in `nat_inside` and `nat_outside`. */
const nestedNatAddressFieldNames = {
  ...common.identityFields,
  family: computedField({
    json: ({ alias }) => [createComputedJsonFragment(`family(${alias}.address)`)],
    schema: { type: 'integer' },
  }),
  address: requiredIpAddressField,
};

/**
 * Model of an IP address with its mask length. Database triggers reject a second address with the same host in a VRF.
 * They also reject removing a primary address from the object to which it is assigned (docs/contract/inventory.md 3.5).
 */
export const ipAddressModel = defineModel('ipam.ipaddress', {
  path: 'ipam/ip-addresses',
  objectName: 'IPAddress',
  verboseName: 'IP address',
  verboseNamePlural: 'IP addresses',
  fields: {
    ...common.identityFields,
    family: createAddressFamilyField('address'),
    address: requiredIpAddressField,
    vrf: referenceField('ipam.vrf', { nullable: true, filterBy: 'rd', isIndexedWithId: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true, isIndexedWithId: true }),
    status: choiceField(ipAddressStatusChoices, { default: 'active' }),
    role: choiceField(ipAddressRoleChoices, { nullable: true }),
    assigned_object_type: objectTypeField(ipAddressAssignableTypes, { nullable: true }),
    assigned_object_id: integerField({ nullable: true, min: 0 }),
    assigned_object: genericObjectField({
      type: 'assigned_object_type',
      id: 'assigned_object_id',
      allowed: ipAddressAssignableTypes,
    }),
    nat_inside: referenceField('ipam.ipaddress', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: nestedNatAddressFieldNames,
    }),
    nat_outside: reverseReferencesField('ipam.ipaddress', 'nat_inside', nestedNatAddressFieldNames),
    dns_name: textField({
      max: 255,
      label: 'DNS name',
      pattern: {
        expression: /^([0-9A-Za-z_-]+|\*)(\.[0-9A-Za-z_-]+)*\.?$/,
        message: 'Only alphanumeric characters, asterisks, hyphens, periods, and underscores are allowed in DNS names',
      },
      normalize: (value) => value.toLowerCase(),
    }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'assigned_object',
  display: (alias) => `host(${alias}.address) || '/' || masklen(${alias}.address)`,
  brief: ['id', 'url', 'display', 'family', 'address', 'description'],
  order: [{ field: 'address' }],
  search: [
    { sql: (alias) => `${alias}.dns_name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.address`, lookup: 'istartswith' },
  ],
  constraints: [
    { name: 'ipam_ipaddress_duplicate', key: 'address' },
    { name: 'ipam_ipaddress_populated', key: 'address' },
    { name: 'ipam_ipaddress_primary' },
  ],
  hooks: { lock: createVrfLockHook(['address', 'vrf_id', 'role']) },
  rules: [
    ({ address: given, assigned_object_id: assigned }) =>
      typeof assigned === 'number' ? findSubnetIdProblem(given ?? '') : null,
    ({ address: given }) => (given?.endsWith('/0') ? { address: ['Cannot create IP address with /0 mask.'] } : null),
    ({ address: given, status }) =>
      status === 'slaac' && given?.includes(':') !== true
        ? { status: ['Only IPv6 addresses can be assigned SLAAC status'] }
        : null,
  ],
  filters: [
    ...ipAddressInterfaceFilters,
    ...contactFilters,
    ...ipAddressFilters,
    ...createVrfImportFilters,
    ...tenantGroupFilters,
    stringFilter('dns_name'),
    booleanFilter(
      'assigned_to_interface',
      (alias) => `(coalesce(${alias}.assigned_object_type, '') IN ('dcim.interface', 'virtualization.vminterface'))`,
    ),
    relatedObjectFilterByCondition('fhrpgroup_id', {
      target: { table: 'ipam_fhrpgroup' },
      by: 'id',
      below: false,
      matches: (alias, ids) =>
        `${alias}.assigned_object_type = 'ipam.fhrpgroup' AND ${alias}.assigned_object_id = ANY (${ids})`,
      isNull: (alias) => `coalesce(${alias}.assigned_object_type, '') <> 'ipam.fhrpgroup'`,
    }),
    ...manyToManyFilters(
      'service',
      { table: 'ipam_service' },
      { table: 'ipam_service_ipaddresses', own: 'ipaddress_id', other: 'service_id' },
      null,
    ),
    booleanFilter('assigned', (alias) => `(${alias}.assigned_object_id IS NOT NULL)`),
  ],
});
