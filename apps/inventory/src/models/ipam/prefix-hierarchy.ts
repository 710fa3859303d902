import type { ModelField } from '../../engine/declaration/field.js';
import type { ListFilter } from '../../engine/filter/filter-problem.js';
import type { FilteredListStatement } from '../../engine/filter/filter-statement.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { createComputedJsonFragment, type SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns the SQL expression of a number of prefixes. Counts the prefixes that are in the same VRF as a given prefix
 * and that meet a condition. The expression has two cases, with and without a VRF, because an index supports = and IS
 * NULL, but not IS NOT DISTINCT FROM.
 */
function createVrfPrefixCountSql(alias: string, condition: (other: string) => SqlText): SqlText {
  const count = (vrf: SqlText): SqlText =>
    `(SELECT count(*) FROM ipam_prefix other WHERE other.vrf_id ${vrf} AND ${condition('other')})`;
  return `CASE WHEN ${alias}.vrf_id IS NULL THEN ${count('IS NULL')} ELSE ${count(`= ${alias}.vrf_id`)} END`;
}

/** Largest possible id of an object. */
const largestPrefixId = '9223372036854775807';

/**
 * Returns the SQL expression of a prefix's depth: the number of prefixes that contain it. The expression looks up each
 * shorter mask length in an index. The comparisons of pairs of prefix and id are redundant, but only the index by VRF
 * and prefix supports them. Without these comparisons, PostgreSQL uses the GiST index while few pages of the table are
 * all-visible. PostgreSQL then reads fifty times as many pages.
 */
function createPrefixDepthSql(alias: string): SqlText {
  const covering = `ARRAY(SELECT network(set_masklen(${alias}.prefix::inet, n)) FROM generate_series(0, masklen(${alias}.prefix) - 1) n)`;
  return createVrfPrefixCountSql(
    alias,
    (other) => `${other}.prefix = ANY (${covering}::inet[]) AND (${other}.prefix, ${other}.id) < (${alias}.prefix, 0)
      AND (${other}.prefix, ${other}.id) >= (network(set_masklen(${alias}.prefix::inet, 0)), 0)`,
  );
}

/**
 * Returns the SQL expression of the number of prefixes inside a prefix. The prefixes inside a prefix are adjacent in
 * the index by VRF and prefix; see {@link createPrefixDepthSql}.
 */
function createChildPrefixCountSql(alias: string): SqlText {
  const last = `ipam_last_address(${alias}.prefix)`;
  return createVrfPrefixCountSql(
    alias,
    (other) => `${other}.prefix > ${alias}.prefix AND ${other}.prefix <= ${last}
      AND (${other}.prefix, ${other}.id) > (${alias}.prefix, ${largestPrefixId}) AND (${other}.prefix, ${other}.id) <= (${last}, ${largestPrefixId})`,
  );
}

/** VRFs to which the query parameter `vrf_id` limits a list. Null represents the global table. */
type RequestedVrfs = readonly (string | null)[];

/** Returns the VRFs to which the query parameter `vrf_id` limits a list. The result is empty without a limit. */
function findRequestedVrfs({ valuesByName }: FilteredListStatement): RequestedVrfs {
  const values = valuesByName.get('vrf_id') ?? [];
  // The filter itself rejects other values.
  const isValid = values.every((value) => value === 'null' || /^\d{1,18}$/.test(value));
  return isValid ? values.map((value) => (value === 'null' ? null : value)) : [];
}

/**
 * Returns the SQL table expression of the depths of the prefixes in the requested VRFs, in the default order of
 * prefixes. The columns are `id` and `depth`.
 */
function createPrefixDepthsSql(list: FilteredListStatement): SqlText {
  const vrfs = findRequestedVrfs(list);
  return vrfs.length === 0 ? 'ipam_prefix_depths()' : `ipam_prefix_depths(${list.parameters.add(vrfs, 'bigint[]')})`;
}

/** Returns the SQL condition that a prefix is in one of the given VRFs. An index supports each form of the condition. */
function createVrfCondition(vrfs: RequestedVrfs, { parameters }: FilteredListStatement): SqlText {
  const ids = vrfs.filter((vrf) => vrf !== null);
  const globally = ids.length < vrfs.length ? ['vrf_id IS NULL'] : [];
  const [only = null] = ids;
  if (ids.length === 0) return globally.join();
  if (ids.length > 1) return [`vrf_id = ANY (${parameters.add(ids, 'bigint[]')})`, ...globally].join(' OR ');
  return [`vrf_id = ${parameters.add(only, 'bigint')}`, ...globally].join(' OR ');
}

/**
 * Returns the SQL table expression of the number of prefixes inside each prefix of the requested VRFs, in the default
 * order of prefixes. The columns are `id` and `children`. A prefix contains other prefixes only if it contains the next
 * prefix in this order.
 */
function createPrefixChildCountsSql(list: FilteredListStatement): SqlText {
  const vrfs = findRequestedVrfs(list);
  const where = vrfs.length === 0 ? '' : ` WHERE ${createVrfCondition(vrfs, list)}`;
  return `(SELECT placed.id, CASE WHEN placed.next <<= placed.prefix THEN ${createChildPrefixCountSql('placed')} ELSE 0 END AS children
  FROM (SELECT id, prefix, vrf_id, lead(prefix) OVER (ORDER BY vrf_id NULLS FIRST, prefix, id) AS next FROM ipam_prefix${where}) placed
  ORDER BY placed.vrf_id NULLS FIRST, placed.prefix, placed.id)`;
}

/**
 * Returns a filter by a number that is computed for each prefix, such as its depth. The statement computes the numbers
 * of all prefixes, or those of the VRFs in the parameter `vrf_id`, in one pass. It uses them for both the count and the
 * page of the list. Computing the number of each prefix separately takes far longer.
 */
function createPrecomputedNumberFilter(
  name: string,
  createSource: (list: FilteredListStatement) => SqlText,
): ListFilter {
  const filter = integerFilter(name, (alias) => `${alias}.${name}`);
  return {
    ...filter,
    isHeavy: true,
    compile: (request) => {
      const condition = filter.compile({ ...request, alias: 'computed' });
      if (condition === null) return null;
      // An array is looked up by one scan of the index on id. A join would look up each id separately, because the
      // planner expects few.
      const ids = `SELECT computed.id FROM ${createSource(request)} computed WHERE ${condition}`;
      return `${request.alias}.id = ANY (${request.computeOnce(ids)}::bigint[])`;
    },
  };
}

/**
 * Field `_depth` of a prefix: number of prefixes in the same VRF that contain the prefix (docs/contract/inventory.md
 * 3.5).
 */
export const prefixDepthField: ModelField<never> = computedField({
  json: ({ alias }) => [createComputedJsonFragment(createPrefixDepthSql(alias))],
  schema: { type: 'integer' },
  metadataType: 'integer',
  inSnapshot: true,
  filters: () => [createPrecomputedNumberFilter('depth', createPrefixDepthsSql)],
  orderedBy: { source: createPrefixDepthsSql, column: 'depth' },
});

/**
 * Field `children` of a prefix: number of prefixes in the same VRF that are inside the prefix
 * (docs/contract/inventory.md 3.5).
 */
export const prefixChildCountField: ModelField<never> = computedField({
  json: ({ alias }) => [createComputedJsonFragment(createChildPrefixCountSql(alias))],
  schema: { type: 'integer' },
  metadataType: 'integer',
  filters: () => [createPrecomputedNumberFilter('children', createPrefixChildCountsSql)],
  orderedBy: { source: createPrefixChildCountsSql, column: 'children' },
});
