import type { QueueTx } from '../database.js';
import { omitUndefinedValues, type QueueLogger } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import { OutboxBatchDrain, type DrainSettings, type EndDispatchSql } from './outbox-batch-drain.js';
import type { OutboxTables } from './dead-letters.js';
import type { Dispatcher } from './outbox-dispatcher.js';
import type { DispatchFunctions } from './dispatch-functions.js';
import { InlineDispatch, type DispatchSettings } from './inline-dispatch.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import type { NewRow } from './outbox-row-buffer.js';

/** Dependencies of {@link BatchDispatchers}. */
export interface BatchDispatchersOptions {
  readonly tables: OutboxTables;
  readonly defaults: DrainSettings;
  readonly logger: QueueLogger;
  readonly faultPoint: OnFaultPoint | undefined;
}

/** Message types of an outbox whose rows this process dispatches in batches. */
export class BatchDispatchers {
  private readonly counts = new Map<string, () => number>();
  private readonly batches: Pick<OutboxBatchDrain<never>, 'endWaits' | 'stop'>[] = [];

  constructor(private readonly options: BatchDispatchersOptions) {}

  /**
   * Creates the functions that dispatch a message type. With `endSql`, a dispatch does not delete the rows of the
   * message type.
   */
  create<P, I>(
    topic: OutboxMessageType<P, I>,
    dispatcher: Dispatcher<P>,
    settings: DispatchSettings<P>,
    endSql?: EndDispatchSql<P>,
  ): DispatchFunctions {
    const { tables, defaults, logger, faultPoint } = this.options;
    const merged = { ...defaults, ...omitUndefinedValues(settings), ...(endSql && { endSql }) };
    const batch = new OutboxBatchDrain(tables.pool, tables.schema, topic, dispatcher, merged, logger, faultPoint);
    const dispatched = (): void => faultPoint?.('outbox.after-dispatch');
    const inline = settings.inline && new InlineDispatch(tables.schema, settings.inline, logger, dispatched);
    this.counts.set(topic.name, () => batch.dispatched + (inline?.dispatched ?? 0));
    this.batches.push(batch);
    return {
      dispatchRealm: () => batch.dispatchReadyRows(),
      isLocal: endSql !== undefined,
      ...(inline && { beforeCommit: { add: (row: NewRow, tx: QueueTx) => inline.begin(row, tx) } }),
    };
  }

  hasDispatcher(topic: string): boolean {
    return this.counts.has(topic);
  }

  /** Returns the number of outbox rows that this process has dispatched, by message type. */
  dispatched(): { topic: string; count: number }[] {
    return [...this.counts].map(([topic, count]) => ({ topic, count: count() }));
  }

  /** Ends all waits for more outbox rows, because the process is stopping. */
  endWaits(): void {
    for (const batch of this.batches) batch.endWaits();
  }

  /** Stops the dispatch of all message types after the current batches. */
  stop(): void {
    for (const batch of this.batches) batch.stop();
  }
}
