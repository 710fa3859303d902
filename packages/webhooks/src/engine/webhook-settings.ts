import { publicAddressesOnly, type OutboundClientOptions } from '@switchboard/outbound';
import type { BreakerSettings } from './circuit-breakers.js';
import type { RetryPolicy } from './retry-policy.js';

/** Settings of webhook delivery. Times are in milliseconds. */
export interface WebhookSettings {
  readonly retry: RetryPolicy;
  /** Address policy and time limits of requests to receivers. */
  readonly outbound: OutboundClientOptions;
  /** Maximum number of concurrent deliveries from one process by jobs; inline first attempts have as many again. */
  readonly concurrency: number;
  /** Maximum number of concurrent deliveries from one process to one receiver. */
  readonly destinationConcurrency: number;
  readonly breaker: BreakerSettings;
  /**
   * Time limit of an attempt, including the recording of its outcome. Afterwards another process may send the delivery.
   */
  readonly leaseMs: number;
  /** Interval at which deliveries without a job are looked for. */
  readonly sweepMs: number;
  /** Time for which a delivery may be overdue before its job is looked up. */
  readonly overdueMs: number;
}

const millisecondsPerSecond = 1_000;
const millisecondsPerHour = 3_600 * millisecondsPerSecond;

/**
 * Default settings: six attempts over about an hour, public addresses only, 20 concurrent deliveries per process of
 * which 4 to one receiver.
 */
export const webhookDefaults: WebhookSettings = {
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
