import { DailyCleanup, repeatStatement, type DailyCleanupOptions } from '../daily-cleanup.js';

// `finished` is compared twice, because a delivery may be requeued between subquery and deletion.
const deleteDeliveriesSql = `DELETE FROM webhook_deliveries WHERE finished < $2::timestamptz AND sequence IN (
  SELECT sequence FROM webhook_deliveries WHERE finished < $2::timestamptz ORDER BY finished LIMIT $1)`;

const deleteAttemptsSql = `DELETE FROM webhook_delivery_attempts WHERE (delivery_sequence, number) IN (
  SELECT delivery_sequence, number FROM webhook_delivery_attempts WHERE started < $2::timestamptz
   ORDER BY started LIMIT $1)`;

/**
 * Creates the daily cleanup that deletes old webhook deliveries with their attempts, and old attempts of remaining
 * deliveries.
 */
export function deliveryRetention(options: Omit<DailyCleanupOptions, 'what' | 'removals'>): DailyCleanup {
  return new DailyCleanup({
    ...options,
    what: 'deliveries and attempts',
    removals: [repeatStatement(deleteDeliveriesSql), repeatStatement(deleteAttemptsSql)],
  });
}
