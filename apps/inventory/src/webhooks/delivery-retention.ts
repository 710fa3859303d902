import { DailyCleanup, repeated, type DailyCleanupOptions } from '../daily-cleanup.js';

// Asked twice when it finished: one that was requeued meanwhile has its new life.
const deliveries = `DELETE FROM webhook_deliveries WHERE finished < $2::timestamptz AND sequence IN (
  SELECT sequence FROM webhook_deliveries WHERE finished < $2::timestamptz ORDER BY finished LIMIT $1)`;

const attempts = `DELETE FROM webhook_delivery_attempts WHERE (delivery_sequence, number) IN (
  SELECT delivery_sequence, number FROM webhook_delivery_attempts WHERE started < $2::timestamptz
   ORDER BY started LIMIT $1)`;

/** Removes deliveries that finished long ago, with their attempts, and old attempts of those that are still there. */
export function deliveryRetention(options: Omit<DailyCleanupOptions, 'what' | 'removals'>): DailyCleanup {
  return new DailyCleanup({
    ...options,
    what: 'deliveries and attempts',
    removals: [repeated(deliveries), repeated(attempts)],
  });
}
