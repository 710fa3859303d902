import { z } from 'zod';
import { integerVariableSchema } from './environment-variable-schemas.js';
import { tracingEnvironmentSchema } from './tracing-environment.js';
import { findTrustEverythingReason, trustProxySchema } from './trust-proxy.js';

const processCountSchema = z
  .string()
  .regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto, or a whole number from 1 to 999')
  .transform((value) => (value === 'auto' ? value : Number(value)));

const faultPointSchema = z
  .string()
  .regex(/^[a-z0-9.-]+:[1-9]\d*$/, 'must read name:nth')
  .transform((value) => {
    const colon = value.indexOf(':');
    return { name: value.slice(0, colon), nth: Number(value.slice(colon + 1)) };
  });

/**
 * Environment variables of every service. Each app extends this schema with its own variables:
 * `platformEnvironmentSchema.extend({ CHAT_PORT: … })`.
 */
export const platformEnvironmentSchema = z.object({
  CONFIG_FILE: z.string().optional().meta({
    description: 'Path of a file with further variables as NAME=value lines; the environment takes precedence over it',
  }),
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .meta({ description: 'production refuses to start without configured secrets and creates no demo data' }),
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on' }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Least level that is logged' }),
  TRUST_PROXY: trustProxySchema.default(false).meta({
    description:
      'Proxies whose X-Forwarded-* headers are trusted: false, the number of proxies such as 1, or addresses and networks separated by commas. The value true trusts the address that a client claims, and is refused in production',
    faultInProduction: findTrustEverythingReason,
  }),
  ROLE: z
    .enum(['api', 'worker', 'all'])
    .default('all')
    .meta({ description: 'Work of this process: requests (`api`), queues (`worker`), or both (`all`)' }),
  PROCESSES: processCountSchema.default(1).meta({
    description:
      'Processes that share the port under one supervisor, which serves their metrics. `auto` is the number of cores that the control group allows; 1 runs without a supervisor',
  }),
  REPLACEMENT_TIMEOUT_MS: integerVariableSchema({ min: 1, max: 3_600_000 }).default(120_000).meta({
    description:
      'Longest time, in milliseconds, that a new process may take to become ready when SIGHUP replaces the processes. After it the new process is stopped and the running one continues',
  }),
  BODY_LIMIT_BYTES: integerVariableSchema({ min: 1 })
    .default(2_621_440)
    .meta({ description: 'Largest request body in bytes; a larger one gets 413' }),
  REQUEST_TIMEOUT_MS: integerVariableSchema({ min: 0 })
    .default(60_000)
    .meta({ description: 'Time limit for receiving one whole request, in milliseconds; 0 is no limit' }),
  KEEP_ALIVE_TIMEOUT_MS: integerVariableSchema({ min: 1 }).default(72_000).meta({
    description:
      'Time until an idle connection is closed, in milliseconds; longer than the idle timeout of the proxy in front',
  }),
  COMPRESSION_THRESHOLD_BYTES: integerVariableSchema({ min: 0 })
    .default(1024)
    .meta({ description: 'Size in bytes from which responses are compressed' }),
  SHUTDOWN_TIMEOUT_MS: integerVariableSchema({ min: 1 }).default(9_000).meta({
    description: 'Time limit for an orderly stop, in milliseconds; container engines kill after 10 s by default',
  }),
  SHUTDOWN_DELAY_MS: integerVariableSchema({ min: 0 }).default(0).meta({
    description:
      'Time for which a stopping process still accepts requests while its readiness check fails, in milliseconds, so that a proxy detects the failing check',
  }),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .meta({ description: 'Address on which `/metrics` is served, apart from the API' }),
  METRICS_PORT: integerVariableSchema({ min: 0, max: 65_535 })
    .optional()
    .meta({ description: 'Port of `/metrics`; 0 takes any free port, which the log names. Not served when absent' }),
  SLOW_QUERY_MS: integerVariableSchema({ min: 0 })
    .default(200)
    .meta({ description: 'Duration in milliseconds above which an SQL statement is logged with the request id' }),
  ...tracingEnvironmentSchema,
  FAULT_POINT: faultPointSchema.optional().meta({
    description: 'For fault tests: point of the code at which the process kills itself, as name:nth for the nth pass',
    refusedInProduction: true,
  }),
});

/** Parsed values of the environment variables in {@link platformEnvironmentSchema}. */
export type PlatformConfig = z.infer<typeof platformEnvironmentSchema>;
