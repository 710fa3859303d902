import cookie from '@fastify/cookie';
import type { DynamicModule } from '@nestjs/common';
import { QueueMetrics } from '@switchboard/nest';
import {
  getAdminCommandLine,
  type ProcessHealth,
  Metrics,
  redirectBrowsersToFrontPage,
  type ServiceOptions,
} from '@switchboard/platform';
import { AppModule, WorkerModule } from './app.module.js';
import { registerHostCheck } from './http/allowed-hosts.js';
import { ApiPaths } from './http/api-paths.js';
import { cookiePluginOptions } from './http/cookies.js';
import { createErrorResponseRenderer } from './http/error-renderer.js';
import { registerApiHooks } from './http/api-hooks.js';
import { RepeatedRequestCache } from './http/repeated-request-cache.js';
import type { InventoryServices } from './open-inventory.js';
import { inventoryFeatureModules } from './slices.js';

/** Objects of a process that its HTTP service uses or starts, such as metrics and health checks. */
export interface InventoryServiceDependencies {
  readonly metrics: Metrics;
  readonly health: ProcessHealth;
  /** Modules that do the background work of the process. Default: no modules. */
  readonly background?: readonly DynamicModule[];
}

/**
 * Returns the options with which the shared server package runs the inventory service. The options depend on the role
 * of the process.
 */
export function createInventoryServiceOptions(
  inventory: InventoryServices,
  parts: InventoryServiceDependencies,
): ServiceOptions {
  const { config, logger, database, outbox, redis, registry, deliveryJobs } = inventory;
  const { background = [] } = parts;
  parts.metrics.addPoolMetrics('inventory', database.poolCounts);
  parts.health.addCheck('database', async () => {
    await database.ping();
    return { ok: true };
  });
  // Without Redis requests are served and changes are stored, but webhooks wait.
  parts.health.addCheck(
    'redis',
    async () => {
      await redis.ping();
      return { ok: true };
    },
    { isRequired: false },
  );
  new QueueMetrics({ outbox, jobs: deliveryJobs.jobs }).registerIn(parts.metrics, 'inventory_');
  parts.metrics.addCounterReadAtScrape(
    'inventory_response_memory_requests_total',
    'Reads of lists and objects that were served from the memory of this process (hit) and from the database (miss)',
    () => {
      const { hits, misses } = inventory.memory.metrics;
      return [
        { labels: { result: 'hit' }, value: hits },
        { labels: { result: 'miss' }, value: misses },
      ];
    },
    ['result'],
  );
  parts.metrics.addGaugeReadAtScrape(
    'inventory_response_memory_bytes',
    'Size of the responses in the memory of this process',
    () => inventory.memory.metrics.byteLength,
  );
  parts.health.addCheck('users', () => checkSuperuserExists(inventory));
  const api = new ApiPaths(registry, inventoryFeatureModules);
  const repeatedReads = new RepeatedRequestCache({ ...inventory, api });
  parts.metrics.addCounterReadAtScrape(
    'inventory_repeated_requests_total',
    'Reads that were served from the memory of this process before Fastify processed them',
    () => repeatedReads.servedCount,
  );
  return {
    name: 'inventory',
    rootModule:
      config.ROLE === 'worker'
        ? WorkerModule.createWorkerModule(background)
        : AppModule.createInventoryApiModule(inventory, { api, repeatedReads, background }),
    config,
    logger,
    errorRenderer: createErrorResponseRenderer(api),
    metrics: parts.metrics,
    health: parts.health,
    // The request id is part of change records and webhook payloads, so that clients cannot choose it
    // (docs/contract/inventory.md 1.1).
    trustClientRequestId: false,
    server: { routerOptions: { ignoreTrailingSlash: true } },
    findDirectResponse: (request) => repeatedReads.findCachedResponse(request),
    configure: async (_app, fastify) => {
      await fastify.register(cookie, { parseOptions: cookiePluginOptions });
      registerHostCheck(fastify, config.ALLOWED_HOSTS);
      registerApiHooks(fastify, api, { largestForm: config.MEDIA_MAX_BYTES });
      redirectBrowsersToFrontPage(fastify, (path) => !/^\/api(\/|$)/.test(path));
    },
  };
}

/**
 * Health check that looks for a superuser. Without a superuser, the check reports the command that creates a superuser,
 * and the service remains healthy.
 */
async function checkSuperuserExists({ database }: InventoryServices): Promise<{ ok: boolean; detail?: string }> {
  const { rows } = await database.shared.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM users_user WHERE is_superuser AND is_active) AS found',
  );
  if (rows[0]?.found === true) return { ok: true };
  return {
    ok: true,
    detail: `There is no superuser yet. Run: ${getAdminCommandLine('inventory')} create-superuser <name>`,
  };
}
