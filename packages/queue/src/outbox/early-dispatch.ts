import type { QueueTx } from '../database.js';
import { errorText, type QueueLogger, type TraceContext } from '../environment.js';
import { insertValues, type NewRow } from './buffer.js';

/** A row that may be dispatched without being stored: the only one of its topic in a transaction. */
export interface EarlyRow<P> {
  readonly key: string;
  readonly payload: P;
  /** The request that causes it. */
  readonly context: TraceContext;
}

/**
 * Dispatches the only row of a transaction inside that transaction, in the message that commits it, so that the row need
 * not be stored, found, and deleted again. Everything it does is one statement of the server, which decides; where that
 * decides against it, the row is stored and dispatched as all others.
 */
export interface EarlyDispatcher<P> {
  /** SQL: whether it may be dispatched so. Parameters from {@link firstParameter} on are those of `begin`. */
  readonly condition: string;
  /** SQL: CTEs, the last named `done`, that do nothing unless `(SELECT goes FROM early)`. They see what was committed. */
  readonly work: string;
  /** Null: this row is for the usual way. Must not wait for anything. */
  begin(row: EarlyRow<P>): EarlyWork | null;
}

/** Result of {@link EarlyDispatcher.begin}. */
export interface EarlyWork {
  readonly params: readonly unknown[];
  /** Called after the commit with the rows of `done`. What it loses must be found again from what was committed. */
  committed(rows: readonly Record<string, unknown>[]): Promise<void>;
  /** Called when the server has stored the row instead; whether that is committed is not known yet. */
  declined(): void;
}

/** Number of the first parameter that is the dispatcher's own. */
export const firstParameter = 10;

/**
 * Builds the statement. A key with a row in the outbox must wait for its dispatch, which is visible until committed.
 */
function statementOf({ condition, work }: EarlyDispatcher<never>): string {
  return `WITH early AS MATERIALIZED (
      SELECT coalesce((${condition}) AND NOT EXISTS (
        SELECT FROM queue.outbox o WHERE o.topic = $1 AND o.key = $5 AND (o.seq IS NULL)::int <> 0), false) AS goes),
    stored AS (
      INSERT INTO queue.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
      SELECT $1::text, $2::text, $3::int, $4::json, $5::text, $6::timestamptz, $7::json, $8::text, $9::int
        FROM early WHERE NOT goes),
    ${work}
    SELECT early.goes AS went, done.* FROM early LEFT JOIN done ON true`;
}

/** Early dispatch of one topic. */
export class EarlyDispatch<P> {
  /** Rows that this process dispatched so. */
  dispatched = 0;
  private readonly statement: string;

  constructor(
    private readonly dispatcher: EarlyDispatcher<P>,
    private readonly logger: QueueLogger,
    private readonly onDispatched: () => void,
  ) {
    this.statement = statementOf(dispatcher);
  }

  /**
   * Sends the statement instead of the insertion of `row`; returns false if it must be inserted. The promise returns
   * what to do after the commit, or null to drain.
   */
  begin(row: NewRow, tx: QueueTx): Promise<(() => Promise<void>) | null> | false {
    if (row.key === null || row.notBefore !== null || row.parsed === undefined) return false;
    const context = row.context === null ? {} : (JSON.parse(row.context) as TraceContext);
    // What the topic's own schema made when the row was added.
    const work = this.workOf({ key: row.key, payload: row.parsed as P, context });
    return work !== null && this.send(row, work, tx);
  }

  /** Returns the work of a row. COMMIT is sent regardless: a failing dispatcher must not lose the row. */
  private workOf(row: EarlyRow<P>): EarlyWork | null {
    try {
      return this.dispatcher.begin(row);
    } catch (error) {
      this.logger.warn({ error: errorText(error) }, 'early dispatch failed, the row goes the usual way');
      return null;
    }
  }

  private async send(row: NewRow, work: EarlyWork, tx: QueueTx): Promise<(() => Promise<void>) | null> {
    const params = [...insertValues(row), ...work.params];
    const { rows } = await tx.query<Record<string, unknown>>(this.statement, params);
    if (rows[0]?.['went'] !== true) {
      work.declined();
      return null;
    }
    return async () => {
      this.dispatched += 1;
      this.onDispatched();
      await work.committed(rows);
    };
  }
}
