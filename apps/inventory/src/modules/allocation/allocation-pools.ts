import { ipRange } from '../../models/ipam/ip-range.js';
import { prefix } from '../../models/ipam/prefix.js';
import { AddressPool } from './address-pool.js';
import { asnPool, vlanPool } from './number-pools.js';
import type { AllocationPool } from './allocation-pool.js';
import { PrefixPool } from './prefix-pool.js';

/** All kinds of allocation. */
export const allocationPools: readonly AllocationPool[] = [
  new AddressPool(prefix, 'prefix'),
  new AddressPool(ipRange, 'range'),
  new PrefixPool(),
  asnPool,
  vlanPool,
];
