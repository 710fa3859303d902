import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import { serveHealthChecks } from '../http/health-check-routes.js';
import type { ProcessHealth } from '../lifecycle/process-health.js';
import type { Shutdown } from '../lifecycle/shutdown.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from './metrics.js';

/** Metrics to serve over HTTP, and the address on which the metrics server listens. */
export interface MetricsServerOptions {
  readonly metrics: Pick<Metrics, 'render'>;
  /** Readiness checks whose results the metrics server also serves. If undefined, no health routes are served. */
  readonly health?: Pick<ProcessHealth, 'runReadinessChecks'> | undefined;
  readonly host: string;
  /** Port on which the metrics server listens; 0 selects a free port. */
  readonly port: number;
}

/** A server that {@link startMetricsServer} has started. */
export interface MetricsServer {
  readonly port: number;
  /** Closes the port of the metrics server and all connections of metrics clients. */
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a separate port, so that no proxy of the API exposes it.
 *
 * @throws Error of `listen`, such as EADDRINUSE
 */
export async function startMetricsServer({
  metrics,
  health,
  host,
  port,
}: MetricsServerOptions): Promise<MetricsServer> {
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.type(contentType).send(text);
  });
  if (health !== undefined) serveHealthChecks(server, health);
  await server.listen({ host, port });
  const address: AddressInfo | string | null = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      await server.close();
    },
  };
}

interface ServeMetricsOptions extends Pick<MetricsServerOptions, 'metrics' | 'health'> {
  readonly name: string;
  readonly config: Pick<PlatformConfig, 'METRICS_HOST' | 'METRICS_PORT'>;
  readonly shutdown: Shutdown;
  readonly logger: Logger;
}

/**
 * Starts the metrics server if METRICS_PORT is set. If the port is in use, only logs a warning. With the option
 * `health`, the server closes in the last phase of the shutdown, because its readiness route also reports the shutdown.
 */
export async function serveMetricsIfConfigured({
  name,
  config,
  metrics,
  health,
  shutdown,
  logger,
}: ServeMetricsOptions): Promise<void> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === undefined) {
    return;
  }
  try {
    const server = await startMetricsServer({ metrics, health, host, port });
    shutdown.addStep(health === undefined ? 'intake' : 'end', `${name} metrics`, () => server.close());
    logger.info({ host, port: server.port }, 'serving /metrics');
  } catch (error) {
    if (!isPortInUseError(error)) {
      throw error;
    }
    logger.warn({ host, port }, 'metrics are not served because their port is in use: set METRICS_PORT to a free port');
  }
}

/** Returns true if the error means that another program already uses the port. */
export function isPortInUseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
