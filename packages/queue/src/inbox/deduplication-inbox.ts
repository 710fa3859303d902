import type { QueuePool } from '../database.js';
import {
  omitUndefinedValues,
  formatErrorText,
  processClock,
  silentLogger,
  type QueueClock,
  type QueueLogger,
} from '../environment.js';
import { PeriodicTask } from '../periodic-task.js';
import { DEFAULT_QUEUE_SCHEMA, createSqlCacheBySchema, toSchemaIdentifier } from '../queue-schema.js';
import { assertTextKey } from '../assert-text-key.js';
import { transactionHandle, type TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** Options of {@link DeduplicationInbox}, which records the processed deliveries of a consumer. Times are in milliseconds. */
export interface DeduplicationInboxOptions {
  pool: QueuePool;
  /** PostgreSQL schema with the tables of this package, created by `applyQueueMigrations`. Default `queue`. */
  schema?: string;
  /** Minimum time for which the key of a delivery is stored after its commit, in milliseconds. Default: seven days. */
  retentionMs?: number;
  /** Time between two removals of expired keys of deliveries, in milliseconds. Default: one minute. */
  removeEveryMs?: number;
  logger?: QueueLogger;
  clock?: QueueClock;
}

/** Default settings of {@link DeduplicationInbox}. */
export const defaultDeduplicationInboxSettings = {
  schema: DEFAULT_QUEUE_SCHEMA,
  retentionMs: 7 * 86_400_000,
  removeEveryMs: 60_000,
} as const;

/** Result of {@link DeduplicationInbox.once}: the value that the work returned, or the fact that the work was done before. */
export type DeduplicationInboxResult<T> = { readonly isFirst: true; readonly value: T } | { readonly isFirst: false };

/** Maximum number of expired keys of deliveries that one transaction removes. */
const MAX_REMOVED_INBOX_KEYS = 1_000;

const insertInboxKeySql = createSqlCacheBySchema(
  (schema) => `INSERT INTO ${schema}.inbox (key) VALUES ($1) ON CONFLICT (key) DO NOTHING RETURNING key`,
);

// DELETE of the oldest expired keys. Processes that remove keys concurrently do not wait for each other. The rows are
// selected by their positions, so that no statistics of the table make the planner read all rows. The time is that of
// the statement, because no index serves a comparison with clock_timestamp().
const removeExpiredInboxKeysSql = createSqlCacheBySchema(
  (schema) => `DELETE FROM ${schema}.inbox WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${schema}.inbox WHERE recorded_at < statement_timestamp() - make_interval(secs => $1::float8 / 1000)
    ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING key`,
);

/**
 * Inbox of a consumer: the effects of a delivery happen once, however often the delivery arrives. The key of a delivery
 * is recorded in the transaction that also writes the effects.
 */
export class DeduplicationInbox {
  private readonly settings: Required<DeduplicationInboxOptions>;
  /** SQL identifier of the schema with the inbox table. */
  private readonly sqlSchema: string;
  private readonly removal: PeriodicTask;

  constructor(options: DeduplicationInboxOptions) {
    this.settings = {
      ...defaultDeduplicationInboxSettings,
      logger: silentLogger,
      clock: processClock,
      ...omitUndefinedValues(options),
    };
    const { schema, clock, logger, removeEveryMs } = this.settings;
    this.sqlSchema = toSchemaIdentifier(schema);
    this.removal = new PeriodicTask({
      clock,
      run: async () => void (await this.removeExpiredKeys()),
      failed: (error) => logger.warn({ error: formatErrorText(error) }, 'expired inbox keys could not be removed'),
      restMs: () => removeEveryMs,
    });
  }

  /**
   * Runs `work` unless a committed transaction has run the work of this key before. The key is recorded by `tx`, so
   * that it is stored only if the effects of `work` are. A call with a key that an open transaction has recorded waits
   * until that transaction has ended. After a commit, the call does nothing; after a rollback, the call runs `work`.
   *
   * If `work` fails, the transaction must be rolled back: its COMMIT is refused with a `QueueUsageError`.
   *
   * @param key id of the delivery, unique for the consumer, for example `receipts:4711`; 1 to 500 characters
   * @throws QueueUsageError when `tx` is no handle of an open transaction, or the key is empty, too long, or contains
   *   U+0000 or half of a surrogate pair
   * @throws Error of `work`; of the database, in a REPEATABLE READ transaction also a serialization failure (40001) when
   *   another transaction has recorded the key since the snapshot
   */
  async once<T>(tx: TransactionHandle, key: string, work: () => Promise<T>): Promise<DeduplicationInboxResult<T>> {
    transactionHandle(tx);
    assertTextKey('Inbox key', key);
    const { rows } = await tx.query(insertInboxKeySql(this.sqlSchema), [key]);
    if (rows.length === 0) return { isFirst: false };
    try {
      return { isFirst: true, value: await work() };
    } catch (error) {
      tx.addCommitCheck(() => {
        throw new QueueUsageError(`The work of inbox key ${key} failed, so its transaction must be rolled back`);
      });
      throw error;
    }
  }

  /**
   * Starts to remove expired keys of the inbox: immediately, and then at intervals. Any number of processes may remove
   * keys.
   */
  startRemovingExpiredKeys(): void {
    this.removal.start();
  }

  /** Stops the removal of expired keys of the inbox after the current batch. */
  async stopRemovingExpiredKeys(): Promise<void> {
    await this.removal.stop();
  }

  /**
   * Removes expired keys of the inbox in batches, each in a separate transaction, until none is left or {@link stopRemovingExpiredKeys}
   * was called. Returns the number of removed keys.
   */
  async removeExpiredKeys(): Promise<number> {
    const { pool, retentionMs } = this.settings;
    let removed = 0;
    for (;;) {
      const { rows } = await pool.query(removeExpiredInboxKeysSql(this.sqlSchema), [
        retentionMs,
        MAX_REMOVED_INBOX_KEYS,
      ]);
      removed += rows.length;
      if (rows.length < MAX_REMOVED_INBOX_KEYS || this.removal.isStopped) return removed;
    }
  }
}
