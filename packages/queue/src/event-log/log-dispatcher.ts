import type { QueuePool } from '../database.js';
import { errorText, type QueueClock, type QueueLogger } from '../environment.js';
import { EventLogUnavailableError } from './errors.js';
import type { AssignedRow } from './log-entry.js';
import type { LogStore } from './log-store.js';
import { assignNumbers, beginEpoch, readNumbered, type NumberedRows } from './numbering.js';

/** Rows a step takes. */
const BATCH = 500;

/** Rounds after which a recovery gives way to the next sweep; each round either ends it or changes what it looks at. */
const MAX_ROUNDS = 100;

/** Rows that are in the log now, up to unit `last`. */
export interface AppendedRows {
  epoch: number;
  rows: readonly AssignedRow[];
  last: number;
}

/** What a dispatcher works with. `appended` is told what this process has appended, at once. */
export interface LogDispatcherOptions {
  pool: QueuePool;
  store: LogStore;
  clock: QueueClock;
  logger: QueueLogger;
  /** How long rows stay after they were appended: longer than Redis needs to make an append durable. */
  rowRetentionMs: number;
  appended: (realm: string, batch: AppendedRows) => void;
}

/**
 * Brings committed rows into the realm's log: event-log-protocol.md section 3, steps A to D. Any number of processes
 * may do it at once; none holds a lock from one step to the next.
 */
export class LogDispatcher {
  /** By realm: all rows up to `unit` had been appended at `at`; rows up to `deleted` are gone. */
  private readonly confirmed = new Map<string, { unit: number; at: number; deleted: number }>();

  constructor(private readonly options: LogDispatcherOptions) {}

  /** Numbers and appends what waits. With Redis away rows are numbered and wait for the sweep. */
  async drain(realm: string): Promise<void> {
    const { pool, logger } = this.options;
    for (;;) {
      const numbered = await assignNumbers(pool, realm, BATCH, null);
      if (numbered.rows.length === 0) return;
      try {
        await this.append(realm, numbered);
      } catch (error) {
        if (!(error instanceof EventLogUnavailableError)) throw error;
        logger.debug({ realm, error: errorText(error) }, 'event log waits for Redis');
      }
      if (numbered.rows.length < BATCH) return;
    }
  }

  /** Step A alone: after it the realm's row exists and few rows are without a number. */
  async assign(realm: string): Promise<NumberedRows> {
    return assignNumbers(this.options.pool, realm, BATCH, null);
  }

  /** Step C for rows just numbered; on anything but success, recovery. */
  async append(realm: string, { epoch, position, rows }: NumberedRows): Promise<void> {
    if (rows.length === 0) return;
    const answer = await this.options.store.append(realm, epoch, position, rows);
    if (answer.status === 'OK') this.options.appended(realm, { epoch, rows, last: answer.last });
    else await this.recover(realm);
  }

  /**
   * Compares the log with PostgreSQL, whatever was or was not written, and puts right what differs: rows without a
   * number, entries that Redis lost, numbers that PostgreSQL lost. Deletes rows whose entries are safe.
   */
  async sweep(realm: string): Promise<void> {
    const { pool, store } = this.options;
    // `last` first, position after it: an append in between can then not look like a loss.
    const status = await store.status(realm);
    const numbered = await assignNumbers(pool, realm, BATCH, this.deletable(realm, status.last));
    const agrees = status.last <= numbered.position && (status.epoch === numbered.epoch || status.epoch === 0);
    if (agrees && numbered.rows.length > 0) return this.append(realm, numbered);
    if (!agrees || status.last < numbered.position) await this.recover(realm);
  }

  /** B and C from what Redis has now, until it has all. */
  private async recover(realm: string): Promise<void> {
    const { pool, store } = this.options;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const status = await store.status(realm);
      const numbered = await readNumbered(pool, realm, status.last, BATCH);
      if (status.last > numbered.position || status.epoch > numbered.epoch) {
        await this.diverged(realm, numbered.epoch, status);
        continue;
      }
      if (status.epoch !== 0 && status.epoch < numbered.epoch) {
        // Rows between the new epoch's beginning and its first append, if any, are covered by the floor as well.
        await store.reset(realm, numbered.epoch, numbered.position);
        continue;
      }
      if (await this.appendAfter(realm, status, numbered)) return;
    }
    this.options.logger.warn({ realm }, 'event log recovery did not end, the sweep will go on');
  }

  /** One B and C. True when nothing is left to append. */
  private async appendAfter(
    realm: string,
    status: { epoch: number; last: number },
    { epoch, position, rows }: NumberedRows,
  ): Promise<boolean> {
    const { store } = this.options;
    const newest = rows.at(-1);
    const complete = newest === undefined || newest.seq <= status.last || newest.seq === position;
    const answer = await store.append(realm, epoch, complete ? position : newest.seq, rows);
    if (answer.last > status.last) this.options.appended(realm, { epoch, rows, last: answer.last });
    if (answer.status === 'OK') return complete;
    if (answer.status === 'DIVERGED') await this.diverged(realm, epoch, status);
    if (answer.status === 'GAP' && answer.last === status.last) {
      // The rows were read from exactly this `last`: what is missing before the first of them is gone for good.
      const next = rows.find((row) => row.seq > answer.last);
      await store.reset(realm, epoch, next ? next.seq - next.weight : position);
    }
    return false;
  }

  private async diverged(realm: string, pgEpoch: number, status: { epoch: number; last: number }): Promise<void> {
    this.options.logger.error({ realm, ...status }, 'PostgreSQL lost commits that the event log has: new epoch');
    await beginEpoch(this.options.pool, realm, { pgEpoch, redisEpoch: status.epoch, last: status.last });
  }

  /** Step D: the number up to which rows may be deleted now, null for none. `last` was read a moment ago. */
  private deletable(realm: string, last: number): number | null {
    const now = this.options.clock.now();
    const before = this.confirmed.get(realm);
    if (!before || last < before.unit) {
      this.confirmed.set(realm, { unit: last, at: now, deleted: Math.min(before?.deleted ?? 0, last) });
      return null;
    }
    if (now - before.at < this.options.rowRetentionMs) return null;
    this.confirmed.set(realm, { unit: last, at: now, deleted: before.unit });
    return before.unit > before.deleted ? before.unit : null;
  }
}
