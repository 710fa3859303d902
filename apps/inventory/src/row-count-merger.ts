import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';

/**
 * A database table that stores counts. A count is the sum of the column `n` over all rows with the same key. Therefore
 * a write inserts a row instead of waiting to update a row that other writes also update.
 */
export interface RowCountTable {
  readonly table: string;
  /** Names of the columns that together identify a count. */
  readonly key: readonly string[];
  /** Name of the column that distinguishes the rows of the same count. */
  readonly row: string;
  /**
   * Pause, in milliseconds, between two rounds of merging the rows of counts. Until the next round, each write adds a
   * row to the count that it changes.
   */
  readonly restMs: number;
}

/** Database tables of counts that triggers update. */
export const rowCountTables: readonly RowCountTable[] = [
  {
    table: 'reference_counts',
    key: ['reference', 'object_id'],
    row: 'id',
    restMs: 5_000,
  },
  { table: 'row_counts', key: ['model'], row: 'slot', restMs: 5_000 },
];

/** Maximum number of rows that one count may have. If a count has more rows, they are merged into one row. */
const maxUnmergedCountRows = 8;
const mergedCountsBatchSize = 1000;

/**
 * Returns the statement that merges the rows of up to $2 counts into one row each, and deletes the row if the count is
 * 0. The statement skips locked rows, so that it never waits. The remaining row is updated in place.
 */
function createCountMergeStatement({ table, key, row }: RowCountTable): string {
  const columns = key.join(', ');
  const same = (one: string, other: string): string =>
    key.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');
  return `WITH crowded AS (
      SELECT ${columns} FROM ${table} GROUP BY ${columns} HAVING count(*) > $1 OR count(*) > 1 AND sum(n) = 0 LIMIT $2),
    locked AS MATERIALIZED (
      SELECT c.* FROM ${table} c JOIN crowded ON ${same('c', 'crowded')} FOR UPDATE OF c SKIP LOCKED),
    folded AS MATERIALIZED (
      SELECT ${columns}, min(${row}) AS ${row}, sum(n) AS n FROM locked GROUP BY ${columns} HAVING count(*) > 1),
    gone AS (
      DELETE FROM ${table} c USING locked, folded
      WHERE ${same('c', 'locked')} AND c.${row} = locked.${row} AND ${same('c', 'folded')} AND (c.${row} <> folded.${row} OR folded.n = 0)),
    kept AS (
      UPDATE ${table} c SET n = folded.n FROM folded
      WHERE ${same('c', 'folded')} AND c.${row} = folded.${row} AND folded.n <> 0)
    SELECT count(*)::int AS folded FROM folded`;
}

/** Services and settings on which {@link RowCountMerger} depends. */
export interface RowCountMergerOptions {
  readonly counts: RowCountTable;
  readonly database: Tx;
  readonly clock: Clock;
  readonly logger: { warn(fields: object, message: string): void };
}

/** Merges the rows of counts in one database table, at startup and then periodically. */
export class RowCountMerger {
  readonly #repeating: PeriodicTask;
  readonly #fold: string;

  constructor(private readonly options: RowCountMergerOptions) {
    const { clock, logger, counts } = options;
    this.#fold = createCountMergeStatement(counts);
    this.#repeating = new PeriodicTask({
      clock,
      run: () => this.mergeRowCounts(),
      failed: (error) => logger.warn({ err: error, table: counts.table }, 'row counts could not be summed'),
      restMs: () => counts.restMs,
    });
  }

  /** Starts merging the rows of counts: the first round now, and further rounds periodically. */
  start(): void {
    this.#repeating.start();
  }

  /** Stops merging the rows of counts, after the current round has ended. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Merges the rows of counts until no count has more than the maximum number of rows. Skips locked rows. */
  async mergeRowCounts(): Promise<void> {
    for (let folded = mergedCountsBatchSize; folded === mergedCountsBatchSize && !this.#repeating.isStopped;) {
      const { rows } = await this.options.database.query<{ folded: number }>(this.#fold, [
        maxUnmergedCountRows,
        mergedCountsBatchSize,
      ]);
      folded = rows[0]?.folded ?? 0;
    }
  }
}
