import { inPoolTransaction, isTransientDatabaseError, type QueuePool, type QueueTx } from '../database.js';
import { errorText, type QueueLogger, type TraceContext } from '../environment.js';
import type { Topic } from './topic.js';

/** A row as its dispatcher receives it. */
export interface DispatchRow<P> {
  /** Grows with the order of insertion; a good part of a deterministic job id. */
  readonly id: number;
  readonly key: string | null;
  readonly payload: P;
  /** How often this row failed before. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** The request that caused the row. */
  readonly context: TraceContext;
}

/**
 * Does what the rows ask for. Its own writes go through `tx`, the transaction that deletes the rows, so they happen
 * with it or not at all. `afterCommit` is for what cannot be in a transaction (adding jobs); whatever it loses must be
 * found again from what `tx` wrote.
 */
export type Dispatcher<P> = (
  rows: readonly DispatchRow<P>[],
  tx: QueueTx,
) => Promise<void | { afterCommit?: () => Promise<void> }>;

/** How a topic is drained. */
export interface DrainSettings {
  /** Rows a transaction. */
  batchSize: number;
  /** Failures after which a row is set aside. */
  maxAttempts: number;
  /** Wait after the first failure of a row, in milliseconds; doubles with each further one. */
  retryDelayMs: number;
  /**
   * Shortest time between the beginnings of two drains of the topic in this process, in milliseconds. A single row
   * is dispatched at once; under load rows gather, so that a batch's transaction serves many of them.
   */
  paceMs: number;
}

interface StoredRow {
  id: string | number;
  key: string | null;
  version: number;
  payload: string;
  attempts: number;
  created_at_ms: number;
  context: string | null;
  ready: boolean;
}

// Times as numbers and JSON as text: what they become must not depend on the type parsers of the caller's pool.
const COLUMNS = `o.id, o.key, o.version, o.payload::text AS payload, o.attempts, o.context::text AS context,
  (extract(epoch FROM o.created_at) * 1000)::float8 AS created_at_ms`;
const READY = `o.seq IS NULL AND o.set_aside_at IS NULL AND o.version <= $2
  AND (o.not_before IS NULL OR o.not_before <= clock_timestamp())`;

const TAKE_ANY = `SELECT ${COLUMNS}, true AS ready FROM queue.outbox o
  WHERE o.topic = $1 AND ${READY} ORDER BY o.id LIMIT $3 FOR UPDATE SKIP LOCKED`;

// The oldest row of each key is its lock: who holds it owns the key until COMMIT, whatever else waits behind it.
const IS_HEAD = `NOT EXISTS (
    SELECT 1 FROM queue.outbox e WHERE e.topic = $1 AND e.key = o.key AND e.id < o.id AND e.seq IS NULL)`;
const TAKE_HEADS = `SELECT o.key FROM queue.outbox o
  WHERE o.topic = $1 AND ${READY} AND ${IS_HEAD}
  ORDER BY o.id LIMIT $3 FOR UPDATE OF o SKIP LOCKED`;
const TAKE_BEHIND = `SELECT ${COLUMNS}, (${READY}) AS ready FROM queue.outbox o
  WHERE o.topic = $1 AND o.key = ANY($4::text[]) AND o.seq IS NULL ORDER BY o.id LIMIT $3`;

const ONE = `SELECT ${COLUMNS}, true AS ready FROM queue.outbox o WHERE o.topic = $1 AND ${READY} AND o.id = $3`;
const TAKE_ONE = {
  none: `${ONE} FOR UPDATE SKIP LOCKED`,
  key: `${ONE} AND ${IS_HEAD} FOR UPDATE OF o SKIP LOCKED`,
};

// A held-back row waits in not_before, as a row that was asked for later does.
const MARK_FAILED = `UPDATE queue.outbox SET attempts = attempts + 1, error = $2,
    not_before = clock_timestamp() + make_interval(secs => $3::float8 / 1000 * power(2, least(attempts, 10))),
    set_aside_at = CASE WHEN attempts + 1 >= $4 THEN clock_timestamp() END
  WHERE id = $1 RETURNING set_aside_at IS NOT NULL AS aside`;

/** Drains one topic: batches of rows, each in one transaction with what its dispatcher writes. */
export class BatchDrain<P> {
  /** Rows dispatched by this process since it began. */
  dispatched = 0;

