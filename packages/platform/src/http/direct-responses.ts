import type { Tracer } from '@opentelemetry/api';
import { findTracer } from '@switchboard/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProcessHealth } from '../lifecycle/process-health.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { recordCompletedRequest } from './request-log.js';
import { RequestSpan } from './request-span.js';

// The types of Node.js, without its module of HTTP clients.
type IncomingMessage = FastifyRequest['raw'];
type ServerResponse = FastifyReply['raw'];

/** A response with status 200 to a GET request that is sent without processing by Fastify. */
export interface DirectResponse {
  /** Pattern of the request's route, for the log and metrics. */
  readonly route: string;
  /** IP address of the client, for the log line of the request. */
  readonly address: string;
  /** Response headers, without `content-length` and the request id. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Finds the response to a GET request without a body before Fastify processes the request. Returns null, or a promise
 * of null, for a request that Fastify must process. If the promise is rejected, Fastify also processes the request. The
 * function runs without a request context, so the function must not use the database connections of requests.
 */
export type FindDirectResponse = (request: IncomingMessage) => Promise<DirectResponse | null> | null;

interface DirectResponseOptions {
  readonly find: FindDirectResponse;
  readonly requestIdOf: (request: IncomingMessage) => string;
  readonly requestIdHeader: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: ProcessHealth;
  readonly tracer: Tracer | null;
}

/**
 * Sends the responses that `find` returns, without routing, hooks and the request context of Fastify. These steps would
 * take as long as sending a response of 175 kB. The requests still get an id, a log line, metrics and a span. While the
 * service stops, Fastify processes all requests, because their responses must close the connections.
 */
export function sendResponsesWithoutRouting(
  fastify: FastifyInstance,
  given: Omit<DirectResponseOptions, 'tracer'>,
): void {
  const { server } = fastify;
  const options = { ...given, tracer: findTracer('@switchboard/platform') };
  let isClosing = false;
  fastify.addHook('preClose', async () => {
    isClosing = true;
  });
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  const handOver = (request: IncomingMessage, response: ServerResponse): void => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const isEligible = request.method === 'GET' && !isClosing && !options.health.mustCloseConnections;
    const found = isEligible ? options.find(request) : null;
    if (found === null) return handOver(request, response);
    const startedAt = performance.now();
    found.then(
      (direct) =>
        direct === null
          ? handOver(request, response)
          : sendDirectResponse(request, response, direct, startedAt, options),
      () => handOver(request, response),
    );
  });
}

function sendDirectResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { route, address, headers, body }: DirectResponse,
  startedAt: number,
  options: DirectResponseOptions,
): void {
  const requestId = options.requestIdOf(request);
  const { tracer } = options;
  const span = tracer === null ? undefined : new RequestSpan(tracer, { requestId, raw: request, route, startedAt });
  const record = (): void => {
    const durationMs = performance.now() - startedAt;
    recordCompletedRequest(options, response, { requestId, method: 'GET', address, route, durationMs, span });
  };
  // The client may have disconnected while the response was found.
  if (response.destroyed) return record();
  response.once('close', record);
  response.writeHead(200, { ...headers, 'content-length': String(body.length), [options.requestIdHeader]: requestId });
  response.end(body);
}
