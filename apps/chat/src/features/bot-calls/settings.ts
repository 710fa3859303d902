import type { OutboundClientOptions } from '@switchboard/outbound';
import { booleanVariableSchema, integerVariableSchema, listVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

/** Environment variables for requests to the services of outgoing webhook bots. */
export const botServiceEnvironmentVariables = {
  BOT_CALL_TIMEOUT_MS: integerVariableSchema({ min: 100, max: 60_000 })
    .default(10_000)
    .meta({ description: "Time limit for the response of a bot's service, in milliseconds" }),
  BOT_CALL_RETRIES: integerVariableSchema({ min: 0, max: 20 })
    .default(3)
    .meta({ description: "Retries of a failed call to a bot's service" }),
  BOT_CALL_RETRY_INITIAL_MS: integerVariableSchema({ min: 1, max: 300_000 }).default(2000).meta({
    description:
      'Longest wait before the first retry of a bot call, in milliseconds; it doubles for each further retry',
  }),
  BOT_CALL_ALLOW_LOOPBACK: booleanVariableSchema()
    .optional()
    .meta({ description: "Whether bots' services may be on the loopback address; unset, in development only" }),
  BOT_CALL_ALLOW_PRIVATE: booleanVariableSchema()
    .default(false)
    .meta({ description: "Whether bots' services may be in private networks (RFC 1918, RFC 4193, RFC 6598)" }),
  BOT_CALL_ALLOW_HOSTS: listVariableSchema().default([]).meta({
    description: "Hosts of bots' services that are allowed with any address; `*.example.com` matches all subdomains",
  }),
  BOT_CALL_ALLOW_NETWORKS: listVariableSchema()
    .default([])
    .meta({ description: "Networks of bots' services in CIDR notation that are always allowed" }),
};

const botServiceEnvironmentSchema = z.object(botServiceEnvironmentVariables);

/** Parsed values of the environment variables {@link botServiceEnvironmentVariables}. */
export type BotServiceRequestConfiguration = z.infer<typeof botServiceEnvironmentSchema>;

/** Maximum size of the response of a bot's service in bytes, enough for the longest message in any JSON encoding. */
const maxBotServiceResponseBytes = 256 * 1024;

/**
 * Returns the options of the HTTP client for the services of bots. Loopback addresses are allowed in development unless
 * configured otherwise.
 */
export function getBotServiceClientOptions(
  config: BotServiceRequestConfiguration & { readonly NODE_ENV: string },
): OutboundClientOptions {
  return {
    policy: {
      allowLoopback: config.BOT_CALL_ALLOW_LOOPBACK ?? config.NODE_ENV === 'development',
      allowPrivate: config.BOT_CALL_ALLOW_PRIVATE,
      allowHosts: config.BOT_CALL_ALLOW_HOSTS,
      allowNetworks: config.BOT_CALL_ALLOW_NETWORKS,
    },
    headersTimeoutMs: config.BOT_CALL_TIMEOUT_MS,
    totalTimeoutMs: config.BOT_CALL_TIMEOUT_MS,
    maxResponseBytes: maxBotServiceResponseBytes,
    // Message and token are only for the service that the owner chose, not for one that it redirects to.
    maxRedirects: 0,
  };
}
