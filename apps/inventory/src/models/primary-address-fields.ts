import type { SearchTerm } from '../engine/declaration/model.js';
import { foundReference } from '../engine/field-types/found-reference.js';
import { ref } from '../engine/field-types/relation.js';

/** Shape of a primary address, with the other side of its translation. */
const shape = [
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

/** An address by which an object is reached: its primary one of a family, or that of its out-of-band management. */
export const reachedBy = ref('ipam.ipaddress', { nullable: true, onDelete: 'set_null', filterBy: null, shape });

/** The one of the two that is preferred: that of IPv6, unless the setting `inventory.prefer_ipv4` is on. */
export const primaryIp = foundReference(
  'ipam.ipaddress',
  (alias) => `CASE current_setting('inventory.prefer_ipv4', true) WHEN 'on'
    THEN coalesce(${alias}.primary_ip4_id, ${alias}.primary_ip6_id)
    ELSE coalesce(${alias}.primary_ip6_id, ${alias}.primary_ip4_id) END`,
  shape,
);

/** Search by the host of either address. */
export const primaryAddressSearch: SearchTerm = {
  lookup: 'host',
  holds: (alias, host) => {
    const wanted = `(ARRAY(SELECT a.id FROM ipam_ipaddress a WHERE host(a.address)::inet = ${host}))`;
    return `${alias}.primary_ip4_id = ANY ${wanted} OR ${alias}.primary_ip6_id = ANY ${wanted}`;
  },
};
