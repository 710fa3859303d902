import { formatErrorText, type QueueLogger } from '../environment.js';
import type { NumberedOutboxRow } from './log-entry.js';
import type { EventLogAppendResult, EventLogStore } from './event-log-store.js';
import { createSqlCacheBySchema } from '../queue-schema.js';
import type { EventLogTables, NumberedOutboxRowsOfRealm } from './number-log-rows.js';

/** Dependencies of {@link EventLogRowAppender}, which appends outbox rows to event logs in the store. */
export interface EventLogRowAppenderOptions {
  tables: EventLogTables;
  store: EventLogStore;
  logger: QueueLogger;
  /** Number of times that the store may reject a row before an empty (void) log entry replaces the row. */
  entryAttempts: number;
}

const recordFailedLogAppendSql = createSqlCacheBySchema(
  (schema) => `UPDATE ${schema}.outbox SET attempts = attempts + 1, error = $3, void = attempts + 1 >= $4
  WHERE id = $1 AND seq = $2 AND NOT void RETURNING void`,
);

/**
 * Appends numbered outbox rows to a realm's log in the store (step C). A row that the store rejects blocks the log, because the
 * order must be preserved. After some attempts, an empty (void) entry replaces the row, and clients must register again
 * (docs/contract/event-log.md 3). The content of a replaced row is never sent to clients.
 */
export class EventLogRowAppender {
  /**
   * Number of outbox rows for which this process has appended empty (void) log entries, because the store rejected the
   * rows.
   */
  voided = 0;
  /**
   * Realms with a batch of rows that the store has rejected. The rows of these realms are sent one by one, until the
   * rejected row is found and replaced.
   */
  private readonly realmsAppendedSingly = new Set<string>();

  constructor(private readonly options: EventLogRowAppenderOptions) {}

  /**
   * Returns true if {@link appendNumberedRowsToLog} sends rows of the given realm to the store immediately. This requires a
   * connection to the store, and that the store has not recently rejected a batch of the realm.
   */
  isSendingRowsImmediately(realm: string): boolean {
    return this.options.store.isConnected && !this.realmsAppendedSingly.has(realm);
  }

  /**
   * Appends numbered outbox rows to a realm's log in order. A row that becomes an empty (void) entry is also replaced
   * in the array `rows`.
   *
   * @throws EventLogUnavailableError while the store is unavailable, or if the store rejects a row that will be tried again
   */
  async appendNumberedRowsToLog(
    realm: string,
    { epoch, position, rows }: NumberedOutboxRowsOfRealm,
  ): Promise<EventLogAppendResult> {
    if (this.realmsAppendedSingly.has(realm) && rows.length > 0)
      return this.appendRowsSeparately(realm, { epoch, position, rows });
    try {
      return await this.options.store.appendRowsToLog(realm, epoch, position, rows);
    } catch (error) {
      if (this.options.store.isRowRejection(error)) this.realmsAppendedSingly.add(realm);
      throw error;
    }
  }

  private async appendRowsSeparately(
    realm: string,
    { epoch, position, rows }: NumberedOutboxRowsOfRealm,
  ): Promise<EventLogAppendResult> {
    let result: EventLogAppendResult = { status: 'OK', last: 0 };
    for (const [index, row] of rows.entries()) {
      const isLast = index === rows.length - 1;
      result = await this.appendOneRow(realm, epoch, isLast ? position : row.seq, rows, index);
      if (result.status !== 'OK') return result;
    }
    this.realmsAppendedSingly.delete(realm);
    return result;
  }

  private async appendOneRow(
    realm: string,
    epoch: number,
    position: number,
    rows: NumberedOutboxRow[],
    index: number,
  ): Promise<EventLogAppendResult> {
    const { tables, store, logger, entryAttempts } = this.options;
    const row = rows[index];
    if (!row) throw new RangeError(`row ${index} of ${rows.length}`);
    try {
      return await store.appendRowsToLog(realm, epoch, position, [row]);
    } catch (error) {
      if (!store.isRowRejection(error)) throw error;
      const params = [row.id, row.seq, formatErrorText(error), entryAttempts];
      const counted = await tables.pool.query<{ void: boolean }>(recordFailedLogAppendSql(tables.schema), params);
      const fields = { realm, row: row.id, seq: row.seq, error: formatErrorText(error) };
      if (counted.rows[0]?.void !== true) {
        logger.warn(fields, 'the store rejected an event log entry, retrying');
        throw error;
      }
      logger.error(fields, 'the store rejected an event log entry too often, appending a void entry instead');
    }
    this.voided += 1;
    rows[index] = { ...row, void: true, audience: '|', payload: '{"event":{}}' };
    return store.appendRowsToLog(realm, epoch, position, [rows[index]]);
  }
}
