import { requireEncryptionKeysMatchDatabase } from '@switchboard/auth';
import {
  analyzeChangedTables,
  RecordedChangeRemover,
  checkDatabaseConnection,
  TableVacuumBackoff,
  vacuumChangedTables,
} from '@switchboard/database';
import {
  createLogger,
  ProcessHealth,
  Metrics,
  readConfigOrExit,
  runService,
  Shutdown,
  startTracing,
  superviseProcesses,
  systemClock,
  waitForServers,
} from '@switchboard/platform';
import { QueueModule } from '@switchboard/nest';
import { PeriodicTask, checkRedis } from '@switchboard/queue';
import { createChangeLogCleanup } from './changes/change-log-retention.js';
import { buildMissingCablePaths } from './cable-paths/index.js';
import { readConfig } from './config.js';
import {
  createDataSourceSyncSettings,
  createFinishedSyncJobsCleanup,
  encryptStoredDataSourceSecrets,
  SecretMasking,
  DataSourceSyncRunner,
} from './data-sources/index.js';
import { createDemoData } from './demo/demo-data.js';
import { openInventoryServices } from './open-inventory.js';
import { RemovedFieldValueCleanup } from './custom-fields/remove-values-of-deleted-fields.js';
import { SuspectFileCleanup } from './media/suspect-media-cleanup.js';
import { RowCountMerger, rowCountTables } from './row-count-merger.js';
import { getInventoryMigrations, isOperatorCorrectableError, requireSuitableDatabase } from './migrate.js';
import { encryptStoredTexts } from './secrets/encrypt-stored-texts.js';
import { inventorySecretColumns } from './secrets/stored-secrets.js';
import { createInventoryServiceOptions } from './service.js';
import { createDeliveryRetention, openWebhookDelivery } from './webhooks/index.js';

/** Time limit of one attempt to connect to Redis, in milliseconds. */
const REDIS_CONNECT_TIMEOUT_MS = 1_000;

/** Interval, in milliseconds, at which old change records of the response cache are removed. */
const CHANGE_CLEANUP_INTERVAL_MS = 60_000;

/** Interval, in milliseconds, between checks for database tables that need ANALYZE or VACUUM. */
const TABLE_MAINTENANCE_INTERVAL_MS = 60_000;

const inventoryConfig = readConfigOrExit(readConfig);
const serviceLogger = createLogger({ level: inventoryConfig.LOG_LEVEL, name: 'inventory' });
// In the supervisor of several processes this call does not return.
await superviseProcesses({ name: 'inventory', config: inventoryConfig, logger: serviceLogger });
const serviceShutdown = new Shutdown({ timeoutMs: inventoryConfig.SHUTDOWN_TIMEOUT_MS, logger: serviceLogger });
// Signals are handled from the start, because the first process of a container ignores them by default.
serviceShutdown.listenForSignals();
// First, because the objects of the service look for a tracer provider when they are created.
await startTracing({ name: 'inventory', config: inventoryConfig, logger: serviceLogger, shutdown: serviceShutdown });

