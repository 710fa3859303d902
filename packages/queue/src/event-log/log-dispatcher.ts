import { findTracer } from '@switchboard/tracing';
import type { QueueTx } from '../database.js';
import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { NewOutboxRow } from '../outbox/outbox-row-buffer.js';
import { appendBatchInSpan } from './append-span.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import type { NumberedOutboxRow } from './log-entry.js';
import type { EventLogStore } from './event-log-store.js';
import {
  insertAndNumberRow,
  numberRowsInWriterTransaction,
  numberCommittedRows,
  beginLogEpoch,
  readNumberedRows,
  type EventLogTables,
  type NumberedOutboxRowsOfRealm,
} from './number-log-rows.js';
import { EventLogRowAppender } from './log-row-appender.js';

/** Maximum number of outbox rows that are numbered and appended to the event log in one step. */
const MAX_ROWS_PER_LOG_APPEND = 500;

/**
 * Maximum number of rounds for one repair of a realm's event log. Each round either completes the repair or changes the
 * state from which the next round starts.
 */
const MAX_EVENT_LOG_REPAIR_ROUNDS = 100;

/**
 * Rows of the outbox that were or will be appended to a realm's log. `last` is the log position (unit) of the last row.
 */
export interface RowsAppendedToEventLog {
  epoch: number;
  rows: readonly NumberedOutboxRow[];
  last: number;
}

/** Dependencies of {@link EventLogDispatcher}, which appends committed outbox rows to event logs. */
export interface EventLogDispatcherOptions {
  tables: EventLogTables;
  store: EventLogStore;
  clock: QueueClock;
  logger: QueueLogger;
  /**
   * Time in milliseconds for which outbox rows are retained after they were appended to the log. The time must be
   * longer than the store needs to make an append durable.
   */
  rowRetentionMs: number;
  /** Number of times that the store may reject a row before an empty (void) log entry replaces the row. */
  entryAttempts: number;
  /** Callback that is called with outbox rows immediately before they are sent to the store. */
  sending: (realm: string, batch: RowsAppendedToEventLog) => void;
  /** Callback that is called with outbox rows after the store has them. */
  appended: (realm: string, batch: RowsAppendedToEventLog) => void;
  faultPoint?: FaultPointListener | undefined;
}

/**
 * Appends committed outbox rows to the realm's log in the store (docs/contract/event-log.md 3, steps A to D). Any number of
 * processes may append rows concurrently. No lock is retained between two steps.
 */
export class EventLogDispatcher {
  /**
   * State of each realm's event log that the store has confirmed. At the time `at`, all rows up to the position `unit` were
   * appended. Rows up to the position `deleted` are already deleted.
   */
  private readonly confirmedByRealm = new Map<string, { unit: number; at: number; deleted: number }>();

  private readonly appender: EventLogRowAppender;
  private readonly tracer = findTracer('@switchboard/queue');

  constructor(private readonly options: EventLogDispatcherOptions) {
    this.appender = new EventLogRowAppender(options);
  }

  /**
   * Number of outbox rows for which this process has appended empty (void) log entries, because the store rejected the
   * rows.
   */
  get voidLogEntryCount(): number {
    return this.appender.voided;
  }

  /**
   * Numbers the waiting outbox rows of a realm and appends the rows to the realm's log. While the store is unavailable, the
   * rows are only numbered, and the periodic maintenance appends the rows later.
   */
  async numberAndAppendRows(realm: string): Promise<void> {
    for (;;) {
      const numbered = await this.numberOutboxRows(realm);
      if (!(await this.appendNumberedRowsIfConnected(realm, numbered))) return;
    }
  }

  /**
   * Numbers the outbox rows of a writer (step A) in the last statement of the writer's transaction. Returns the
   * function that the caller must call after COMMIT is confirmed. Returns null if {@link numberAndAppendRows} must
   * number the rows after the commit.
   */
  async numberRowsBeforeCommit(realm: string, tx: QueueTx): Promise<(() => Promise<void>) | null> {
    return this.appendNumberedRowsAfterCommit(
      realm,
      await numberRowsInWriterTransaction(tx, this.options.tables.schema, realm, MAX_ROWS_PER_LOG_APPEND),
    );
  }

