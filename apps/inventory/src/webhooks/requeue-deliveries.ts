import { defineOutboxMessage, type Dispatcher, type Outbox, type QueueTx, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import type { DeliveryQueue } from './delivery-queue.js';
import { listDueDeliveries, QUEUE_AGAIN_SQL, IS_WAITING_SQL } from './delivery-store.js';

/** Number of requeued deliveries in one outbox row. */
const deliveriesPerRow = 500;

/** Outbox message type of requeued deliveries, which need jobs. */
export const requeuedDeliveries = defineOutboxMessage({
  name: 'webhooks.requeued',
  version: 1,
  payload: z.object({ ids: z.array(z.uuid()) }),
});

type RequeuedDeliveries = z.infer<typeof requeuedDeliveries.payload>;

/**
 * Returns the dispatcher that adds jobs for requeued deliveries. {@link DeliverySweep} adds jobs that Redis rejects.
 */
export function requeuedDispatcher(queue: DeliveryQueue): Dispatcher<RequeuedDeliveries> {
  return async (rows, tx) => {
    const due = await listDueDeliveries(
      tx,
      rows.flatMap(({ payload }) => payload.ids),
    );
    return { afterCommit: () => queue.addDue(due, { byHand: true }) };
  };
}

/** Selection of deliveries to requeue: `where` is an SQL condition on rows `t` of the view `extras_webhookdelivery`. */
export interface RequeueCondition {
  readonly where: string;
  /** True to make waiting deliveries due, in addition to requeuing failed deliveries. Default false. */
  readonly waiting?: boolean;
  /** SQL text expressions that the same statement evaluates, such as checks of filter values. */
  readonly checks?: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Requeues failed deliveries under their ids, with all attempts of the retry policy (inventory-3-3). Optionally also
 * makes waiting deliveries due. Takes one statement. Later deliveries about the same objects may have been sent
 * already; later queued deliveries wait. Jobs are added through the outbox.
 *
 * @returns the number of requeued deliveries, and the results of `checks`
 */
export async function requeueDeliveries(
  tx: QueueTx,
  outbox: Pick<Outbox, 'add'>,
  { where, waiting = false, checks = [], values }: RequeueCondition,
): Promise<{ readonly requeued: number; readonly found: readonly string[] }> {
  const { rows } = await tx.query<{ ids: string[]; found: string[] }>(
    `WITH d AS (
       UPDATE webhook_deliveries d
          SET ${QUEUE_AGAIN_SQL}
         FROM extras_webhookdelivery t
        WHERE t.id = d.sequence AND (d.status = 'failed'${waiting ? ` OR ${IS_WAITING_SQL}` : ''}) AND ${where}
       RETURNING d.id, d.sequence)
     SELECT coalesce((SELECT array_agg(id::text ORDER BY sequence) FROM d), '{}') AS ids,
            ARRAY[${checks.join(', ')}]::text[] AS found`,
    [...values],
  );
  const { ids, found } = rows[0] ?? { ids: [], found: [] };
  for (let start = 0; start < ids.length; start += deliveriesPerRow) {
    outbox.add(transactionHandle(tx), requeuedDeliveries, { ids: ids.slice(start, start + deliveriesPerRow) });
  }
  return { requeued: ids.length, found };
}
