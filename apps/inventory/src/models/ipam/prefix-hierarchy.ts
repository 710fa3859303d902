import type { Field } from '../../engine/declaration/field.js';
import type { Filter } from '../../engine/filter/filter.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { computed } from '../../engine/field-types/computed.js';
import { sql, type Sql } from '../../engine/sql/pieces.js';

/** Counts prefixes of the VRF of a row. Two forms: an index serves = and IS NULL, but not IS NOT DISTINCT FROM. */
function countInVrf(alias: string, condition: (other: string) => Sql): Sql {
  const count = (vrf: Sql): Sql =>
    `(SELECT count(*) FROM ipam_prefix other WHERE other.vrf_id ${vrf} AND ${condition('other')})`;
  return `CASE WHEN ${alias}.vrf_id IS NULL THEN ${count('IS NULL')} ELSE ${count(`= ${alias}.vrf_id`)} END`;
}

/** The greatest id that a row can have. */
const lastId = '9223372036854775807';

/**
 * Number of prefixes that cover a row: a look-up for each shorter mask. The comparisons of networks together with ids say
 * nothing more, but only the index by VRF and prefix serves them. The planner takes the GiST index otherwise while few
 * pages of the table are visible to all, and reads fifty times as much.
 */
function depthOf(alias: string): Sql {
  const covering = `ARRAY(SELECT network(set_masklen(${alias}.prefix::inet, n)) FROM generate_series(0, masklen(${alias}.prefix) - 1) n)`;
  return countInVrf(
    alias,
    (other) => `${other}.prefix = ANY (${covering}::inet[]) AND (${other}.prefix, ${other}.id) < (${alias}.prefix, 0)
      AND (${other}.prefix, ${other}.id) >= (network(set_masklen(${alias}.prefix::inet, 0)), 0)`,
  );
}

/** Number of prefixes that a row covers. They are a range of the index by VRF and prefix; see {@link depthOf}. */
function childrenOf(alias: string): Sql {
  const last = `ipam_last_address(${alias}.prefix)`;
  return countInVrf(
    alias,
    (other) => `${other}.prefix > ${alias}.prefix AND ${other}.prefix <= ${last}
      AND (${other}.prefix, ${other}.id) > (${alias}.prefix, ${lastId}) AND (${other}.prefix, ${other}.id) <= (${last}, ${lastId})`,
  );
}

/** Depths of all prefixes in the order of the list: `id` and `depth`. */
const depths = 'ipam_prefix_depths()';

/**
 * Children of all prefixes in the order of the list: `id` and `children`. Only prefixes that cover the next one in order
 * have any to count.
 */
const children = `(SELECT placed.id, CASE WHEN placed.next <<= placed.prefix THEN ${childrenOf('placed')} ELSE 0 END AS children
  FROM (SELECT id, prefix, vrf_id, lead(prefix) OVER (ORDER BY vrf_id NULLS FIRST, prefix, id) AS next FROM ipam_prefix) placed
  ORDER BY placed.vrf_id NULLS FIRST, placed.prefix, placed.id)`;

/**
 * A filter by a number that is computed for all prefixes in one pass, once for the count and the page. To compute it row by
 * row takes far longer.
 */
function numberOfAll(name: string, source: Sql): Filter {
  const filter = integerFilter(name, (alias) => `${alias}.${name}`);
  return {
    ...filter,
    isHeavy: true,
    compile: (request) => {
      const condition = filter.compile({ ...request, alias: 'computed' });
      // An array is found by one walk of the index by id; a join looks up each id, for it expects few.
      const ids = `SELECT computed.id FROM ${source} computed WHERE ${condition}`;
      return condition && `${request.alias}.id = ANY (${request.computeOnce(ids)}::bigint[])`;
    },
  };
}

/** The field `_depth`: number of prefixes of the same VRF that cover the prefix (docs/contract/inventory.md 3.5). */
export const prefixDepth: Field<never> = computed({
  json: ({ alias }) => [sql(depthOf(alias))],
  schema: { type: 'integer' },
  metadataType: 'integer',
  inSnapshot: true,
  filters: () => [numberOfAll('depth', depths)],
  orderedBy: { source: depths, column: 'depth' },
});

/** The field `children`: number of prefixes of the same VRF that the prefix covers (docs/contract/inventory.md 3.5). */
export const prefixChildren: Field<never> = computed({
  json: ({ alias }) => [sql(childrenOf(alias))],
  schema: { type: 'integer' },
  metadataType: 'integer',
  filters: () => [numberOfAll('children', children)],
  orderedBy: { source: children, column: 'children' },
});
