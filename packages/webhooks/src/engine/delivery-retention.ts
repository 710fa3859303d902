import { PeriodicTask, type QueueClock, type QueueLogger, type QueueTx } from '@switchboard/queue';
import type { DeliveryTables } from './endpoint-source.js';

const millisecondsPerDay = 86_400_000;

/** Options of {@link DeliveryRetention}, which deletes old deliveries. */
export interface DeliveryRetentionOptions {
  readonly database: QueueTx;
  readonly tables: Pick<DeliveryTables, 'deliveries' | 'attempts'>;
  /** Retention time of deliveries and attempts in days; 0 for no limit. */
  readonly days: number;
  readonly clock: QueueClock;
  readonly logger: Pick<QueueLogger, 'info' | 'warn'>;
  /** Maximum number of deliveries or attempts that one SQL statement deletes. Default 10,000. */
  readonly batchSize?: number;
}

/**
 * Deletes finished deliveries with their attempts, and old attempts of other deliveries, at startup and then once a
 * day. Several processes can delete rows at the same time.
 */
export class DeliveryRetention {
  readonly #task: PeriodicTask;

  constructor(private readonly options: DeliveryRetentionOptions) {
    const { clock, logger } = options;
    this.#task = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.run();
        if (count > 0) logger.info({ count }, 'removed expired deliveries and attempts');
      },
      failed: (error) => logger.warn({ err: error }, 'expired deliveries and attempts could not be removed'),
      restMs: () => millisecondsPerDay,
    });
  }

  /**
   * Starts to delete expired deliveries and attempts, at startup and then daily. Does nothing if the retention time has
   * no limit.
   */
  start(): void {
    if (this.options.days > 0) this.#task.start();
  }

  /** Stops the deletion of expired rows after the current batch. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  /**
   * Deletes expired deliveries and attempts in batches, so that no row lock lasts long. Returns the number of deleted
   * rows.
   */
  async run(): Promise<number> {
    const { database, days, clock, tables, batchSize = 10_000 } = this.options;
    if (days === 0) return 0;
    const before = new Date(clock.now() - days * millisecondsPerDay);
    let total = 0;
    for (const statement of createExpiredRowRemovalStatements(tables)) {
      for (let removed = batchSize; removed >= batchSize && !this.#task.isStopped;) {
        const { rows } = await database.query<{ removed: number }>(statement, [batchSize, before]);
        removed = rows[0]?.removed ?? 0;
        total += removed;
      }
    }
    return total;
  }
}

/**
 * Returns the SQL statements that delete up to $1 deliveries or attempts older than $2. Rows are deleted by their
 * physical positions, so that the planner never reads all rows because of table statistics. Rows that another
 * transaction has locked are left for the next day.
 */
function createExpiredRowRemovalStatements({
  deliveries,
  attempts,
}: Pick<DeliveryTables, 'deliveries' | 'attempts'>): string[] {
  const counting = (removal: string): string =>
    `WITH gone AS (${removal} RETURNING 1) SELECT count(*)::float8 AS removed FROM gone`;
  return [
    counting(createOldRowsRemovalSql(deliveries, 'finished')),
    counting(createOldRowsRemovalSql(attempts, 'started')),
  ];
}

const createOldRowsRemovalSql = (table: string, time: string): string => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${time} < $2::timestamptz ORDER BY ${time} LIMIT $1 FOR UPDATE SKIP LOCKED))`;
