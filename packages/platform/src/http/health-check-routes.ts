import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProcessHealth } from '../lifecycle/process-health.js';

/** Returns true for requests of health checks. Health check requests need no credentials and may use any host name. */
export function isHealthCheckRequest(request: FastifyRequest): boolean {
  return request.routeOptions.config.probe === true;
}

/**
 * Serves two health checks. `/health/live` responds 200 while the event loop runs. `/health/ready` responds with the
 * results of the checks. Its status is 200 if the service can be used, even if degraded, and otherwise 503. The paths
 * have no prefix, and the requests need no credentials.
 */
export function serveHealthChecks(fastify: FastifyInstance, health: Pick<ProcessHealth, 'runReadinessChecks'>): void {
  const config = { probe: true };
  fastify.get('/health/live', { config }, () => ({ status: 'ok' }));
  fastify.get('/health/ready', { config }, async (_request, reply) => {
    const report = await health.runReadinessChecks();
    return reply.code(report.status === 'ok' || report.status === 'degraded' ? 200 : 503).send(report);
  });
}