try {
  await waitForServers({
    connectDatabase: () => checkDatabaseConnection(inventoryConfig.DATABASE_URL),
    checkRedis: () => checkRedis(inventoryConfig.REDIS_URL, REDIS_CONNECT_TIMEOUT_MS),
    timeoutMs: inventoryConfig.BOOT_WAIT_MS,
    logger: serviceLogger,
  });
  await getInventoryMigrations(inventoryConfig).prepareDatabase(serviceLogger);
  await requireSuitableDatabase(inventoryConfig.DATABASE_URL);
  const inventory = await openInventoryServices(inventoryConfig, serviceLogger);
  await requireEncryptionKeysMatchDatabase(
    inventory.database.background('check of keys'),
    inventory.keys,
    inventorySecretColumns,
  );
  await inventory.responses.removeLeftoverFiles();
  await encryptStoredTexts({
    ...inventory,
    database: inventory.database.background('sealing of stored texts'),
    box: inventory.keys.box,
  });
  await encryptStoredDataSourceSecrets({
    ...inventory,
    database: inventory.database.background('sealing of parameters'),
  });
  const webhooks = openWebhookDelivery(inventory);
  const kept = { database: inventory.database.background('retention'), clock: systemClock, logger: serviceLogger };
  const removals = [
    createChangeLogCleanup({
      ...kept,
      days: inventoryConfig.CHANGELOG_RETENTION,
      retainsEnds: inventoryConfig.CHANGELOG_RETAIN_CREATE_LAST_UPDATE,
    }),
    createDeliveryRetention({ ...kept, days: inventoryConfig.WEBHOOK_DELIVERY_RETENTION }),
    createFinishedSyncJobsCleanup({ ...kept, days: inventoryConfig.JOB_RETENTION }),
    new SuspectFileCleanup({
      ...inventory,
      database: inventory.database.background('media sweep'),
      clock: systemClock,
    }),
    new SecretMasking({
      ...inventory,
      database: inventory.database.background('masking of secrets'),
      clock: systemClock,
    }),
    new RemovedFieldValueCleanup({
      ...inventory,
      database: inventory.database.background('removed values'),
      clock: systemClock,
    }),
    ...rowCountTables.map(
      (counts) => new RowCountMerger({ ...kept, counts, database: inventory.database.background('counts') }),
    ),
  ];
  const sweep = new RecordedChangeRemover(inventory.database.background('change sweep'), {
    nowMs: () => systemClock.now(),
  });
  const sweeping = new PeriodicTask({
    clock: systemClock,
    run: async () => void (await sweep.run()),
    failed: (err) => serviceLogger.warn({ err }, 'rows of the change checks could not be removed'),
    restMs: () => CHANGE_CLEANUP_INTERVAL_MS,
  });
  serviceShutdown.addStep('drain', 'change sweep', () => sweeping.stop());
  const syncing = new DataSourceSyncRunner({
    ...inventory,
    database: inventory.database.background('data sources'),
    settings: createDataSourceSyncSettings(inventoryConfig),
    clock: systemClock,
  });
  serviceShutdown.addStep('drain', 'data sources', () => syncing.stop());
  const statistics = inventory.database.background('table statistics');
  const ending = new AbortController();
  const analyzing = new PeriodicTask({
    clock: systemClock,
    run: () => analyzeChangedTables(statistics, ending.signal),
    failed: (err) => serviceLogger.warn({ err }, 'tables could not be analyzed'),
    restMs: () => TABLE_MAINTENANCE_INTERVAL_MS,
  });
  const backoff = new TableVacuumBackoff();
  const vacuuming = new PeriodicTask({
    clock: systemClock,
    run: () =>
      vacuumChangedTables({
        database: statistics,
        url: inventoryConfig.DATABASE_URL,
        backoff,
        applicationName: 'inventory: vacuum',
        signal: ending.signal,
      }),
    failed: (err) => serviceLogger.warn({ err }, 'tables could not be vacuumed'),
    restMs: () => TABLE_MAINTENANCE_INTERVAL_MS,
  });
  let building: Promise<void> | null = null;
  serviceShutdown.addStep('drain', 'table statistics', async () => {
    ending.abort();
    await Promise.all([analyzing.stop(), vacuuming.stop(), building]);
  });
  for (const removal of removals) serviceShutdown.addStep('drain', 'cleanups', () => removal.stop());
  // After the phase in which the jobs end. The attempts of deliveries that still run need no Redis.
  serviceShutdown.addStep('redis', 'webhooks', () => webhooks.webhooks.stop());
  serviceShutdown.addStep('redis', 'redis', () => inventory.closeRedis());
  serviceShutdown.addStep('postgres', 'database', () => inventory.closeDatabase());
  if (inventoryConfig.NODE_ENV === 'development') {
    const { username, password, token } = await createDemoData(inventory);
    serviceLogger.info({ user: username }, 'demo data is ready');
    // Written to stdout and not to the log. A configured token is not repeated.
    if (token !== null && token !== inventoryConfig.DEMO_ADMIN_TOKEN) {
      process.stdout.write(`Demo account: user ${username}, password ${password}, token ${token}\n`);
    }
  }
  const metrics = new Metrics();
  webhooks.showIn(metrics);
  const tasks = [webhooks.webhooks, ...removals, sweeping, analyzing, vacuuming, syncing];
  if (inventoryConfig.ROLE !== 'api') for (const task of tasks) task.start();
  const queue = QueueModule.forRoot({
    pool: inventory.database.servicePool,
    redis: inventoryConfig.REDIS_URL,
    prefix: inventoryConfig.REDIS_KEY_PREFIX,
    role: inventoryConfig.ROLE,
    logger: serviceLogger,
    outbox: inventory.outbox,
    jobs: inventory.deliveryJobs.jobs,
    shutdown: serviceShutdown,
  });
  await runService({
    ...createInventoryServiceOptions(inventory, { metrics, health: new ProcessHealth(), background: [queue] }),
    port: inventoryConfig.PORT,
    host: inventoryConfig.HOST,
    shutdown: serviceShutdown,
    portVariable: 'INVENTORY_PORT',
  });
  // Storing the paths of many old cables takes a long time, and requests need not wait for it.
  if (inventoryConfig.ROLE !== 'api') {
    const paths = inventory.database.background('cable paths');
    building = buildMissingCablePaths(paths, serviceLogger, ending.signal).catch((error: unknown) =>
      serviceLogger.error({ err: error }, 'storing the paths of existing cables failed; the next start continues'),
    );
  }
} catch (error) {
  // Database errors that the operator can fix are logged as one line, others with all details.
  if (isOperatorCorrectableError(error)) serviceLogger.fatal(error.message);
  else serviceLogger.fatal({ err: error }, 'the inventory service cannot start');
  await serviceShutdown.stopAndExit('failed start', 1);
}
