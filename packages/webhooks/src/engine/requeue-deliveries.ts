import {
  defineOutboxMessage,
  transactionHandle,
  type OutboxRowsDispatcher,
  type Outbox,
  type OutboxMessageType,
  type QueueTx,
} from '@switchboard/queue';
import { z } from 'zod';
import type { DeliveryQueue } from './delivery-queue.js';
import { requeueDeliveryAssignmentsSql } from './delivery-sql.js';
import type { DeliveryStore } from './delivery-store.js';

/** Number of requeued deliveries that one outbox row contains. */
const requeuedDeliveriesPerOutboxRow = 500;

const requeuedDeliveryIdsSchema = z.object({ ids: z.array(z.uuid()) });

/** Payload of an outbox message with the ids of requeued deliveries, which need jobs. */
export type RequeuedDeliveryIds = z.infer<typeof requeuedDeliveryIdsSchema>;

/** Defines the outbox message type for the ids of requeued deliveries. */
export function defineRequeuedMessage(name: string): OutboxMessageType<RequeuedDeliveryIds> {
  return defineOutboxMessage({ name: `${name}.requeued`, version: 1, payload: requeuedDeliveryIdsSchema });
}

/**
 * Returns the dispatcher that adds jobs for requeued deliveries, except deliveries that wait for an earlier delivery.
 * {@link LostDeliveryJobRestorer} adds jobs that Redis rejects.
 *
 * @param database pool or database in which each statement is a separate transaction
 */
export function createRequeuedDeliveriesDispatcher(
  database: QueueTx,
  store: DeliveryStore<unknown>,
  queue: DeliveryQueue,
): OutboxRowsDispatcher<RequeuedDeliveryIds> {
  return async (rows, tx) => {
    const ids = rows.flatMap(({ payload }) => payload.ids);
    const due = await store.listQueuedDeliveries(tx, ids);
    return {
      // Jobs of blocked deliveries would delay those of other keys.
      afterCommit: async () => {
        const unblocked = await store.listWithoutEarlierDelivery(database, ids);
        await queue.addFurtherAttempts(
          due.filter(({ id }) => unblocked.has(id)),
          { byHand: true },
        );
      },
    };
  };
}

/** Condition that selects the deliveries to requeue. */
export interface DeliveryRequeueCondition {
  /** SQL condition on the deliveries `d`, or on the rows of the tables in `from`. */
  readonly where: string;
  /** SQL list of further tables or views for the condition, such as `deliveries_view t`. Default: no tables. */
  readonly from?: string;
  /** True if waiting deliveries become due too, in addition to the requeued failed deliveries. Default false. */
  readonly waiting?: boolean;
  /**
   * True if `where` alone selects few rows, by an index or by row positions. The condition on the delivery status is
   * then written so that PostgreSQL does not read all failed deliveries by an index. Default false.
   */
  readonly isSelective?: boolean;
  /**
   * SQL expressions of type `text` that are evaluated in the statement of the requeue, such as checks of filter values.
   */
  readonly checks?: readonly string[];
  /** Values of the parameters `$1`, `$2`, ... of all SQL parts of the condition. */
  readonly values: readonly unknown[];
}

/** Number of requeued deliveries and the results of the caller's SQL checks. */
export interface RequeueResult {
  /** Number of requeued deliveries. */
  readonly requeued: number;
  /** Results of the SQL expressions in `checks`. */
  readonly found: readonly string[];
}

/**
 * Requeues the failed deliveries that match a condition, with unchanged ids and all attempts of the retry policy.
 * Optionally also makes waiting deliveries due. Sends one SQL statement. Later deliveries with the same order keys may
 * have been sent already; later queued deliveries wait. Jobs are added through the outbox, after the commit.
 */
export async function requeueMatchingDeliveries(
  tx: QueueTx,
  parts: {
    readonly store: DeliveryStore<unknown>;
    readonly outbox: Pick<Outbox, 'add'>;
    readonly message: OutboxMessageType<RequeuedDeliveryIds>;
  },
  { where, from, waiting = false, isSelective = false, checks = [], values }: DeliveryRequeueCondition,
): Promise<RequeueResult> {
  const { tables, sql } = parts.store;
  const isFailed = isSelective ? `(d.status = 'failed')::int <> 0` : `d.status = 'failed'`;
  const { rows } = await tx.query<{ ids: string[]; found: string[] }>(
    `WITH d AS (
       UPDATE ${tables.deliveries} d
          SET ${requeueDeliveryAssignmentsSql}
        ${from === undefined ? '' : `FROM ${from}`}
        WHERE (${isFailed}${waiting ? ` OR ${sql.isWaiting}` : ''}) AND ${where}
       RETURNING d.id, d.sequence)
     SELECT coalesce((SELECT array_agg(id::text ORDER BY sequence) FROM d), '{}') AS ids,
            ARRAY[${checks.join(', ')}]::text[] AS found`,
    [...values],
  );
  const { ids, found } = rows[0] ?? { ids: [], found: [] };
  for (let start = 0; start < ids.length; start += requeuedDeliveriesPerOutboxRow) {
    parts.outbox.add(transactionHandle(tx), parts.message, {
      ids: ids.slice(start, start + requeuedDeliveriesPerOutboxRow),
    });
  }
  return { requeued: ids.length, found };
}
