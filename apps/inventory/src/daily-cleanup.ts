import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from './periodic-task.js';

const dayMs = 86_400_000;

/**
 * Removes rows that are older than `before` in batches of `limit`, each committed by itself. Yields the number of rows that
 * a batch has removed, which may be 0 while more batches follow.
 */
export type Removal = (database: Tx, before: Date, limit: number) => AsyncGenerator<number, void>;

/** Runs `text`, which deletes at most $1 rows of those older than $2, until a batch is not full. */
export function repeated(text: string): Removal {
  return async function* (database, before, limit) {
    for (let removed = limit; removed >= limit;) {
      removed = (await database.query(text, [limit, before])).rowCount;
      yield removed;
    }
  };
}

/** Options of {@link DailyCleanup}. */
export interface DailyCleanupOptions {
  readonly database: Tx;
  /** Retention in days; 0 for no limit. */
  readonly days: number;
  readonly clock: Clock;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Name of the rows in log lines. */
  readonly what: string;
  /** Removals, run one after the other. */
  readonly removals: readonly Removal[];
  /** Rows of one batch. */
  readonly batchSize?: number;
}

/** Deletes expired rows at the start and then once a day. Any number of processes may do so. */
export class DailyCleanup {
  readonly #task: PeriodicTask;

  constructor(private readonly options: DailyCleanupOptions) {
    const { clock, logger, what } = options;
    this.#task = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.run();
        if (count > 0) logger.info({ count }, `removed expired ${what}`);
      },
      failed: (error) => logger.warn({ err: error }, `expired ${what} could not be removed`),
      restMs: () => dayMs,
    });
  }

  /** Removes old rows at startup and then daily; does nothing without a limit. */
  start(): void {
    if (this.options.days > 0) this.#task.start();
  }

  /** Ends with the batch that is under way. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Removes the rows that are too old, batch by batch, so that no row lock lasts long. Returns the number of rows. */
  async run(): Promise<number> {
    const { database, days, clock, removals, batchSize = 10_000 } = this.options;
    if (days === 0) return 0;
    const before = new Date(clock.now() - days * dayMs);
    let total = 0;
    for (const removal of removals) {
      for await (const removed of removal(database, before, batchSize)) {
        total += removed;
        if (this.#task.stopped) return total;
      }
    }
    return total;
  }
}
