import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';

/**
 * A database table of counts. The count of a key is the sum of the column `n` over the key's rows. Writers therefore
 * insert rows instead of waiting to update a shared row.
 */
export interface CountTable {
  readonly table: string;
  /** Columns that identify a count. */
  readonly key: readonly string[];
  /** Column that distinguishes the rows of one count. */
  readonly row: string;
  /** Pause between two rounds of merging, in milliseconds. Each write adds a row to its count until the next round. */
  readonly restMs: number;
}

/** Database tables of counts that triggers maintain. */
export const countTables: readonly CountTable[] = [
  {
    table: 'reference_counts',
    key: ['reference', 'object_id'],
    row: 'id',
    restMs: 5_000,
  },
  { table: 'row_counts', key: ['model'], row: 'slot', restMs: 5_000 },
];

/** Maximum number of rows of one count. If a count has more rows, they are merged into one. */
const maxUnmergedCountRows = 8;
const mergedCountsBatchSize = 1000;

/**
 * Returns the statement that merges the rows of up to $2 counts into one row each, and deletes the row if the count is
 * 0. The statement skips locked rows, so that it never waits. The remaining row is updated in place.
 */
function mergeRowsStatement({ table, key, row }: CountTable): string {
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

/** Dependencies of {@link RowCountMerger}. */
export interface CountMergerOptions {
  readonly counts: CountTable;
  readonly database: Tx;
  readonly clock: Clock;
  readonly logger: { warn(fields: object, message: string): void };
}

/** Merges the rows of a database table of counts, at startup and then periodically. */
export class RowCountMerger {
  readonly #repeating: PeriodicTask;
  readonly #fold: string;

  constructor(private readonly options: CountMergerOptions) {
    const { clock, logger, counts } = options;
    this.#fold = mergeRowsStatement(counts);
    this.#repeating = new PeriodicTask({
      clock,
      run: () => this.run(),
      failed: (error) => logger.warn({ err: error, table: counts.table }, 'row counts could not be summed'),
      restMs: () => counts.restMs,
    });
  }

  /** Starts the first round of merging. */
  start(): void {
    this.#repeating.start();
  }

  /** Stops after the current round of merging. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Merges rows until no count has more than the maximum, apart from locked rows. */
  async run(): Promise<void> {
    for (let folded = mergedCountsBatchSize; folded === mergedCountsBatchSize && !this.#repeating.isStopped;) {
      const { rows } = await this.options.database.query<{ folded: number }>(this.#fold, [
        maxUnmergedCountRows,
        mergedCountsBatchSize,
      ]);
      folded = rows[0]?.folded ?? 0;
    }
  }
}
