import cookie from '@fastify/cookie';
import { QueueMetrics } from '@switchboard/nest';
import {
  getAdminCommandLine,
  type HealthCheckResult,
  createService,
  ProcessHealth,
  Metrics,
  redirectBrowsersToFrontPage,
  type ServiceOptions,
  Shutdown,
} from '@switchboard/platform';
import type { Jobs } from '@switchboard/queue';
import { ChatApiModule, ChatWorkerModule } from './app.module.js';
import { cookieParserOptions } from '../infra/http/session-cookie-options.js';
import { ChatErrorRenderer } from '../infra/http/error-renderer.js';
import { registerFormParsers } from '../infra/http/form-bodies.js';
import { overrideHttpMethodOfRequest } from '../infra/http/method-override.js';
import { getRequestParameterLimits } from '../infra/http/request-limits.js';
import { setPublicOrigins } from '../core/access/request-origin.js';
import { addApiHeaders } from '../infra/http/response-headers.js';
import { rewriteSessionUrl } from '../infra/http/browser-session-routes.js';
import { createBackgroundModules } from './background-jobs.js';
import { runsIncomingMailServer } from '../infra/incoming-mail/index.js';
import { warnIfMailIsUnsent } from '../infra/mail/index.js';
import { startChannelMailServer } from '../features/channel-email/index.js';
import { announceVersion } from '../features/server-version/index.js';
import { removeAbandonedImportFolders } from './admin/import-realm/archive/import-folders.js';
import type { ChatRuntime } from './runtime.js';
import { addSystemBots, listRealmsWithoutSystemBots } from '../core/users/index.js';
import { createChatEventEmitter, createFeatureModules, createFeatureModulesRuntime } from './create-service-slices.js';
import { StoredFileDeletionSchedule, startPeriodicUnusedFileCleanup } from '../infra/storage/index.js';

/** Parts of a process that its HTTP service uses or starts, such as the jobs. */
export interface ChatServiceDependencies {
  readonly health: ProcessHealth;
  readonly metrics: Metrics;
  readonly jobs: Jobs;
  readonly shutdown: Shutdown;
}

/** Returns the options with which one process starts its HTTP service, outbox, event log and jobs. */
export function createChatServiceOptions(
  runtime: ChatRuntime,
  { health, metrics, jobs, shutdown }: ChatServiceDependencies,
): ServiceOptions {
  const bodyLimitBytes = runtime.config.BODY_LIMIT_BYTES;
  const background = createBackgroundModules(runtime, jobs, shutdown);
  return {
    name: 'chat',
    rootModule:
      runtime.config.ROLE === 'worker'
        ? ChatWorkerModule.forBackgroundModules(background)
        : ChatApiModule.createForRuntime(runtime, background),
    config: runtime.config,
    logger: runtime.logger,
    errorRenderer: new ChatErrorRenderer({ bodyLimitBytes }),
    metrics,
    health,
    trustClientRequestId: false,
    handleOptions: true,
    server: { rewriteUrl: (request) => rewriteSessionUrl(request.url ?? '/') },
    async configure(_app, fastify) {
      fastify.decorate('requestLimits', getRequestParameterLimits(runtime.config));
      await fastify.register(cookie, { parseOptions: cookieParserOptions });
      await registerFormParsers(fastify, bodyLimitBytes);
      setPublicOrigins(fastify, runtime.realmSites, runtime.config);
      addApiHeaders(fastify);
      overrideHttpMethodOfRequest(fastify);
      redirectBrowsersToFrontPage(fastify, isWebPagePath);
    },
  };
}

/**
 * Returns true if a path belongs to web pages. Includes the root paths of the APIs, because these paths have no other
 * content.
 */
function isWebPagePath(path: string): boolean {
  return /^\/(api(\/v1)?|json)\/?$/.test(path) || !/^\/(api|json)\//.test(path);
}

/** Creates the HTTP service for a runtime without listening on a port, for tests that inject requests. */
export function createChatService(runtime: ChatRuntime, parts: Omit<ChatServiceDependencies, 'health'>) {
  return createService(createChatServiceOptions(runtime, { ...parts, health: createReadinessHealthChecks(runtime) }));
}

