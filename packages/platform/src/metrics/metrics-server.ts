import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { Metrics } from './metrics.js';

/** Metrics to serve, and the address on which their server listens. */
export interface MetricsServerOptions {
  readonly metrics: Metrics;
  readonly host: string;
  /** Port on which the metrics server listens; 0 selects a free port. */
  readonly port: number;
}

/** A server that {@link startMetricsServer} has started. */
export interface MetricsServer {
  readonly port: number;
  /** Closes the port and the connections of scrapers. */
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a separate port, so that no proxy of the API exposes it.
 *
 * @throws Error of `listen`, such as EADDRINUSE
 */
export async function startMetricsServer({ metrics, host, port }: MetricsServerOptions): Promise<MetricsServer> {
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.type(contentType).send(text);
  });
  await server.listen({ host, port });
  const address: AddressInfo | string | null = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      await server.close();
    },
  };
}
