import { envBoolean, envInteger, envList } from '@switchboard/platform';
import { isProxyUrl, type AddressPolicy, type OutboundClientOptions } from '@switchboard/outbound';
import { defaultLimits } from '@switchboard/templates';
import { z } from 'zod';
import type { BreakerSettings } from './circuit-breakers.js';
import type { RetryPolicy } from './retry-policy.js';
import type { TemplateSettings } from './webhook-templates.js';

const second = 1000;
const hour = 3600 * second;

/** The variables that webhook delivery reads; part of the inventory's configuration. Times in milliseconds. */
export const webhookEnv = z.object({
  WEBHOOK_RETRIES: envInteger({ min: 0, max: 50 })
    .default(5)
    .meta({ description: 'Attempts after a failed first one; 0 makes the first failure final' }),
  WEBHOOK_RETRY_INITIAL_MS: envInteger({ min: 1, max: hour })
    .default(10 * second)
    .meta({ description: 'Wait before the first retry; each further wait is four times the one before' }),
  WEBHOOK_RETRY_MAX_MS: envInteger({ min: 1, max: 24 * hour })
    .default(hour)
    .meta({ description: 'Longest wait before a retry, also when the receiver asks for a longer one' }),
  WEBHOOK_CONNECT_TIMEOUT_MS: envInteger({ min: 1 })
    .default(5 * second)
    .meta({ description: 'Time a receiver has to accept the connection' }),
  WEBHOOK_HEADERS_TIMEOUT_MS: envInteger({ min: 1 })
    .default(15 * second)
    .meta({ description: 'Time a receiver has to begin its answer' }),
  WEBHOOK_TOTAL_TIMEOUT_MS: envInteger({ min: 1, max: 300 * second })
    .default(30 * second)
    .meta({ description: 'Time for one whole attempt, redirects included' }),
  WEBHOOK_RECORD_TIMEOUT_MS: envInteger({ min: 100, max: 300 * second })
    .default(15 * second)
    .meta({
      description: 'Time an attempt has beyond its request to record what came of it; then its process counts as dead',
    }),
  WEBHOOK_SWEEP_MS: envInteger({ min: 10, max: hour })
    .default(10 * second)
    .meta({ description: 'Time between two looks for deliveries that wait without a job' }),
  WEBHOOK_OVERDUE_MS: envInteger({ min: 10, max: hour })
    .default(20 * second)
    .meta({ description: 'How long a delivery is overdue before a sweep asks whether a job moves it' }),
  WEBHOOK_CONCURRENCY: envInteger({ min: 1, max: 1000 }).default(20).meta({
    description:
      'Deliveries by jobs at once in one process; first attempts of single changes take as many places beside them at most',
  }),
  WEBHOOK_DESTINATION_CONCURRENCY: envInteger({ min: 1, max: 1000 }).default(4).meta({
    description: 'How many of these may go to one destination, the origin of a URL: a slow one delays no other',
  }),
  WEBHOOK_BREAKER_FAILURES: envInteger({ min: 1, max: 1_000_000 }).default(4).meta({
    description: 'Attempts in a row that do not reach a destination, after which its deliveries wait and one is tried',
  }),
  WEBHOOK_BREAKER_OPEN_MS: envInteger({ min: 1, max: hour })
    .default(10 * second)
    .meta({ description: 'How long they wait first; twice as long after each trial that fails' }),
  WEBHOOK_BREAKER_MAX_OPEN_MS: envInteger({ min: 1, max: 24 * hour })
    .default(300 * second)
    .meta({ description: 'Longest time between two trials of a destination' }),
  WEBHOOK_SKIP_EMPTY_CHANGES: envBoolean()
    .default(false)
    .meta({ description: 'Whether a write that changes nothing sends no event, as it leaves no change record' }),
  JINJA_ENVIRONMENT_PARAMS: envList()
    .default([])
    .meta({ description: 'Environment variables whose values templates of webhooks may read with the filter env' }),
  WEBHOOK_SECRET_OVERLAP_MS: envInteger({ min: 0, max: 90 * 24 * hour })
    .default(24 * hour)
    .meta({
      description:
        'Time for which a replaced webhook secret still signs deliveries, in milliseconds; three at most do so beside the present one',
    }),
  WEBHOOK_DELIVERY_RETENTION: envInteger({ min: 0 })
    .default(90)
    .meta({ description: 'Days that finished deliveries and records of attempts are kept; 0 keeps them for ever' }),
  WEBHOOK_ALLOW_LOOPBACK: envBoolean()
    .optional()
    .meta({ description: 'Webhooks may go to this machine; unless set, in development alone' }),
  WEBHOOK_ALLOW_PRIVATE: envBoolean()
    .default(false)
    .meta({ description: 'Webhooks may go to private networks (RFC 1918, RFC 4193, RFC 6598)' }),
  WEBHOOK_ALLOW_HOSTS: envList()
    .default([])
    .meta({ description: 'Hosts that webhooks may go to whatever their addresses; `*.example.com` names all below' }),
  WEBHOOK_ALLOW_NETWORKS: envList()
    .default([])
    .meta({ description: 'Networks in CIDR notation that webhooks may go to whatever they are for' }),
  WEBHOOK_PROXY: z
    .string()
    .refine(isProxyUrl, 'must read http://user:password@host:port or https://…')
    .optional()
    .meta({
      description: 'Forward proxy for all webhooks: http://user:password@host:port, or https://. It must allow CONNECT',
      secret: true,
    }),
  WEBHOOK_NO_PROXY: envList().default([]).meta({
    description:
      'Hosts that webhooks reach without the proxy: names, `*.example.com` for those below, networks in CIDR notation',
  }),
  WEBHOOK_PROXY_RESOLVES_NAMES: envBoolean()
    .default(false)
    .meta({ description: 'The proxy is given names, and trusted to refuse what webhooks must not reach' }),
});

/** What delivery is told. Times in milliseconds. */
export interface WebhookSettings {
  readonly retry: RetryPolicy;
  readonly outbound: OutboundClientOptions;
  /** Deliveries at once in one process. */
  readonly concurrency: number;
  /** How many of these to one destination. */
  readonly destinationConcurrency: number;
  readonly breaker: BreakerSettings;
  /** How long an attempt may take, its record included, before its delivery is taken for abandoned. */
  readonly leaseMs: number;
  /** Time between two looks for deliveries that no job moves. */
  readonly sweepMs: number;
  /** How long a delivery may be overdue before it is asked whether a job moves it. */
  readonly overdueMs: number;
  readonly templates: TemplateSettings;
  /** How long a former secret is valid. */
  readonly secretOverlapMs: number;
}

/** What webhook delivery takes from the configuration. */
export type WebhookEnv = z.infer<typeof webhookEnv> & {
  readonly NODE_ENV: string;
  /** What rendering one template may take. */
  readonly TEMPLATE_TIMEOUT_MS?: number;
  /** The variables that JINJA_ENVIRONMENT_PARAMS names, with their values. */
  readonly templateVariables?: Readonly<Record<string, string>>;
};

/** The settings that an environment asks for. Loopback is open in development unless it says otherwise. */
export function webhookSettings(env: WebhookEnv): WebhookSettings {
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
      factor: 4,
      maxMs: env.WEBHOOK_RETRY_MAX_MS,
      jitter: 0.1,
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
      probeWaitMs: 5 * second,
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