/** Returns the health checks that determine whether the process is ready for requests. */
export function createReadinessHealthChecks(runtime: ChatRuntime): ProcessHealth {
  const health = new ProcessHealth();
  health.addCheck('postgres', async () => {
    await runtime.database.ping();
    return { ok: true };
  });
  health.addCheck('redis', () => createRedisHealthCheck(runtime.redis), { isRequired: false });
  if (runsIncomingMailServer(runtime.config)) {
    health.addCheck('incoming mail', async () => ({ ok: runtime.incomingMail.port !== null }));
  }
  health.addCheck('realm', async () => {
    const { rowCount } = await runtime.database.shared.query('SELECT 1 FROM realms LIMIT 1');
    if (rowCount > 0) return { ok: true };
    // An empty database does not prevent readiness: load balancers and `up --wait` continue, and the operator reads the
    // next step.
    return {
      ok: true,
      detail: `There is no organization yet: run \`${getAdminCommandLine('chat')} create-realm --help\``,
    };
  });
  return health;
}

/**
 * Checks the connection to Redis. The check does not affect readiness: without Redis, requests and writes succeed,
 * while events and background work wait.
 */
async function createRedisHealthCheck(redis: ChatRuntime['redis']): Promise<HealthCheckResult> {
  await redis.ping();
  return { ok: true };
}

/** Returns the Prometheus metrics of the process. */
export function createMetrics(runtime: ChatRuntime, jobs: Jobs): Metrics {
  const metrics = new Metrics();
  const { eventLog, outbox, credentials, database } = runtime;
  metrics.addPoolMetrics('chat', database.poolCounts);
  new QueueMetrics({ outbox, eventLog, jobs }).registerIn(metrics);
  addCacheMetrics(metrics, 'snapshot_memory', 'Parts of responses', runtime.parts);
  addCacheMetrics(metrics, 'channel_subscribers_memory', 'Subscribers of large channels', runtime.subscribers);
  addCacheMetrics(metrics, 'topic_lists_memory', 'Topics of channels with many topics', runtime.topicLists);
  metrics.addGaugeReadAtScrape('credential_cache_entries', 'Credentials remembered', () => credentials.credentialCount);
  addMailMetrics(metrics, runtime);
  addWebhookMetrics(metrics, runtime);
  return metrics;
}

/** Exports the numbers of emails to channels as Prometheus metrics, in processes that accept such emails. */
function addMailMetrics(metrics: Metrics, { config, incomingMail, channelMailCounts }: ChatRuntime): void {
  if (!runsIncomingMailServer(config)) return;
  metrics.addCounterReadAtScrape(
    'channel_mails_total',
    'Mails to channels, by outcome: posted, repeated, ignored, refused, deferred',
    () => channelMailCounts.listOutcomeCounts(),
    ['outcome'],
  );
  metrics.addGaugeReadAtScrape(
    'channel_mail_connections',
    'Open connections of the SMTP server',
    () => incomingMail.totalCount,
  );
}

