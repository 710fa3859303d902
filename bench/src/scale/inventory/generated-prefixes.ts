import type { CopiedColumnValue } from '../copy-rows.js';
import { computePseudorandomInteger } from '../random-numbers.js';
import { type GeneratedInventoryObjectCounts, tenantCount, vrfCount } from './inventory-sizes.js';

const prefixesPerParent24 = 16;
const prefixesPerParent16 = 4096;
const prefixCreationTime = new Date(Date.UTC(2024, 0, 1));

/**
 * Generates the rows of prefixes: /28 prefixes, a parent /24 for every 16 of the /28 prefixes, and a parent /16 for
 * every 4,096. Nearly all prefixes are in the first VRF, inside 10.0.0.0/8, which has no row of its own. The remaining
 * /28 prefixes are in the other VRFs.
 */
export function* generatePrefixRows({
  size,
  smallPrefixes,
  sites,
}: GeneratedInventoryObjectCounts): Generator<readonly CopiedColumnValue[]> {
  let id = 0;
  const row = (network: string, vrf: number): readonly CopiedColumnValue[] => {
    id += 1;
    const status = id % 5000 === 7 ? 'reserved' : 'active';
    const scope = id % 3 === 0 ? [null, null] : ['dcim.site', 1 + (id % sites)];
    const tenant = id % 3 === 1 ? null : 1 + computePseudorandomInteger(id, 20, tenantCount);
    const custom = JSON.stringify({ code: `code-${id % 5000}`, slot: id });
    const words = `Network number ${id} word${computePseudorandomInteger(id, 21, 5000)}`;
    return [
      id,
      network,
      vrf,
      tenant,
      1 + (id % 10),
      status,
      ...scope,
      words,
      custom,
      prefixCreationTime,
      prefixCreationTime,
    ];
  };
  for (let n = 0; n < smallPrefixes; n += 1) {
    const [second, third, fourth] = [n >> 12, (n >> 4) & 255, (n & 15) << 4];
    if (n % prefixesPerParent16 === 0) yield row(`10.${second}.0.0/16`, 1);
    if (n % prefixesPerParent24 === 0) yield row(`10.${second}.${third}.0/24`, 1);
    yield row(`10.${second}.${third}.${fourth}/28`, 1);
  }
  for (let n = 0; id < size.devices; n += 1) {
    const network = Math.floor(n / (vrfCount - 1));
    yield row(
      `172.${16 + (network >> 12)}.${(network >> 4) & 255}.${(network & 15) << 4}/28`,
      2 + (n % (vrfCount - 1)),
    );
  }
}
