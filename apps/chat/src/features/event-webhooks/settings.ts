import { booleanVariableSchema, integerVariableSchema, listVariableSchema } from '@switchboard/platform';
import { webhookDefaults, type WebhookDeliverySettings } from '@switchboard/webhooks';
import { z } from 'zod';

const millisecondsPerSecond = 1_000;
const millisecondsPerHour = 3_600 * millisecondsPerSecond;

export const eventWebhookEnvironmentVariables = {
  EVENT_WEBHOOKS_PER_REALM: integerVariableSchema({ min: 1, max: 1_000 })
    .default(20)
    .meta({ description: 'Maximum number of event webhooks of an organization; more are refused' }),
  EVENT_WEBHOOK_RETRIES: integerVariableSchema({ min: 0, max: 50 })
    .default(5)
    .meta({ description: 'Retries of a failed delivery of an event webhook' }),
  EVENT_WEBHOOK_RETRY_INITIAL_MS: integerVariableSchema({ min: 1, max: millisecondsPerHour })
    .default(10 * millisecondsPerSecond)
    .meta({
      description:
        'Wait before the first retry of an event webhook, in milliseconds; each further wait is four times as long, at most one hour',
    }),
  EVENT_WEBHOOK_TIMEOUT_MS: integerVariableSchema({ min: 100, max: 300 * millisecondsPerSecond })
    .default(30 * millisecondsPerSecond)
    .meta({ description: 'Time limit for one attempt of an event webhook, in milliseconds' }),
  EVENT_WEBHOOK_RECORD_TIMEOUT_MS: integerVariableSchema({ min: 100, max: 300 * millisecondsPerSecond })
    .default(15 * millisecondsPerSecond)
    .meta({
      description:
        'Time in milliseconds after the request of an event webhook for recording the outcome; then the process counts as dead',
    }),
  EVENT_WEBHOOK_SWEEP_MS: integerVariableSchema({ min: 10, max: millisecondsPerHour })
    .default(10 * millisecondsPerSecond)
    .meta({
      description: 'Interval of the search for deliveries of event webhooks whose job was lost, in milliseconds',
    }),
  EVENT_WEBHOOK_OVERDUE_MS: integerVariableSchema({ min: 10, max: millisecondsPerHour })
    .default(20 * millisecondsPerSecond)
    .meta({
      description:
        'Time in milliseconds after which that search checks that an overdue delivery of an event webhook has a job',
    }),
  EVENT_WEBHOOK_RETENTION_DAYS: integerVariableSchema({ min: 1, max: 365 })
    .default(14)
    .meta({ description: 'Days until finished deliveries of event webhooks, with the sent events, are deleted' }),
  EVENT_WEBHOOK_ALLOW_LOOPBACK: booleanVariableSchema()
    .optional()
    .meta({ description: 'Whether event webhooks may be sent to the loopback address; unset, in development only' }),
  EVENT_WEBHOOK_ALLOW_PRIVATE: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether event webhooks may be sent to private networks (RFC 1918, RFC 4193, RFC 6598)' }),
  EVENT_WEBHOOK_ALLOW_HOSTS: listVariableSchema().default([]).meta({
    description: 'Hosts that may receive event webhooks at any address; `*.example.com` matches all subdomains',
  }),
  EVENT_WEBHOOK_ALLOW_NETWORKS: listVariableSchema()
    .default([])
    .meta({ description: 'Networks in CIDR notation that event webhooks may always be sent to' }),
};

const eventWebhookEnvironmentSchema = z.object(eventWebhookEnvironmentVariables);

/** Parsed values of the environment variables {@link eventWebhookEnvironmentVariables}. */
export type EventWebhookConfiguration = z.infer<typeof eventWebhookEnvironmentSchema>;

/**
 * Returns the settings of webhook deliveries. Deliveries to loopback addresses are allowed in development unless
 * configured otherwise.
 */
export function getEventWebhookSettings(
  config: EventWebhookConfiguration & { readonly NODE_ENV: string },
): WebhookDeliverySettings {
  const timeoutMs = config.EVENT_WEBHOOK_TIMEOUT_MS;
  return {
    ...webhookDefaults,
    retry: {
      ...webhookDefaults.retry,
      retries: config.EVENT_WEBHOOK_RETRIES,
      initialMs: config.EVENT_WEBHOOK_RETRY_INITIAL_MS,
    },
    outbound: {
      ...webhookDefaults.outbound,
      policy: {
        allowLoopback: config.EVENT_WEBHOOK_ALLOW_LOOPBACK ?? config.NODE_ENV === 'development',
        allowPrivate: config.EVENT_WEBHOOK_ALLOW_PRIVATE,
        allowHosts: config.EVENT_WEBHOOK_ALLOW_HOSTS,
        allowNetworks: config.EVENT_WEBHOOK_ALLOW_NETWORKS,
      },
      connectTimeoutMs: Math.min(timeoutMs, 5 * millisecondsPerSecond),
      headersTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
    },
    leaseMs: timeoutMs + config.EVENT_WEBHOOK_RECORD_TIMEOUT_MS,
    sweepMs: config.EVENT_WEBHOOK_SWEEP_MS,
    overdueMs: config.EVENT_WEBHOOK_OVERDUE_MS,
  };
}
