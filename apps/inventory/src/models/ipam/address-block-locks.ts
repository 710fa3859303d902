import type { Tx } from '@switchboard/database';
import type { ColumnValuesBeforeAndAfter } from '../../engine/declaration/define-model.js';

/**
 * Numbers by which the database function `ipam_lock_blocks` distinguishes locks of aggregates from locks of IP ranges
 * (migration locks_of_blocks).
 */
const addressBlockLockKinds = { aggregates: 100_500, ranges: 100_600 } as const;

/** Returns the new column values of those rows of a write in which the value of at least one of `columns` changes. */
function listRowsWithChangedColumns(
  writes: readonly ColumnValuesBeforeAndAfter[],
  columns: readonly string[],
): ColumnValuesBeforeAndAfter['after'][] {
  return writes
    .filter(({ before, after }) => before === null || columns.some((column) => before[column] !== after[column]))
    .map(({ after }) => after);
}

/**
 * Locks the address blocks of the aggregates that a write changes. Writes of aggregates that do not overlap these
 * blocks do not wait for the lock.
 */
export async function lockAggregateBlocks(tx: Tx, writes: readonly ColumnValuesBeforeAndAfter[]): Promise<void> {
  const prefixes = listRowsWithChangedColumns(writes, ['prefix']).map(({ prefix }) => prefix);
  if (prefixes.length === 0) return;
  await tx.query('SELECT ipam_lock_blocks($1, array_fill(0::bigint, ARRAY[cardinality($2::cidr[])]), $2::cidr[])', [
    addressBlockLockKinds.aggregates,
    prefixes,
  ]);
}

const ipRangeBlockColumns = ['vrf_id', 'start_address', 'end_address'] as const;

/**
 * Locks the address blocks of the IP ranges that a write changes. Writes of IP ranges that do not overlap these blocks
 * do not wait for the lock.
 */
export async function lockIpRanges(tx: Tx, writes: readonly ColumnValuesBeforeAndAfter[]): Promise<void> {
  const rows = listRowsWithChangedColumns(writes, ipRangeBlockColumns);
  if (rows.length === 0) return;
  await tx.query(
    `SELECT ipam_lock_blocks($1, array_agg(r.vrf), array_agg(block))
      FROM unnest($2::bigint[], $3::inet[], $4::inet[]) AS r (vrf, first, last), unnest(ipam_range_blocks(first, last)) AS block`,
    [addressBlockLockKinds.ranges, ...ipRangeBlockColumns.map((column) => rows.map((row) => row[column] ?? null))],
  );
}
