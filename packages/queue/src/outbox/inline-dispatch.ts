import type { QueueTx } from '../database.js';
import { errorText, type QueueLogger, type TraceContext } from '../environment.js';
import { insertValues, type NewRow } from './buffer.js';

/** A row that may be dispatched without being stored: the only one of its topic in a transaction. */
export interface InlineRow<P> {
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
export interface InlineDispatcher<P> {
  /** SQL: whether it may be dispatched so. Parameters from {@link firstParameter} on are those of `begin`. */
  readonly condition: string;
  /** SQL: CTEs, the last named `done`, that do nothing unless `(SELECT goes FROM inline)`. They see what was committed. */
  readonly work: string;
  /** Returns null when the row is to be stored and dispatched after the commit. Must not wait for anything. */
  begin(row: InlineRow<P>): InlineWork | null;
}

/** Result of {@link InlineDispatcher.begin}. */
export interface InlineWork {
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
function statementOf({ condition, work }: InlineDispatcher<never>): string {
  return `WITH inline AS MATERIALIZED (
      SELECT coalesce((${condition}) AND NOT EXISTS (
        SELECT FROM queue.outbox o WHERE o.topic = $1 AND o.key = $5 AND (o.seq IS NULL)::int <> 0), false) AS goes),
    stored AS (
      INSERT INTO queue.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
      SELECT $1::text, $2::text, $3::int, $4::json, $5::text, $6::timestamptz, $7::json, $8::text, $9::int
        FROM inline WHERE NOT goes),
    ${work}
    SELECT inline.goes AS dispatched, done.* FROM inline LEFT JOIN done ON true`;
}

/** Inline dispatch of one topic. */
export class InlineDispatch<P> {
  /** Rows that this process dispatched so. */
  dispatched = 0;
  private readonly statement: string;

  constructor(
    private readonly dispatcher: InlineDispatcher<P>,
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
  private workOf(row: InlineRow<P>): InlineWork | null {
    try {
      return this.dispatcher.begin(row);
    } catch (error) {
      this.logger.warn(
        { error: errorText(error) },
        'inline dispatch failed, the row is stored and dispatched after the commit',
      );
      return null;
    }
  }

  private async send(row: NewRow, work: InlineWork, tx: QueueTx): Promise<(() => Promise<void>) | null> {
    const params = [...insertValues(row), ...work.params];
    const { rows } = await tx.query<Record<string, unknown>>(this.statement, params);
    if (rows[0]?.['dispatched'] !== true) {
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
