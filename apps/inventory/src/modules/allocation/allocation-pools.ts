import { ipRangeModel } from '../../models/ipam/ip-range.js';
import { prefixModel } from '../../models/ipam/prefix.js';
import { AddressPool } from './address-pool.js';
import { asNumberPool, vlanIdPool } from './number-pools.js';
import type { AllocationPool } from './allocation-pool.js';
import { PrefixPool } from './prefix-pool.js';

/** All kinds of allocation, such as addresses from a prefix. */
export const allocationPools: readonly AllocationPool[] = [
  new AddressPool(prefixModel, 'prefix'),
  new AddressPool(ipRangeModel, 'range'),
  new PrefixPool(),
  asNumberPool,
  vlanIdPool,
];
