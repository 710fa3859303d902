import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';

const millisecondsPerDay = 86_400_000;

/**
 * Function that deletes rows older than `before` in batches of up to `limit` rows, with a separate transaction for each
 * batch. Yields the number of rows that each batch deleted, which may be 0 before further batches.
 */
export type RemoveOldRowsFunction = (database: Tx, before: Date, limit: number) => AsyncGenerator<number, void>;

/**
 * Returns a function that repeats the SQL statement `text` until the statement deletes fewer than $1 rows. The
 * statement must delete up to $1 rows older than $2.
 */
export function createRepeatedDeleteFunction(text: string): RemoveOldRowsFunction {
  return async function* (database, before, limit) {
    for (let removed = limit; removed >= limit;) {
      removed = (await database.query(text, [limit, before])).rowCount;
      yield removed;
    }
  };
}

export interface ExpiredRowsDailyCleanupOptions {
  readonly database: Tx;
  /** Number of days for which rows are retained; 0 to retain rows without limit. */
  readonly days: number;
  readonly clock: Clock;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Plural name of the removed rows in log lines, such as `change records`. */
  readonly what: string;
  /** Functions that remove expired rows. The functions are run in the order of the list. */
  readonly removals: readonly RemoveOldRowsFunction[];
  /** Maximum number of rows that one batch deletes. The default is 10,000 rows. */
  readonly batchSize?: number;
}

/** Deletes expired rows at startup and then once a day. Several processes can delete rows concurrently. */
export class ExpiredRowsDailyCleanup {
  readonly #task: PeriodicTask;

  constructor(private readonly options: ExpiredRowsDailyCleanupOptions) {
    const { clock, logger, what } = options;
    this.#task = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.deleteExpiredRows();
        if (count > 0) logger.info({ count }, `removed expired ${what}`);
      },
      failed: (error) => logger.warn({ err: error }, `expired ${what} could not be removed`),
      restMs: () => millisecondsPerDay,
    });
  }

  /**
   * Starts the cleanup: deletes expired rows immediately and then daily. Does nothing if rows are retained without
   * limit.
   */
  start(): void {
    if (this.options.days > 0) this.#task.start();
  }

  /** Stops the daily cleanup after the current batch of deletions. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Deletes expired rows in batches, so that no row lock lasts long. Returns the number of deleted rows. */
  async deleteExpiredRows(): Promise<number> {
    const { database, days, clock, removals, batchSize = 10_000 } = this.options;
    if (days === 0) return 0;
    const before = new Date(clock.now() - days * millisecondsPerDay);
    let total = 0;
    for (const removal of removals) {
      for await (const removed of removal(database, before, batchSize)) {
        total += removed;
        if (this.#task.isStopped) return total;
      }
    }
    return total;
  }
}
