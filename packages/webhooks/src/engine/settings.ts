import { publicOnly, type OutboundClientOptions } from '@switchboard/outbound';
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

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;

/**
 * Default settings: six attempts over about an hour, public addresses only, 20 concurrent deliveries per process of
 * which 4 to one receiver.
 */
export const webhookDefaults: WebhookSettings = {
  retry: { retries: 5, initialMs: 10 * secondMs, factor: 4, maxMs: hourMs, jitter: 0.1 },
  outbound: {
    policy: publicOnly,
    connectTimeoutMs: 5 * secondMs,
    headersTimeoutMs: 15 * secondMs,
    totalTimeoutMs: 30 * secondMs,
    maxResponseBytes: 16 * 1024,
  },
  concurrency: 20,
  destinationConcurrency: 4,
  breaker: { failures: 4, openMs: 10 * secondMs, maxOpenMs: 300 * secondMs, probeWaitMs: 5 * secondMs },
  leaseMs: 45 * secondMs,
  sweepMs: 10 * secondMs,
  overdueMs: 20 * secondMs,
};
