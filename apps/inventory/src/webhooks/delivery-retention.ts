import { DeliveryRetention, type DeliveryRetentionOptions } from '@switchboard/webhooks';
import { deliveryTables } from './delivery-tables.js';

/**
 * Creates the daily cleanup that deletes old webhook deliveries with their attempts. The cleanup also deletes old
 * attempts of deliveries that remain.
 */
export function createDeliveryRetention(options: Omit<DeliveryRetentionOptions, 'tables'>): DeliveryRetention {
  return new DeliveryRetention({ ...options, tables: deliveryTables });
}