  /**
   * Inserts and numbers the only outbox row of a writer (step A), in the last statement of the writer's transaction.
   * The result is like the result of {@link numberRowsBeforeCommit}.
   */
  async insertNumberedRowBeforeCommit(row: NewOutboxRow, tx: QueueTx): Promise<(() => Promise<void>) | null> {
    const numbered = await insertAndNumberRow(tx, this.options.tables.schema, row, MAX_ROWS_PER_LOG_APPEND);
    return this.appendNumberedRowsAfterCommit(row.realm, numbered, row.context);
  }

  /** @param context column `context` of the only row, if it is known */
  private appendNumberedRowsAfterCommit(
    realm: string,
    numbered: NumberedOutboxRowsOfRealm | null,
    context: string | null = null,
  ): (() => Promise<void>) | null {
    if (numbered === null) return null;
    return async () => {
      this.options.faultPoint?.('event-log.after-a');
      if (await this.appendNumberedRowsIfConnected(realm, numbered, context)) await this.numberAndAppendRows(realm);
    };
  }

  /** Appends numbered outbox rows to a realm's log if the store is available. Returns true if more rows may be waiting. */
  private async appendNumberedRowsIfConnected(
    realm: string,
    numbered: NumberedOutboxRowsOfRealm,
    context: string | null = null,
  ): Promise<boolean> {
    const { tracer } = this;
    const count = numbered.rows.length;
    const append = (): Promise<void> => this.appendNumberedRowsOrRepair(realm, numbered);
    try {
      await (tracer === null || count === 0 ? append() : appendBatchInSpan(tracer, { realm, count, context }, append));
    } catch (error) {
      if (!(error instanceof EventLogUnavailableError)) throw error;
      this.options.logger.debug({ realm, error: formatErrorText(error) }, 'event log waits for its store');
    }
    return numbered.rows.length === MAX_ROWS_PER_LOG_APPEND;
  }

  /**
   * Numbers outbox rows of a realm (step A) and deletes old rows (step D). Returns the numbered rows. Afterwards, the
   * table of log positions has a row for the realm, and only few outbox rows are unnumbered.
   */
  async numberOutboxRows(realm: string, deleteUpTo: number | null = null): Promise<NumberedOutboxRowsOfRealm> {
    const numbered = await numberCommittedRows(this.options.tables, realm, MAX_ROWS_PER_LOG_APPEND, deleteUpTo);
    if (numbered.rows.length > 0) this.options.faultPoint?.('event-log.after-a');
    return numbered;
  }

  /** Numbers all existing outbox rows of a realm (step A). Called while no rows can be appended to the store. */
  async numberAllRows(realm: string): Promise<void> {
    while ((await this.numberOutboxRows(realm)).rows.length === MAX_ROWS_PER_LOG_APPEND);
  }

  /** Appends newly numbered rows to the store (step C). If the store does not accept the rows, repairs the realm's log. */
  async appendNumberedRowsOrRepair(realm: string, numbered: NumberedOutboxRowsOfRealm): Promise<void> {
    const { epoch, rows } = numbered;
    const newest = rows.at(-1);
    if (newest === undefined) return;
    const { faultPoint } = this.options;
    faultPoint?.('event-log.after-b');
    // A committed and numbered row is delivered regardless of the response of the store (docs/adr/0017). The write to the store
    // follows the few polls completed immediately, because it takes longer.
    if (this.appender.isSendingRowsImmediately(realm)) this.options.sending(realm, { epoch, rows, last: newest.seq });
    const result = await this.appender.appendNumberedRowsToLog(realm, numbered);
    faultPoint?.('event-log.after-c');
    if (result.status === 'OK') this.options.appended(realm, { epoch, rows, last: result.last });
    else await this.repairEventLogUntilComplete(realm);
  }

