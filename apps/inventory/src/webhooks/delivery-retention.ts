import { DeliveryRetention, type DeliveryRetentionOptions } from '@switchboard/webhooks';
import { deliveryTables } from './delivery-tables.js';

/**
 * Creates the daily cleanup that deletes old webhook deliveries with their attempts, and old attempts of remaining
 * deliveries.
 */
export function createDeliveryRetention(options: Omit<DeliveryRetentionOptions, 'tables'>): DeliveryRetention {
  return new DeliveryRetention({ ...options, tables: deliveryTables });
}
