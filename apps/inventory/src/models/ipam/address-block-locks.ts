import type { Tx } from '@switchboard/database';
import type { ChangedColumns } from '../../engine/declaration/define-model.js';

/**
 * Numbers by which the database function `ipam_lock_blocks` distinguishes locks of aggregates from locks of IP ranges
 * (migration locks_of_blocks).
 */
const blockLockKinds = { aggregates: 100_500, ranges: 100_600 } as const;

/** Returns the new column values of those rows of a write in which the value of at least one of `columns` changes. */
function rowsWithChangedColumns(
  writes: readonly ChangedColumns[],
  columns: readonly string[],
): ChangedColumns['after'][] {
  return writes
    .filter(({ before, after }) => before === null || columns.some((column) => before[column] !== after[column]))
    .map(({ after }) => after);
}

/**
 * Locks the address blocks of the aggregates that a write changes. Writes of aggregates that do not overlap these
 * blocks do not wait for the lock.
 */
export async function lockAggregateBlocks(tx: Tx, writes: readonly ChangedColumns[]): Promise<void> {
  const prefixes = rowsWithChangedColumns(writes, ['prefix']).map(({ prefix }) => prefix);
  if (prefixes.length === 0) return;
  await tx.query('SELECT ipam_lock_blocks($1, array_fill(0::bigint, ARRAY[cardinality($2::cidr[])]), $2::cidr[])', [
    blockLockKinds.aggregates,
    prefixes,
  ]);
}

const ipRangeColumns = ['vrf_id', 'start_address', 'end_address'] as const;

/**
 * Locks the address blocks of the IP ranges that a write changes. Writes of IP ranges that do not overlap these blocks
 * do not wait for the lock.
 */
export async function lockIpRanges(tx: Tx, writes: readonly ChangedColumns[]): Promise<void> {
  const rows = rowsWithChangedColumns(writes, ipRangeColumns);
  if (rows.length === 0) return;
  await tx.query(
    `SELECT ipam_lock_blocks($1, array_agg(r.vrf), array_agg(block))
      FROM unnest($2::bigint[], $3::inet[], $4::inet[]) AS r (vrf, first, last), unnest(ipam_range_blocks(first, last)) AS block`,
    [blockLockKinds.ranges, ...ipRangeColumns.map((column) => rows.map((row) => row[column] ?? null))],
  );
}
