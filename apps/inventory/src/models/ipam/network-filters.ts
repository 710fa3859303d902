import type { ListFilter, RequestedFilterValues } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { singleObjectFilter } from '../../engine/filter/single-object-filter.js';
import { parseIpNetwork } from '../../engine/field-types/ip-network.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns a filter whose values are IP networks. A filter value that is not a network matches no rows and is not
 * rejected (docs/contract/inventory.md 1.9).
 */
function createIpNetworkFilter(
  name: string,
  multiple: boolean,
  condition: (request: RequestedFilterValues, networks: readonly string[]) => SqlText,
): ListFilter {
  return {
    name,
    lookups: [],
    multiple,
    schema: { type: 'string' },
    compile: (request) => {
      const networks = request.values.filter((value) => parseIpNetwork(value) !== null).map((value) => value.trim());
      return networks.length === 0 ? 'false' : condition(request, networks);
    },
  };
}

/** Returns the SQL expression of the IP network that contains an IP address. */
function createNetworkOfAddressSql({ parameters }: RequestedFilterValues, value: string | undefined): SqlText {
  return `network(${parameters.add(value, 'inet')})`;
}

/**
 * Returns the SQL condition that an IP address is in one of the given networks. For a single network, the condition can
 * use a B-tree index.
 */
function createInNetworksCondition(
  own: SqlText,
  { parameters }: RequestedFilterValues,
  networks: readonly string[],
): SqlText {
  const [only] = networks;
  if (networks.length === 1) return `${own} <<= network(${parameters.add(only, 'inet')})`;
  return `${own} <<= ANY (ARRAY(SELECT network(value) FROM unnest(${parameters.add(networks, 'inet[]')}) value))`;
}

/** Returns the filter `family`, which compares the IP version (4 or 6) of the addresses in a column. */
function createAddressFamilyFilter(column: string): ListFilter {
  const family = integerFilter('family', (alias) => `family(${alias}.${column})`);
  return { ...family, multiple: false, lookups: [] };
}

/**
 * Returns the filters `family`, which compares the IP version (4 or 6), and `mask_length`, for the addresses in a
 * column.
 */
function createFamilyAndMaskFilters(column: string): readonly ListFilter[] {
  const maskLength = integerFilter('mask_length', (alias) => `masklen(${alias}.${column})`);
  return [createAddressFamilyFilter(column), { ...maskLength, lookups: ['gte', 'lte'] }];
}

/**
 * Filters of prefixes by network, by mask length, by networks that contain the prefix, and by networks inside the
 * prefix (docs/contract/inventory.md 9.4).
 */
export const prefixFilters: readonly ListFilter[] = [
  createIpNetworkFilter(
    'prefix',
    true,
    ({ alias, parameters }, values) => `${alias}.prefix = ANY (${parameters.add(values, 'inet[]')})`,
  ),
  createIpNetworkFilter(
    'within',
    false,
    (request, [value]) => `${request.alias}.prefix << ${createNetworkOfAddressSql(request, value)}`,
  ),
  createIpNetworkFilter(
    'within_include',
    false,
    (request, [value]) => `${request.alias}.prefix <<= ${createNetworkOfAddressSql(request, value)}`,
  ),
  createIpNetworkFilter(
    'contains',
    false,
    (request, [value]) => `${request.alias}.prefix >>= ${request.parameters.add(value, 'inet')}`,
  ),
  ...createFamilyAndMaskFilters('prefix'),
];

/** Filters of aggregates by the prefix and by the IP version of the aggregate. */
export const aggregateFilters: readonly ListFilter[] = [
  createIpNetworkFilter(
    'prefix',
    false,
    ({ alias, parameters }, [value]) => `${alias}.prefix = ${parameters.add(value, 'inet')}`,
  ),
  createAddressFamilyFilter('prefix'),
];

/**
 * Returns a filter by the IP address in a column. A filter value without a mask length matches the address with any
 * mask length. A filter value with a mask length matches only that address with that mask length.
 */
function createAddressHostFilter(column: string): ListFilter {
  return createIpNetworkFilter(column, true, ({ alias, parameters }, values) => {
    const exact = values.filter((value) => value.includes('/'));
    const hosts = values.filter((value) => !value.includes('/'));
    return `(${alias}.${column} = ANY (${parameters.add(exact, 'inet[]')}) OR host(${alias}.${column})::inet = ANY (${parameters.add(hosts, 'inet[]')}))`;
  });
}

/**
 * Returns the SQL expression of the range of all addresses in an IP range. The table has an index on the expression.
 */
const createAddressRangeSql = (alias: string): SqlText =>
  `ipam_inetrange(host(${alias}.start_address)::inet, host(${alias}.end_address)::inet, '[]')`;

/**
 * Filters of IP ranges by start address, end address, an address in the range, and a network around the range
 * (docs/contract/inventory.md 9.4).
 */
export const ipRangeFilters: readonly ListFilter[] = [
  createAddressHostFilter('start_address'),
  createAddressHostFilter('end_address'),
  createIpNetworkFilter(
    'contains',
    false,
    (request, [value]) =>
      `${createAddressRangeSql(request.alias)} @> host(${request.parameters.add(value, 'inet')})::inet`,
  ),
  createIpNetworkFilter('parent', true, (request, values) => {
    const { alias, parameters } = request;
    const [only] = values;
    const inside = (parent: SqlText): SqlText =>
      `${alias}.start_address <<= ${parent} AND ${alias}.end_address <<= ${parent}`;
    if (values.length === 1) return inside(createNetworkOfAddressSql(request, only));
    return `EXISTS (SELECT FROM unnest(${parameters.add(values, 'inet[]')}) parent WHERE ${inside('network(parent)')})`;
  }),
  createAddressFamilyFilter('start_address'),
];

/**
 * Filters of objects by a VRF, given by id or by route distinguisher. The filters match objects in that VRF. They also
 * match objects in VRFs that export a route target that the given VRF imports (docs/contract/inventory.md 9.4).
 */
export const createVrfImportFilters: readonly ListFilter[] = (['id', 'rd'] as const).map((by) =>
  singleObjectFilter(
    by === 'id' ? 'present_in_vrf_id' : 'present_in_vrf',
    { table: 'ipam_vrf' },
    by,
    (alias, ids) => `(${alias}.vrf_id = ANY (${ids}) OR ${alias}.vrf_id IN (
      SELECT e.vrf_id FROM ipam_vrf_export_targets e JOIN ipam_vrf_import_targets i USING (routetarget_id)
      WHERE i.vrf_id = ANY (${ids})))`,
  ),
);

/**
 * Filters of IP addresses by the address without mask, by the address with mask, and by a network that contains the
 * address (docs/contract/inventory.md 9.4).
 */
export const ipAddressFilters: readonly ListFilter[] = [
  createAddressHostFilter('address'),
  {
    ...createIpNetworkFilter('parent', true, (request, values) =>
      createInNetworksCondition(`${request.alias}.address`, request, values),
    ),
  },
  ...createFamilyAndMaskFilters('address'),
];
