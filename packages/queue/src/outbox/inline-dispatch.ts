import { findTracer } from '@switchboard/tracing';
import type { QueueTx } from '../database.js';
import { formatErrorText, type QueueLogger, type TraceContext } from '../environment.js';
import type { OutboxBatchDispatchSettings, SelectKeysNeedingDispatch } from './outbox-batch-drain.js';
import { sendInlineDispatchInSpan } from './inline-dispatch-span.js';
import { listOutboxRowInsertValues, type NewOutboxRow } from './outbox-row-buffer.js';

/**
 * An outbox row that may be dispatched without being stored, because the transaction has no other row of the message
 * type.
 */
export interface InlineOutboxRow<P> {
  readonly key: string;
  readonly payload: P;
  /** Trace fields of the request that adds the outbox row. */
  readonly context: TraceContext;
}

/**
 * Dispatches the only outbox row of a transaction inside that transaction, in the message that commits the transaction.
 * The row then need not be stored, found and deleted. The whole dispatch is one SQL statement. In that statement the
 * database server decides if inline dispatch is possible; otherwise the row is stored and dispatched like any other
 * row.
 */
export interface InlineDispatcher<P> {
  /**
   * SQL condition under which inline dispatch is possible. The parameters of the condition are the parameters that
   * `begin` returns, numbered from {@link firstInlineParameterNumber} on.
   */
  readonly condition: string;
  /**
   * SQL of common table expressions that do the work of the dispatcher. The last expression is named `done`. The
   * expressions must have no effect unless `(SELECT goes FROM inline)` is true. The expressions see only committed
   * data.
   */
  readonly work: string;
  /**
   * Returns the work for an outbox row, or null if the row must be stored and dispatched after the commit. The function
   * must not wait for anything.
   */
  begin(row: InlineOutboxRow<P>): InlineDispatchWork | null;
}

/** Parameters and callbacks for dispatching one outbox row inline. */
export interface InlineDispatchWork {
  readonly params: readonly unknown[];
  /**
   * Called after the commit with the result rows of the SQL expression `done`. If a crash prevents the work of this
   * function, the work must be recoverable from committed data.
   */
  committed(rows: readonly Record<string, unknown>[]): Promise<void>;
  /**
   * Called when the server has stored the outbox row instead of dispatching it inline. The commit is not confirmed yet.
   */
  declined(): void;
}

/** Number of the first statement parameter that belongs to the inline dispatcher. */
export const firstInlineParameterNumber = 10;

/** Settings for the dispatch of the outbox rows of a message type. Each setting has a default. */
export interface OutboxDispatchSettings<P> extends Partial<OutboxBatchDispatchSettings> {
  /**
   * Dispatcher of an outbox row that is the only row of its transaction. The row is dispatched with the commit
   * (docs/adr/0014). Default: the row is stored like any other row.
   */
  readonly inline?: InlineDispatcher<P>;
  /** Function that selects the keys whose outbox rows must be dispatched. Default: all keys. */
  readonly selectKeys?: SelectKeysNeedingDispatch;
}

/**
 * Returns the SQL statement that dispatches a row inline or stores it. Inline dispatch requires that the outbox has no
 * other row with an equal key, because the other row must be dispatched first. That row is visible until its dispatch
 * commits.
 */
function createInlineDispatchStatement(schema: string, { condition, work }: InlineDispatcher<never>): string {
  return `WITH inline AS MATERIALIZED (
      SELECT coalesce((${condition}) AND NOT EXISTS (
        SELECT FROM ${schema}.outbox o WHERE o.topic = $1 AND o.key = $5 AND (o.seq IS NULL)::int <> 0), false) AS goes),
    stored AS (
      INSERT INTO ${schema}.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
      SELECT $1::text, $2::text, $3::int, $4::json, $5::text, $6::timestamptz, $7::json, $8::text, $9::int
        FROM inline WHERE NOT goes),
    ${work}
    SELECT inline.goes AS dispatched, done.* FROM inline LEFT JOIN done ON true`;
}

/** Dispatches outbox rows of one message type inline. */
export class InlineOutboxDispatch<P> {
  /** Number of outbox rows that this process has dispatched inline. */
  dispatched = 0;
  private readonly statement: string;
  private readonly tracer = findTracer('@switchboard/queue');

  constructor(
    schema: string,
    private readonly dispatcher: InlineDispatcher<P>,
    private readonly logger: QueueLogger,
    private readonly onDispatched: () => void,
  ) {
    this.statement = createInlineDispatchStatement(schema, dispatcher);
  }

  /**
   * Sends the statement that dispatches `row` inline or inserts it into the outbox. Returns false if the caller must
   * insert the row. The promise resolves to the work that must follow the commit, or to null if the row was stored and
   * must still be dispatched.
   */
  beginInlineDispatch(row: NewOutboxRow, tx: QueueTx): Promise<(() => Promise<void>) | null> | false {
    if (row.key === null || row.notBefore !== null || row.parsed === undefined) return false;
    const context = row.context === null ? {} : (JSON.parse(row.context) as TraceContext);
    // The payload as the message type's schema parsed it when the row was added.
    const work = this.createDispatchWork({ key: row.key, payload: row.parsed as P, context });
    if (work === null) return false;
    if (this.tracer === null) return this.sendDispatchStatement(row, work, tx);
    return sendInlineDispatchInSpan(this.tracer, row.topic, context.traceparent, () =>
      this.sendDispatchStatement(row, work, tx),
    );
  }

  /**
   * Returns the dispatcher's work for an outbox row. If the dispatcher throws, logs the error and returns null, because
   * COMMIT is sent in any case and the row must not be lost.
   */
  private createDispatchWork(row: InlineOutboxRow<P>): InlineDispatchWork | null {
    try {
      return this.dispatcher.begin(row);
    } catch (error) {
      this.logger.warn(
        { error: formatErrorText(error) },
        'inline dispatch failed, the row is stored and dispatched after the commit',
      );
      return null;
    }
  }

  private async sendDispatchStatement(
    row: NewOutboxRow,
    work: InlineDispatchWork,
    tx: QueueTx,
  ): Promise<(() => Promise<void>) | null> {
    const params = [...listOutboxRowInsertValues(row), ...work.params];
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