  constructor(
    private readonly pool: QueuePool,
    private readonly topic: Topic<P>,
    private readonly dispatcher: Dispatcher<P>,
    private readonly settings: DrainSettings,
    private readonly logger: QueueLogger,
  ) {}

  /** Dispatches until no row is ready. Throws only faults of the database; rows that fail are marked and left. */
  async drain(): Promise<void> {
    // Who finds a key in another's hands gives up on it, so whoever holds keys looks again after letting them go.
    const enough = this.topic.order === 'key' ? 1 : this.settings.batchSize;
    let taken: number;
    do {
      taken = await this.batch();
    } while (taken >= enough);
  }

  private async batch(): Promise<number> {
    let stored: StoredRow[] = [];
    let taken = 0;
    try {
      await this.transact(async (tx) => {
        ({ stored, taken } = await this.take(tx));
        return stored;
      });
    } catch (error) {
      if (isTransientDatabaseError(error) || stored.length === 0) throw error;
      if (stored.length === 1 && stored[0]) await this.markFailed(stored[0], error);
      else await this.dispatchSingly(stored);
    }
    return taken;
  }

  /** After a batch failed: each row by itself, to find the one at fault. A row that fails holds back its own key only. */
  private async dispatchSingly(stored: StoredRow[]): Promise<void> {
    const held = new Set<string>();
    for (const row of stored) {
      if (row.key !== null && held.has(row.key)) continue;
      try {
        await this.transact(async (tx) => {
          const { rows } = await tx.query<StoredRow>(TAKE_ONE[this.topic.order], [
            this.topic.name,
            this.topic.version,
            row.id,
          ]);
          return rows;
        });
      } catch (error) {
        if (isTransientDatabaseError(error)) throw error;
        if (row.key !== null && this.topic.order === 'key') held.add(row.key);
        await this.markFailed(row, error);
      }
    }
  }

  private async transact(take: (tx: QueueTx) => Promise<StoredRow[]>): Promise<void> {
    let afterCommit: (() => Promise<void>) | undefined;
    let count = 0;
    await inPoolTransaction(this.pool, async (tx) => {
      const stored = await take(tx);
      if (stored.length === 0) return;
      const result = await this.dispatcher(
        stored.map((row) => this.read(row)),
        tx,
      );
      afterCommit = result?.afterCommit;
      await tx.query('DELETE FROM queue.outbox WHERE id = ANY($1::bigint[])', [stored.map((row) => row.id)]);
      count = stored.length;
    });
    this.dispatched += count;
    await afterCommit?.().catch((error: unknown) => {
      this.logger.error({ topic: this.topic.name, error: errorText(error) }, 'what follows a dispatch failed');
    });
  }

  private async take(tx: QueueTx): Promise<{ stored: StoredRow[]; taken: number }> {
    const params = [this.topic.name, this.topic.version, this.settings.batchSize];
    if (this.topic.order === 'none') {
      const { rows } = await tx.query<StoredRow>(TAKE_ANY, params);
      return { stored: rows, taken: rows.length };
    }
    const heads = await tx.query<{ key: string }>(TAKE_HEADS, params);
    if (heads.rows.length === 0) return { stored: [], taken: 0 };
    const { rows } = await tx.query<StoredRow>(TAKE_BEHIND, [...params, heads.rows.map((row) => row.key)]);
    const held = new Set<string | null>();
    const stored = rows.filter((row) => {
      if (!row.ready) held.add(row.key);
      return !held.has(row.key);
    });
    return { stored, taken: rows.length };
  }

  private read(row: StoredRow): DispatchRow<P> {
    return {
      id: Number(row.id),
      key: row.key,
      payload: this.topic.read(JSON.parse(row.payload), row.version),
      attempts: row.attempts,
      createdAt: new Date(row.created_at_ms),
      context: row.context === null ? {} : (JSON.parse(row.context) as TraceContext),
    };
  }

  private async markFailed(row: StoredRow, error: unknown): Promise<void> {
    const { maxAttempts, retryDelayMs } = this.settings;
    const { rows } = await this.pool.query<{ aside: boolean }>(MARK_FAILED, [
      row.id,
      errorText(error),
      retryDelayMs,
      maxAttempts,
    ]);
    const fields = { topic: this.topic.name, row: Number(row.id), attempt: row.attempts + 1, error: errorText(error) };
    if (rows[0]?.aside) this.logger.error(fields, 'outbox row set aside');
    else this.logger.warn(fields, 'outbox row failed and will be tried again');
  }
}
