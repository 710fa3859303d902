import { publicAddressesOnly, type OutboundClientOptions } from '@switchboard/outbound';
import type { ReceiverCircuitBreakerSettings } from './circuit-breakers.js';
import type { DeliveryRetryPolicy } from './retry-policy.js';

/** Settings of webhook delivery. Times are in milliseconds. */
export interface WebhookDeliverySettings {
  readonly retry: DeliveryRetryPolicy;
  /** Address policy and time limits of requests to receivers. */
  readonly outbound: OutboundClientOptions;
  /**
   * Maximum number of concurrent deliveries by jobs of one process. Concurrent first attempts without a job have a
   * separate maximum of equal size.
   */
  readonly concurrency: number;
  /** Maximum number of concurrent deliveries from one process to one receiver. */
  readonly destinationConcurrency: number;
  readonly breaker: ReceiverCircuitBreakerSettings;
  /**
   * Time limit of a delivery attempt in milliseconds, including the recording of its outcome. After this time another
   * process may send the delivery.
   */
  readonly leaseMs: number;
  /** Interval between two searches for deliveries without a job, in milliseconds. */
  readonly sweepMs: number;
  /** Time in milliseconds for which a delivery may be overdue before a process checks whether its job exists. */
  readonly overdueMs: number;
}

const millisecondsPerSecond = 1_000;
const millisecondsPerHour = 3_600 * millisecondsPerSecond;

/**
 * Default settings of webhook delivery: six attempts over about an hour, public addresses only, 20 concurrent
 * deliveries per process of which 4 to one receiver.
 */
export const webhookDefaults: WebhookDeliverySettings = {
  retry: { retries: 5, initialMs: 10 * millisecondsPerSecond, factor: 4, maxMs: millisecondsPerHour, jitter: 0.1 },
  outbound: {
    policy: publicAddressesOnly,
    connectTimeoutMs: 5 * millisecondsPerSecond,
    headersTimeoutMs: 15 * millisecondsPerSecond,
    totalTimeoutMs: 30 * millisecondsPerSecond,
    maxResponseBytes: 16 * 1024,
  },
  concurrency: 20,
  destinationConcurrency: 4,
  breaker: {
    failures: 4,
    openMs: 10 * millisecondsPerSecond,
    maxOpenMs: 300 * millisecondsPerSecond,
    probeWaitMs: 5 * millisecondsPerSecond,
  },
  leaseMs: 45 * millisecondsPerSecond,
  sweepMs: 10 * millisecondsPerSecond,
  overdueMs: 20 * millisecondsPerSecond,
};
