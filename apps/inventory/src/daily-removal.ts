import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { Repeating } from './repeating.js';

/** Rows that one statement removes. */
const batchSize = 10_000;
const dayMs = 86_400_000;

/** A statement that removes up to so many rows, and its values. */
export interface RemovalBatch {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What is removed, and how often. */
export interface DailyRemovalOptions {
  readonly database: Tx;
  /** Days that rows are kept; 0 for ever. */
  readonly days: number;
  readonly clock: Clock;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** What log lines call the rows. */
  readonly what: string;
  /** Statements that each remove up to `limit` rows of those older than `before`; run one after the other. */
  readonly batches: (limit: number, before: Date) => readonly RemovalBatch[];
}

/** Removes old rows, now and then once a day. Any number of processes may do so. */
export class DailyRemoval {
  readonly #repeating: Repeating;

  constructor(private readonly options: DailyRemovalOptions) {
    const { clock, logger, what } = options;
    this.#repeating = new Repeating({
      clock,
      run: async () => {
        const count = await this.run();
        if (count > 0) logger.info({ count }, `old ${what} were removed`);
      },
      failed: (error) => logger.warn({ err: error }, `old ${what} could not be removed`),
      restMs: () => dayMs,
    });
  }

  /** Removes now and then once a day; nothing when rows are kept for ever. */
  start(): void {
    if (this.options.days > 0) this.#repeating.start();
  }

  /** Ends with the batch that is under way. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Removes what is too old, batch by batch, so that no lock is held for long. Answers how many rows. */
  async run(): Promise<number> {
    const { database, days, clock, batches } = this.options;
    if (days === 0) return 0;
    let total = 0;
    for (const { text, values } of batches(batchSize, new Date(clock.now() - days * dayMs))) {
      for (let removed = batchSize; removed >= batchSize && !this.#repeating.stopped; total += removed) {
        removed = (await database.query(text, [...values])).rowCount;
      }
    }
    return total;
  }
}
