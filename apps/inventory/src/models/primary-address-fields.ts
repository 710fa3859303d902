import { ref } from '../engine/kinds/relation.js';

/** The IPv4 address by which it is reached. */
export const primaryIp4 = ref('ipam.ipaddress', { nullable: true, onDelete: 'set_null', filterBy: null });

/** The IPv6 address by which it is reached. */
export const primaryIp6 = ref('ipam.ipaddress', { nullable: true, onDelete: 'set_null', filterBy: null });
