import { booleanVariableSchema, integerVariableSchema, listVariableSchema } from '@switchboard/platform';
import { isProxyUrl, type AddressPolicy } from '@switchboard/outbound';
import { defaultLimits } from '@switchboard/templates';
import { webhookDefaults, type WebhookDeliverySettings as DeliverySettings } from '@switchboard/webhooks';
import { z } from 'zod';

const millisecondsPerSecond = 1000;
const millisecondsPerHour = 3600 * millisecondsPerSecond;

/** Environment variables of webhook delivery. Times are in milliseconds. */
export const webhookEnvironmentVariables = z.object({
  WEBHOOK_RETRIES: integerVariableSchema({ min: 0, max: 50 })
    .default(5)
    .meta({ description: 'Attempts after a failed first one; 0 makes the first failure final' }),
  WEBHOOK_RETRY_INITIAL_MS: integerVariableSchema({ min: 1, max: millisecondsPerHour })
    .default(10 * millisecondsPerSecond)
    .meta({ description: 'Wait before the first retry; each further wait is four times the one before' }),
  WEBHOOK_RETRY_MAX_MS: integerVariableSchema({ min: 1, max: 24 * millisecondsPerHour })
    .default(millisecondsPerHour)
    .meta({
      description: 'Longest wait before a retry, in milliseconds, also when Retry-After of the receiver is longer',
    }),
  WEBHOOK_CONNECT_TIMEOUT_MS: integerVariableSchema({ min: 1 })
    .default(5 * millisecondsPerSecond)
    .meta({ description: 'Time limit for connecting to a receiver, in milliseconds' }),
  WEBHOOK_HEADERS_TIMEOUT_MS: integerVariableSchema({ min: 1 })
    .default(15 * millisecondsPerSecond)
    .meta({ description: 'Time limit for the response headers of a receiver, in milliseconds' }),
  WEBHOOK_TOTAL_TIMEOUT_MS: integerVariableSchema({ min: 1, max: 300 * millisecondsPerSecond })
    .default(30 * millisecondsPerSecond)
    .meta({ description: 'Time limit for one attempt, redirects included, in milliseconds' }),
  WEBHOOK_RECORD_TIMEOUT_MS: integerVariableSchema({ min: 100, max: 300 * millisecondsPerSecond })
    .default(15 * millisecondsPerSecond)
    .meta({
      description:
        'Time in milliseconds after the request of an attempt for recording the outcome; then the process counts as dead',
    }),
  WEBHOOK_SWEEP_MS: integerVariableSchema({ min: 10, max: millisecondsPerHour })
    .default(10 * millisecondsPerSecond)
    .meta({ description: 'Interval between sweeps for deliveries without a job, in milliseconds' }),
  WEBHOOK_OVERDUE_MS: integerVariableSchema({ min: 10, max: millisecondsPerHour })
    .default(20 * millisecondsPerSecond)
    .meta({
      description: 'Age of an overdue delivery, in milliseconds, at which a sweep checks that a job exists for it',
    }),
  WEBHOOK_CONCURRENCY: integerVariableSchema({ min: 1, max: 1000 }).default(20).meta({
    description:
      'Most concurrent deliveries by jobs in one process; first attempts of single changes run in addition, at most as many',
  }),
  WEBHOOK_DESTINATION_CONCURRENCY: integerVariableSchema({ min: 1, max: 1000 }).default(4).meta({
    description:
      'Most concurrent deliveries to one destination (origin of a URL), so that a slow receiver delays no other',
  }),
  WEBHOOK_BREAKER_FAILURES: integerVariableSchema({ min: 1, max: 1_000_000 }).default(4).meta({
    description:
      'Consecutive attempts without a response of the destination until the circuit breaker opens. Then deliveries to the destination wait, and one delivery is sent as a probe',
  }),
  WEBHOOK_BREAKER_OPEN_MS: integerVariableSchema({ min: 1, max: millisecondsPerHour })
    .default(10 * millisecondsPerSecond)
    .meta({
      description: 'First wait of an open circuit breaker, in milliseconds; it doubles after each failed trial',
    }),
  WEBHOOK_BREAKER_MAX_OPEN_MS: integerVariableSchema({ min: 1, max: 24 * millisecondsPerHour })
    .default(300 * millisecondsPerSecond)
    .meta({ description: 'Longest wait of an open circuit breaker, in milliseconds' }),
  WEBHOOK_SKIP_EMPTY_CHANGES: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether a write that changes nothing sends no event; it never writes a change record' }),
  JINJA_ENVIRONMENT_PARAMS: listVariableSchema().default([]).meta({
    description: 'Environment variables whose values templates of webhooks may read with the filter env',
    listsVariables: true,
  }),
  WEBHOOK_SECRET_OVERLAP_MS: integerVariableSchema({ min: 0, max: 90 * 24 * millisecondsPerHour })
    .default(24 * millisecondsPerHour)
    .meta({
      description:
        'Time for which a replaced webhook secret still signs deliveries, in milliseconds; at most three replaced secrets do',
    }),
  WEBHOOK_DELIVERY_RETENTION: integerVariableSchema({ min: 0 })
    .default(90)
    .meta({ description: 'Days until finished deliveries and attempts are removed; 0 for never' }),
  WEBHOOK_ALLOW_LOOPBACK: booleanVariableSchema()
    .optional()
    .meta({ description: 'Whether webhooks may be sent to the loopback address; unset, in development only' }),
  WEBHOOK_ALLOW_PRIVATE: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether webhooks may be sent to private networks (RFC 1918, RFC 4193, RFC 6598)' }),
  WEBHOOK_ALLOW_HOSTS: listVariableSchema().default([]).meta({
    description: 'Hosts that may receive webhooks at any address; `*.example.com` matches all subdomains',
  }),
  WEBHOOK_ALLOW_NETWORKS: listVariableSchema()
    .default([])
    .meta({ description: 'Networks in CIDR notation that webhooks may always be sent to' }),
  WEBHOOK_PROXY: z
    .string()
    .refine(isProxyUrl, 'must read http://user:password@host:port or https://…')
    .optional()
    .meta({
      description: 'Forward proxy for all webhooks: http://user:password@host:port, or https://. It must allow CONNECT',
      secret: true,
    }),
  WEBHOOK_NO_PROXY: listVariableSchema().default([]).meta({
    description:
      'Hosts that webhooks reach without the proxy: names, `*.example.com` for those below, networks in CIDR notation',
  }),
  WEBHOOK_PROXY_RESOLVES_NAMES: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether the proxy resolves host names; the proxy then has to refuse forbidden addresses' }),
});

