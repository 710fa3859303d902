import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { Repeating } from './repeating.js';

/** A reader of a count reads a row for each write since the last round. */
const restMs = 5_000;
/** More rows than these of one object are folded. */
const mostRows = 8;
const batchSize = 1000;

/**
 * Replaces the rows of up to so many counts by one row each, or by none where the sum is 0. Two processes at once each
 * replace the rows that they delete.
 */
const fold = `WITH crowded AS (
    SELECT reference, object_id FROM reference_counts GROUP BY reference, object_id
    HAVING count(*) > $1 OR count(*) > 1 AND sum(n) = 0 LIMIT $2),
  gone AS (DELETE FROM reference_counts c USING crowded
    WHERE c.reference = crowded.reference AND c.object_id = crowded.object_id RETURNING c.reference, c.object_id, c.n),
  kept AS (INSERT INTO reference_counts (reference, object_id, n)
    SELECT reference, object_id, sum(n) FROM gone GROUP BY reference, object_id HAVING sum(n) <> 0)
  SELECT count(*)::int AS folded FROM crowded`;

/** Dependencies of {@link ReferenceCountFolder}. */
export interface FolderOptions {
  readonly database: Tx;
  readonly clock: Clock;
  readonly logger: { warn(fields: object, message: string): void };
}

/** Folds the rows that writers add to `reference_counts` at startup and then every five seconds. */
export class ReferenceCountFolder {
  readonly #repeating: Repeating;

  constructor(private readonly options: FolderOptions) {
    const { clock, logger } = options;
    this.#repeating = new Repeating({
      clock,
      run: () => this.run(),
      failed: (error) => logger.warn({ err: error }, 'counts of references could not be folded'),
      restMs: () => restMs,
    });
  }

  /** Starts the first round now. */
  start(): void {
    this.#repeating.start();
  }

  /** Resolves when a round that is under way has ended. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Folds until no object has more rows than it may have. */
  async run(): Promise<void> {
    for (let folded = batchSize; folded === batchSize && !this.#repeating.stopped;) {
      const { rows } = await this.options.database.query<{ folded: number }>(fold, [mostRows, batchSize]);
      folded = rows[0]?.folded ?? 0;
    }
  }
}
