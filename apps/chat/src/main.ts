import { requireEncryptionKeysMatchDatabase } from '@switchboard/auth';
import { checkDatabaseConnection, requirePreparedStatementSupport } from '@switchboard/database';
import {
  createLogger,
  type Logger,
  readConfigOrExit,
  runService,
  Shutdown,
  startTracing,
  superviseProcesses,
  waitForServers,
} from '@switchboard/platform';
import { checkRedis } from '@switchboard/queue';
import { readChatServiceConfig } from './app/environment.js';
import { createChatSchemaMigrator, canOperatorCorrectStartError } from './migrate.js';
import { addDemoEmoji, createDemoRealm } from './app/demo/index.js';
import { warmUpPrisma } from './infra/open-prisma.js';
import { StoredFileDeletionSchedule } from './infra/storage/index.js';
import { openBackgroundJobs } from './app/background-jobs.js';
import { type ChatRuntime, createChatProcessRuntime } from './app/runtime.js';
import {
  createReadinessHealthChecks,
  createMetrics,
  createChatServiceOptions,
  startBackgroundWorkWithoutJobs,
} from './app/service.js';
import { chatSecretColumns } from './app/stored-secrets.js';

/** Maximum time of one attempt to connect to Redis, in milliseconds. */
const REDIS_CONNECTION_ATTEMPT_TIMEOUT_MS = 1_000;

/** Starts one process of the chat service. Only this function depends on the role of the process. */
async function runChatService(): Promise<void> {
  const config = readConfigOrExit(readChatServiceConfig);
  const logger = createLogger({ level: config.LOG_LEVEL, name: 'chat' });
  // In the supervisor of several processes this call does not return.
  await superviseProcesses({ name: 'chat', config, logger });
  const shutdown = new Shutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, logger });
  // Signals are handled from the start, because the first process of a container does not end by a signal alone.
  shutdown.listenForSignals();
  // Tracing starts first, because the objects of the service request a tracer provider when they are created.
  await startTracing({ name: 'chat', config, logger, shutdown });
  try {
    await waitForServers({
      connectDatabase: () => checkDatabaseConnection(config.DATABASE_URL),
      checkRedis: () => checkRedis(config.REDIS_URL, REDIS_CONNECTION_ATTEMPT_TIMEOUT_MS),
      timeoutMs: config.BOOT_WAIT_MS,
      logger,
    });
    await createChatSchemaMigrator(config).prepareDatabase(logger);
    await requirePreparedStatementSupport(config.DATABASE_URL);
  } catch (error) {
    logStartErrorAndExit(error, logger);
  }
  const runtime = createChatProcessRuntime(config, logger);
  try {
    await requireEncryptionKeysMatchDatabase(
      runtime.database.background('check of keys'),
      runtime.keys,
      chatSecretColumns,
    );
  } catch (error) {
    logStartErrorAndExit(error, logger);
  }
  if (config.NODE_ENV === 'development') await addDemoData(runtime);
  await warmUpPrisma(runtime.database);
  const jobs = openBackgroundJobs(runtime);
  await startBackgroundWorkWithoutJobs(runtime, shutdown);
  const parts = { health: createReadinessHealthChecks(runtime), metrics: createMetrics(runtime, jobs), jobs, shutdown };
  await runService({
    ...createChatServiceOptions(runtime, parts),
    port: config.PORT,
    host: config.HOST,
    portVariable: 'PORT',
    shutdown,
  });
}

async function addDemoData({
  config,
  database,
  apiKeys,
  renderer,
  files,
  pictures,
  logger,
}: ChatRuntime): Promise<void> {
  const emailDomain = config.DEMO_EMAIL_DOMAIN;
  const botDomain = config.DEMO_BOT_DOMAIN ?? emailDomain;
  const made = await createDemoRealm({ database, apiKeys, renderer, emailDomain, botDomain });
  await addDemoEmoji(database, new StoredFileDeletionSchedule(database, files.storage), pictures);
  if (made) logger.info({ account: `iago@${emailDomain}` }, 'created the demo organization');
}

/**
 * Logs an error that prevents the start of the service, and exits the process. Errors that the operator can correct are
 * logged as one line, and other errors with a stack trace.
 */
function logStartErrorAndExit(error: unknown, logger: Logger): never {
  if (canOperatorCorrectStartError(error)) logger.fatal(error.message);
  else logger.fatal({ err: error }, 'the chat service cannot start');
  process.exit(1);
}

/**
 * Writes the message of an error that prevents the start of the service to stderr, without a stack trace. Then exits
 * the process.
 */
function printStartErrorAndExit(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

runChatService().catch(printStartErrorAndExit);