/** Settings for rendering the templates of webhooks. */
export interface WebhookTemplateSettings {
  /** Time limit, in milliseconds, for rendering one webhook template. */
  readonly timeoutMs: number;
  /** Values of the environment variables that webhook templates may read, by name of the variable. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Settings of webhook delivery: for the delivery engine, for templates and for signatures. All times are in
 * milliseconds.
 */
export interface WebhookSettings extends DeliverySettings {
  readonly templates: WebhookTemplateSettings;
  /** Time, in milliseconds, for which an old webhook secret remains valid after it was replaced. */
  readonly secretOverlapMs: number;
}

/** Part of the service's configuration on which webhook delivery depends. */
export type WebhookEnvironment = z.infer<typeof webhookEnvironmentVariables> & {
  readonly NODE_ENV: string;
  /** Time limit, in milliseconds, for rendering one webhook template. */
  readonly TEMPLATE_TIMEOUT_MS?: number;
  /** Values of the environment variables that JINJA_ENVIRONMENT_PARAMS names, by name of the variable. */
  readonly templateVariables?: Readonly<Record<string, string>>;
};

/**
 * Returns the settings of webhook delivery from the configuration. In development, webhooks may by default be sent to
 * loopback addresses.
 */
export function createWebhookSettings(env: WebhookEnvironment): WebhookSettings {
  const policy: AddressPolicy = {
    allowLoopback: env.WEBHOOK_ALLOW_LOOPBACK ?? env.NODE_ENV === 'development',
    allowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    allowHosts: env.WEBHOOK_ALLOW_HOSTS,
    allowNetworks: env.WEBHOOK_ALLOW_NETWORKS,
  };
  return {
    retry: {
      retries: env.WEBHOOK_RETRIES,
      initialMs: env.WEBHOOK_RETRY_INITIAL_MS,
      factor: webhookDefaults.retry.factor,
      maxMs: env.WEBHOOK_RETRY_MAX_MS,
      jitter: webhookDefaults.retry.jitter,
    },
    outbound: {
      policy,
      connectTimeoutMs: env.WEBHOOK_CONNECT_TIMEOUT_MS,
      headersTimeoutMs: env.WEBHOOK_HEADERS_TIMEOUT_MS,
      totalTimeoutMs: env.WEBHOOK_TOTAL_TIMEOUT_MS,
      maxResponseBytes: 16 * 1024,
      ...(env.WEBHOOK_PROXY === undefined
        ? {}
        : {
            proxy: {
              url: env.WEBHOOK_PROXY,
              noProxy: env.WEBHOOK_NO_PROXY,
              resolvesNames: env.WEBHOOK_PROXY_RESOLVES_NAMES,
            },
          }),
    },
    concurrency: env.WEBHOOK_CONCURRENCY,
    destinationConcurrency: env.WEBHOOK_DESTINATION_CONCURRENCY,
    breaker: {
      failures: env.WEBHOOK_BREAKER_FAILURES,
      openMs: env.WEBHOOK_BREAKER_OPEN_MS,
      maxOpenMs: env.WEBHOOK_BREAKER_MAX_OPEN_MS,
      probeWaitMs: webhookDefaults.breaker.probeWaitMs,
    },
    leaseMs: env.WEBHOOK_TOTAL_TIMEOUT_MS + env.WEBHOOK_RECORD_TIMEOUT_MS,
    sweepMs: env.WEBHOOK_SWEEP_MS,
    overdueMs: env.WEBHOOK_OVERDUE_MS,
    templates: {
      timeoutMs: env.TEMPLATE_TIMEOUT_MS ?? defaultLimits.timeoutMs,
      variables: env.templateVariables ?? {},
    },
    secretOverlapMs: env.WEBHOOK_SECRET_OVERLAP_MS,
  };
}
