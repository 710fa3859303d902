import type { ModelSearchTerm } from '../engine/declaration/define-model.js';
import { computedReferenceField } from '../engine/field-types/computed-reference.js';
import { referenceField } from '../engine/field-types/relation.js';

/** Fields that responses show of a nested primary IP address. */
const primaryAddressFieldNames = [
  'id',
  'url',
  'display',
  'family',
  'address',
  'nat_inside',
  'nat_outside',
  'dns_name',
  'description',
] as const;

/**
 * Reference of a device or virtual machine to an IP address: its primary IPv4 address, primary IPv6 address or
 * out-of-band address.
 */
export const primaryAddressReferenceField = referenceField('ipam.ipaddress', {
  nullable: true,
  onDelete: 'set_null',
  filterBy: null,
  shape: primaryAddressFieldNames,
});

/**
 * Field with the preferred primary IP address of an object. The IPv6 address is preferred, unless the setting
 * `inventory.prefer_ipv4` is on.
 */
export const primaryIpField = computedReferenceField(
  'ipam.ipaddress',
  (alias) => `CASE current_setting('inventory.prefer_ipv4', true) WHEN 'on'
    THEN coalesce(${alias}.primary_ip4_id, ${alias}.primary_ip6_id)
    ELSE coalesce(${alias}.primary_ip6_id, ${alias}.primary_ip4_id) END`,
  primaryAddressFieldNames,
);

/**
 * Definition for the search parameter `q` by which the search also finds objects by their primary IPv4 or IPv6 address.
 */
export const primaryAddressSearchTerm: ModelSearchTerm = {
  lookup: 'host',
  holds: (alias, host) => {
    const requested = `(ARRAY(SELECT a.id FROM ipam_ipaddress a WHERE host(a.address)::inet = ${host}))`;
    return `${alias}.primary_ip4_id = ANY ${requested} OR ${alias}.primary_ip6_id = ANY ${requested}`;
  },
};