  /**
   * Compares a realm's stored event log with PostgreSQL, and repairs differences: unnumbered rows, entries that the store
   * has lost, or numbers that PostgreSQL has lost. Deletes outbox rows whose log entries are durable.
   */
  async repairEventLogOfRealm(realm: string): Promise<void> {
    const { store, faultPoint } = this.options;
    // Reads `last` before the position, so that a concurrent append cannot look like a loss.
    const status = await store.readLogStatus(realm);
    const deleteUpTo = this.findLastDeletableRowPosition(realm, status.last);
    if (deleteUpTo !== null) faultPoint?.('event-log.before-d');
    const numbered = await this.numberOutboxRows(realm, deleteUpTo);
    const known = this.confirmedByRealm.get(realm);
    if (known && deleteUpTo !== null) known.deleted = deleteUpTo;
    const agrees = status.last <= numbered.position && (status.epoch === numbered.epoch || status.epoch === 0);
    if (agrees && numbered.rows.length > 0) {
      await this.appendNumberedRowsOrRepair(realm, numbered);
      if (numbered.rows.length === MAX_ROWS_PER_LOG_APPEND) await this.numberAndAppendRows(realm);
      return;
    }
    if (!agrees || status.last < numbered.position) await this.repairEventLogUntilComplete(realm);
  }

  /**
   * Repairs a realm's event log. Repeats steps B and C, starting from the current state in the store, until the store
   * has all rows.
   */
  private async repairEventLogUntilComplete(realm: string): Promise<void> {
    const { tables, store } = this.options;
    for (let round = 0; round < MAX_EVENT_LOG_REPAIR_ROUNDS; round += 1) {
      const status = await store.readLogStatus(realm);
      const numbered = await readNumberedRows(tables, realm, status.last, MAX_ROWS_PER_LOG_APPEND);
      if (status.last > numbered.position || status.epoch > numbered.epoch) {
        await this.repairDivergentLog(realm, numbered.epoch, status);
        continue;
      }
      if (status.epoch !== 0 && status.epoch < numbered.epoch) {
        // The floor also covers rows between the start of the new epoch and its first append.
        await store.resetLogOfRealm(realm, numbered.epoch, numbered.position);
        continue;
      }
      if (await this.appendNumberedRowsAfterPosition(realm, status, numbered)) return;
    }
    this.options.logger.warn({ realm }, 'event log recovery did not complete, the sweep will continue');
  }

  /**
   * Reads the next numbered outbox rows of a realm (step B) and appends the rows to the log (step C). Returns true if
   * all rows are appended.
   */
  private async appendNumberedRowsAfterPosition(
    realm: string,
    status: { epoch: number; last: number },
    { epoch, position, rows }: NumberedOutboxRowsOfRealm,
  ): Promise<boolean> {
    const { store, faultPoint } = this.options;
    const newest = rows.at(-1);
    const complete = newest === undefined || newest.seq <= status.last || newest.seq === position;
    faultPoint?.('event-log.after-b');
    const upTo = complete ? position : newest.seq;
    const result = await this.appender.appendNumberedRowsToLog(realm, { epoch, position: upTo, rows });
    faultPoint?.('event-log.after-c');
    if (result.last > status.last) this.options.appended(realm, { epoch, rows, last: result.last });
    if (result.status === 'OK') return complete;
    if (result.status === 'DIVERGED') await this.repairDivergentLog(realm, epoch, status);
    if (result.status === 'GAP' && result.last === status.last) {
      // The rows were read after exactly this `last`, so units missing before the first row are lost permanently.
      const next = rows.find((row) => row.seq > result.last);
      await store.resetLogOfRealm(realm, epoch, next ? next.seq - next.weight : position);
    }
    return false;
  }

  private async repairDivergentLog(
    realm: string,
    pgEpoch: number,
    status: { epoch: number; last: number },
  ): Promise<void> {
    this.options.logger.error(
      { realm, ...status },
      'PostgreSQL lost commits that the event log has, starting a new epoch',
    );
    await beginLogEpoch(this.options.tables, realm, { pgEpoch, redisEpoch: status.epoch, last: status.last });
  }

  /**
   * Returns the log position (unit) of the last outbox row that may be deleted now (step D). Returns null if no row may
   * be deleted. The caller must have read `last` from the store immediately before.
   */
  private findLastDeletableRowPosition(realm: string, last: number): number | null {
    const now = this.options.clock.now();
    const before = this.confirmedByRealm.get(realm);
    if (!before || last < before.unit) {
      this.confirmedByRealm.set(realm, { unit: last, at: now, deleted: Math.min(before?.deleted ?? 0, last) });
      return null;
    }
    if (now - before.at < this.options.rowRetentionMs) return null;
    this.confirmedByRealm.set(realm, { unit: last, at: now, deleted: before.deleted });
    return before.unit > before.deleted ? before.unit : null;
  }
}