/** Exports the outcomes of requests to event webhooks as Prometheus metrics. */
function addWebhookMetrics(metrics: Metrics, { eventWebhooks }: ChatRuntime): void {
  const { webhooksWithDeliveries: webhooks } = eventWebhooks;
  metrics.addCounterReadAtScrape(
    'event_webhook_attempts_total',
    'Attempts of event webhooks in this process, by outcome: delivered, retried, failed',
    () => Object.entries(webhooks.metrics().attempts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ['outcome'],
  );
  metrics.addGaugeReadAtScrape(
    'event_webhook_receivers_suspended',
    'Receivers of event webhooks that do not respond, and to which this process sends nothing for a while',
    () => webhooks.metrics().suspendedReceivers,
  );
  metrics.addGaugeReadAtScrape(
    'event_webhook_deliveries_queued',
    'Deliveries of event webhooks of all processes that are not finished',
    async () => (await webhooks.readPendingDeliveryFigures()).queued,
  );
  metrics.addGaugeReadAtScrape(
    'event_webhook_oldest_queued_age_seconds',
    'Age of the oldest delivery of an event webhook that is not finished',
    async () => (await webhooks.readPendingDeliveryFigures()).oldestAgeSeconds,
  );
}

/** A cache in the memory of the process, with the size of the cache in bytes and its numbers of hits and misses. */
interface CacheWithMetrics {
  readonly metrics: { readonly byteLength: number; readonly hits: number; readonly misses: number };
}

/**
 * Exports the size of a cache and its numbers of hits and misses as Prometheus metrics.
 *
 * @param values description of the cached values, for the help texts of the metrics
 */
function addCacheMetrics(metrics: Metrics, name: string, values: string, cache: CacheWithMetrics): void {
  metrics.addGaugeReadAtScrape(`${name}_bytes`, `${values}: bytes of memory`, () => cache.metrics.byteLength);
  metrics.addCounterReadAtScrape(`${name}_hits_total`, `${values}: used from memory`, () => cache.metrics.hits);
  metrics.addCounterReadAtScrape(
    `${name}_misses_total`,
    `${values}: read from the database`,
    () => cache.metrics.misses,
  );
}

/**
 * Starts the background work of the process that does not use the job queue, and registers the shutdown steps of that
 * work. The job queue is part of the service ({@link createChatServiceOptions}), because requests still use the queue
 * while the service stops.
 */
export async function startBackgroundWorkWithoutJobs(runtime: ChatRuntime, shutdown: Shutdown): Promise<void> {
  const { invalidations, redis, database, config } = runtime;
  shutdown.addStep('redis', 'credential invalidations', async () => invalidations.close());
  shutdown.addStep('redis', 'redis', async () => redis.disconnect());
  shutdown.addStep('redis', 'mail transport', async () => runtime.mailTransport.close());
  shutdown.addStep('redis', 'bot services', () => runtime.botServices.close());
  shutdown.addStep('redis', 'file storage', () => runtime.files.close());
  shutdown.addStep('postgres', 'change checks', () => runtime.checks.close());
  shutdown.addStep('postgres', 'database', () => database.close());
  if (config.ROLE !== 'api') {
    warnIfMailIsUnsent(config, runtime.logger);
    const ledger = new StoredFileDeletionSchedule(database.background('file sweep'), runtime.files.storage);
    shutdown.addStep('drain', 'file sweep', startPeriodicUnusedFileCleanup(ledger, runtime.logger));
    startFeatureModuleWorkers(runtime, shutdown);
  }
  await invalidations.start();
  await removeImportFolders(runtime);
  await addMissingSystemBots(runtime);
  const events = createChatEventEmitter(runtime);
  await startChannelMailServer({ ...runtime, events }, shutdown);
  await announceVersion({ database, events, serverGeneration: runtime.serverGeneration });
}

/**
 * Removes the temporary files of imports that were killed. An error of the removal does not prevent the start of the
 * process.
 */
async function removeImportFolders({ logger }: ChatRuntime): Promise<void> {
  try {
    const folders = await removeAbandonedImportFolders();
    if (folders.length > 0) logger.info({ folders }, 'removed temporary files of imports that were killed');
  } catch (error) {
    logger.warn({ err: error }, 'temporary files of imports that were killed cannot be removed');
  }
}

/**
 * Adds system bots to the realms that an earlier version of the service created without system bots. Several processes
 * may add the bots concurrently.
 */
async function addMissingSystemBots({ database, apiKeys }: ChatRuntime): Promise<void> {
  for (const realmId of await listRealmsWithoutSystemBots(database)) {
    await database.inTransaction((tx) => addSystemBots(tx, apiKeys, realmId));
  }
}

/** Starts the background workers that the feature modules of the service define. */
function startFeatureModuleWorkers(runtime: ChatRuntime, shutdown: Shutdown): void {
  const work = createFeatureModulesRuntime(runtime);
  for (const { name, worker } of createFeatureModules) {
    const opened = worker?.(work);
    if (opened === undefined) continue;
    opened.start();
    shutdown.addStep('drain', name, () => opened.stop());
  }
}
