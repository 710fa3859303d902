import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';

/** Address of {@link startMetricsServer}. */
export interface MetricsServerOptions {
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** A server that {@link startMetricsServer} has started. */
export interface MetricsServer {
  readonly port: number;
  /** Closes the port and the connections of scrapers. */
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a port of its own, so that no proxy in front of the API can reach it.
 *
 * @throws the error of `listen`, such as EADDRINUSE
 */
export async function startMetricsServer({ metrics, host, port }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer((request, response) => void respond(metrics, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(metrics: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== '/metrics') {
    response.writeHead(404).end();
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
  } else {
    const { contentType, text } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType }).end(request.method === 'HEAD' ? undefined : text);
  }
}
