import 'reflect-metadata';
import { type ErrorRenderer, ErrorResponder } from '@switchboard/errors';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify as createFastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressResponses } from './compression.js';
import { closeConnectionsOnStop, closeUnusedConnections } from './close-connections.js';
import { createConnectionErrorHandler } from './connection-errors.js';
import { ErrorFilter } from './error-filter.js';
import { checkForwardedProtocol } from './forwarded-protocol.js';
import { toMethodNotAllowedError } from './method-not-allowed.js';
import { NestLogger } from './nest-logger.js';
import { serveHealthChecks } from './health-check-routes.js';
import { sendResponsesWithoutRouting } from './direct-responses.js';
import { createRequestIdGenerator } from './request-id.js';
import { startRequestContexts } from './request-log.js';
import { RouteTable } from './route-table.js';
import type { ServiceOptions } from './service-options.js';

/**
 * Creates a complete Nest application on Fastify that does not listen on a port. Tests inject requests into the
 * application.
 *
 * @throws Error of a module's setup, after the platform has closed its own resources
 */
export async function createService(options: ServiceOptions): Promise<NestFastifyApplication> {
  const requestIdHeader = options.requestIdHeader ?? 'x-request-id';
  const routes = new RouteTable();
  const handlesOptions = options.handleOptions === true;
  const renderer = toMethodNotAllowedError(options.errorRenderer, routes, { handlesOptions });
  const adapter = createFastifyAdapter(options, renderer, requestIdHeader);
  const fastify = adapter.getInstance();
  // JSON is parsed in every service; a service that accepts plain text adds a parser for it.
  fastify.removeContentTypeParser('text/plain');
  routes.recordRoutes(fastify);
  closeConnectionsOnStop(fastify, options.health);
  const { logger, metrics } = options;
  startRequestContexts(fastify, { logger, metrics, requestIdHeader });
  checkForwardedProtocol(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(options.rootModule, adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const responder = new ErrorResponder<FastifyRequest>(renderer, { logger, requestId: (request) => request.id });
  app.useGlobalFilters(new ErrorFilter(responder));
  await compressResponses(fastify, options.config.COMPRESSION_THRESHOLD_BYTES);
  serveHealthChecks(fastify, options.health);
  if (handlesOptions) {
    respondToOptions(fastify, routes);
  }
  rejectQueryMethod(fastify, renderer);
  await options.configure?.(app, fastify);
  if (options.findDirectResponse !== undefined) {
    const requestIdOf = createRequestIdGenerator(requestIdHeader, options.trustClientRequestId);
    const { health, findDirectResponse: find } = options;
    sendResponsesWithoutRouting(fastify, { find, requestIdOf, requestIdHeader, logger, metrics, health });
  }
  // Its listener must also run for requests that are responded to directly.
  closeUnusedConnections(fastify);
  await app.init();
  await fastify.ready();
  return app;
}

/**
 * Maximum size of request headers in bytes. The size includes the URL of the request. A GET request may contain five
 * thousand long ids in its URL, which take about 80 kB in escaped form.
 */
const maxHeaderBytes = 131_072;

/**
 * Creates the adapter of Nest with an instance of the service's Fastify. The adapter's own copy may have another
 * version, and would reject a `LogController` of this one.
 */
function createFastifyAdapter(
  options: ServiceOptions,
  renderer: ErrorRenderer,
  requestIdHeader: string,
): FastifyAdapter {
  const { config, server } = options;
  const loggerInstance: FastifyBaseLogger = options.logger;
  const trusted = config.TRUST_PROXY;
  const instance: FastifyInstance = createFastify({
    ...server,
    http: { maxHeaderSize: maxHeaderBytes },
    routerOptions: { maxParamLength: 500, ...server?.routerOptions },
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: createRequestIdGenerator(requestIdHeader, options.trustClientRequestId),
    requestIdHeader: false,
    bodyLimit: config.BODY_LIMIT_BYTES,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted,
    // Requests on connections that are already open are still served while the server closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: createConnectionErrorHandler(renderer),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      sendFrameworkError(renderer, error, request, reply),
  });
  // Nest middleware is not used, and its engine would run for every request. Hooks serve the same purpose.
  return new FastifyAdapter(Object.assign(instance, { skipMiddie: true }));
}

/**
 * Sends the response to framework errors that occur before any hook or filter of Nest runs. The reason is a path that
 * cannot be decoded, or a path parameter that is too long.
 */
function sendFrameworkError(
  renderer: ErrorRenderer,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  sendErrorResponse(renderer, { status: error.statusCode ?? 400, message: error.message }, request, reply);
}

function sendErrorResponse(
  renderer: ErrorRenderer,
  { status, message }: { status: number; message: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const context = { requestId: request.id, method: request.method, url: request.raw.url ?? '' };
  const fault = renderer.fromHttp(status, message, context);
  const rendered = renderer.render(fault, context);
  reply
    .code(rendered.status)
    .headers({ ...fault.headers, ...rendered.headers })
    .send(rendered.body);
}

/**
 * Rejects the HTTP method QUERY on every path that has no route for it. Fastify would respond to a QUERY without a
 * content type with status 400 before the route's handler could reject the method.
 */
function rejectQueryMethod(fastify: FastifyInstance, renderer: ErrorRenderer): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const methods = [request.routeOptions.method].flat();
    if (request.method !== 'QUERY' || (!request.is404 && methods.length === 1)) {
      done();
      return;
    }
    const status = request.is404 ? 404 : 405;
    sendErrorResponse(renderer, { status, message: 'Method QUERY is not allowed' }, request, reply);
  });
}

function respondToOptions(fastify: FastifyInstance, routes: RouteTable): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && request.method === 'OPTIONS') {
      const allowed = routes.listAllowedMethods(request.url);
      if (allowed.length > 0) {
        reply
          .code(204)
          .header('allow', [...allowed, 'OPTIONS'].toSorted().join(', '))
          .send();
        return;
      }
    }
    done();
  });
}
