import type { QueueTx } from '../database.js';
import { omitUndefinedValues, type QueueLogger } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import {
  OutboxBatchDispatcher,
  type OutboxBatchDispatchSettings,
  type EndDispatchSqlProvider,
} from './outbox-batch-drain.js';
import type { OutboxTablesLocation } from './dead-letters.js';
import type { OutboxRowsDispatcher } from './outbox-dispatcher.js';
import type { OutboxDispatchFunctions } from './dispatch-functions.js';
import { InlineOutboxDispatch, type OutboxDispatchSettings } from './inline-dispatch.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import type { NewOutboxRow } from './outbox-row-buffer.js';

export interface OutboxBatchDispatchersOptions {
  readonly tables: OutboxTablesLocation;
  readonly defaults: OutboxBatchDispatchSettings;
  readonly logger: QueueLogger;
  readonly faultPoint: FaultPointListener | undefined;
}

/** Message types of an outbox whose rows this process dispatches in batches. */
export class OutboxBatchDispatchers {
  private readonly counts = new Map<string, () => number>();
  private readonly batches: Pick<OutboxBatchDispatcher<never>, 'endWaits' | 'stop'>[] = [];

  constructor(private readonly options: OutboxBatchDispatchersOptions) {}

  /**
   * Creates the functions that dispatch a message type. With `endSql`, a dispatch does not delete the rows of the
   * message type.
   */
  createDispatchFunctions<P, I>(
    topic: OutboxMessageType<P, I>,
    dispatcher: OutboxRowsDispatcher<P>,
    settings: OutboxDispatchSettings<P>,
    endSql?: EndDispatchSqlProvider<P>,
  ): OutboxDispatchFunctions {
    const { tables, defaults, logger, faultPoint } = this.options;
    const merged = { ...defaults, ...omitUndefinedValues(settings), ...(endSql && { endSql }) };
    const batch = new OutboxBatchDispatcher(tables.pool, tables.schema, topic, dispatcher, merged, logger, faultPoint);
    const dispatched = (): void => faultPoint?.('outbox.after-dispatch');
    const inline = settings.inline && new InlineOutboxDispatch(tables.schema, settings.inline, logger, dispatched);
    this.counts.set(topic.name, () => batch.dispatched + (inline?.dispatched ?? 0));
    this.batches.push(batch);
    return {
      dispatchRealm: () => batch.dispatchReadyOutboxRows(),
      isLocal: endSql !== undefined,
      ...(inline && { beforeCommit: { add: (row: NewOutboxRow, tx: QueueTx) => inline.beginInlineDispatch(row, tx) } }),
    };
  }

  hasDispatcherOfTopic(topic: string): boolean {
    return this.counts.has(topic);
  }

  /** Returns the number of outbox rows that this process has dispatched, by message type. */
  countDispatchedRowsByTopic(): { topic: string; count: number }[] {
    return [...this.counts].map(([topic, count]) => ({ topic, count: count() }));
  }

  /** Ends all waits for more outbox rows, because the process is stopping. */
  endWaitsForMoreRows(): void {
    for (const batch of this.batches) batch.endWaits();
  }

  /** Stops the dispatch of all message types after the current batches. */
  stopAllDispatches(): void {
    for (const batch of this.batches) batch.stop();
  }
}
