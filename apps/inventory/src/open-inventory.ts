import {
  CredentialCache,
  hashPassword,
  type ServiceKeysAndPeppers,
  RedisCredentialInvalidationNotifier,
} from '@switchboard/auth';
import {
  CachedDataChangeChecker,
  createDatabase,
  framedTransactionTransport,
  type ConnectionPoolOptions,
} from '@switchboard/database';
import {
  getCurrentDisconnect,
  getCurrentRequestId,
  getCurrentTrace,
  getRequestDatabaseWork,
  type Logger,
  systemClock,
} from '@switchboard/platform';
import {
  connectRedis,
  createCrashListener,
  type FaultPointListener,
  Outbox,
  type RedisClient,
  waitUntilReady,
} from '@switchboard/queue';
import { inventoryAudit } from './audit/audit-trail.js';
import { FailedLoginCounter, type FailedLoginLimits } from './auth/login-attempts.js';
import { InventoryAccessPolicy } from './auth/object-access-policy.js';
import { RequestAuthenticator } from './auth/authenticator.js';
import { ApiTokenStore, type TokenWithUser } from './auth/api-token-store.js';
import { ChangeRecorder } from './changes/change-recorder.js';
import type { InventoryConfig } from './config.js';
import { CustomFieldCatalog } from './custom-fields/custom-field-catalog.js';
import type { ObjectAccessPolicy } from './engine/object-access.js';
import type { ModelDefinition } from './engine/declaration/define-model.js';
import type { ModelRegistry } from './engine/declaration/model-registry.js';
import { getRequestSizeLimits, type RequestLimits } from './engine/request-limits.js';
import { ResponseFileStore } from './engine/responses/response-files.js';
import { ListReader } from './engine/read/list-reader.js';
import { ObjectJsonSqlCache } from './engine/read/object-json-sql.js';
import { ObjectRemover } from './engine/write/object-remover.js';
import { maskedSecret } from './engine/sealed/encrypted-text-sql.js';
import type { ModelHookServices } from './engine/model-hook-services.js';
import { ObjectWriter } from './engine/write/object-writer.js';
import type { MediaFiles } from './media/media-files.js';
import { openMediaFiles } from './media/open-media-files.js';
import { modelRegistry } from './models/index.js';
import { type InventoryDatabase, openPrisma } from './prisma-client.js';
import { ResponseCache } from './response-memory/index.js';
import { createServiceKeyRing } from './secrets/encryption-key-ring.js';
import { openWebhookDeliveryJobs, type WebhookDeliveryJobs } from './webhooks/index.js';

/**
 * Connections and services of the inventory service that do not depend on HTTP. Controllers, worker processes and tests
 * use these services.
 */
export interface InventoryServices {
  readonly config: InventoryConfig;
  readonly logger: Logger;
  readonly database: InventoryDatabase;
  readonly outbox: Outbox;
  readonly redis: RedisClient;
  /** Queue of webhook delivery jobs, for adding and inspecting jobs. `openWebhookDelivery` runs the jobs. */
  readonly deliveryJobs: WebhookDeliveryJobs;
  /** Function that ends the process at a certain point of the code. Set only in tests of crashes. */
  readonly faultPoint: FaultPointListener | undefined;
  readonly keys: ServiceKeysAndPeppers;
  readonly services: ModelHookServices;
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly lists: ListReader;
  readonly responses: ResponseFileStore;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly authenticator: RequestAuthenticator;
  readonly media: MediaFiles;
  readonly loginAttempts: FailedLoginCounter;
  readonly memory: ResponseCache;
  /**
   * Closes all connections to Redis. Must be called before `closeDatabase`, which closes the connections to PostgreSQL.
   */
  closeRedis(): Promise<void>;
  closeDatabase(): Promise<void>;
}

/**
 * Returns the name of the Redis channel for messages between the processes of one service. A message invalidates cached
 * data in the other processes.
 */
export function getCredentialRedisChannelName(config: Pick<InventoryConfig, 'REDIS_KEY_PREFIX'>): string {
  return `${config.REDIS_KEY_PREFIX}:credentials`;
}

/** Maximum time, in milliseconds, that the startup of the service waits for Redis. */
const REDIS_STARTUP_WAIT_MS = 1_000;

/**
 * Creates the cache of authenticated tokens. A change of a token or user evicts the entries of the token or user by
 * tags.
 */
function createCredentialCache(invalidations: RedisCredentialInvalidationNotifier): CredentialCache<TokenWithUser> {
  return new CredentialCache<TokenWithUser>({
    invalidations,
    clock: systemClock,
    tagsOf: ({ tokenId, userId }) => [`users.token:${tokenId}`, `users.user:${userId}`, credentialsCacheTag],
  });
}

/**
 * Opens the connections of the inventory service, and creates all services that do not depend on HTTP. Does not migrate
 * the database, serve requests or dispatch messages of the outbox (the table of events to publish).
 */
export async function openInventoryServices(config: InventoryConfig, logger: Logger): Promise<InventoryServices> {
  const keys = createServiceKeyRing(config);
  const faultPoint = config.FAULT_POINT && createCrashListener(config.FAULT_POINT);
  // Values that were read from a former primary may belong to commits that are lost.
  const onPrimaryChange = (): void => invalidations.invalidateAll();
  const onConnectionsReplaced = (): void => checks.reconnect();
  const callbacks = { onPrimaryChange, onConnectionsReplaced };
  const { database, outbox, changes } = openDatabase(config, logger, { faultPoint, ...callbacks });
  // Caches load for all waiting requests, so that the disconnect of one client must not abort a load.
  const { shared, authentication } = database;
  const redis = connectRedis(config.REDIS_URL, 'commands', logger);
  const deliveryJobs = openWebhookDeliveryJobs(config, logger);
  const channel = getCredentialRedisChannelName(config);
  const invalidations = new RedisCredentialInvalidationNotifier({ redis, channel, logger });
  // The service also starts without Redis, but is slower.
  await waitUntilReady(redis, REDIS_STARTUP_WAIT_MS).catch(() => undefined);
  await invalidations.start();
  const cache = createCredentialCache(invalidations);
  const { RESPONSE_MEMORY_BYTES: limitBytes, COMPRESSION_THRESHOLD_BYTES: compressFromBytes } = config;
  const checks = new CachedDataChangeChecker({ url: config.DATABASE_URL, applicationName: 'inventory', logger });
  const customFields = new CustomFieldCatalog({
    database: shared,
    invalidations,
    checks: limitBytes === 0 ? undefined : checks,
  });
  const services = createModelHookServices(keys, logger, getRequestSizeLimits(config));
  const shapes = new ObjectJsonSqlCache(modelRegistry, customFields, services.open);
  const policy = new InventoryAccessPolicy(modelRegistry, services.limits, new Set(config.EXEMPT_VIEW_PERMISSIONS));
  const onCommitted = createCacheInvalidator(cache, customFields);
  const media = openMediaFiles(config, { clock: systemClock, logger });
  const responses = createResponseFileStore(config, logger);
  const parts = { database, registry: modelRegistry, shapes, changes, onCommitted, media };
  return {
    config,
    logger,
    database,
    outbox,
    redis,
    deliveryJobs,
    faultPoint,
    keys,
    services,
    registry: modelRegistry,
    shapes,
    policy,
    loginAttempts: createFailedLoginCounter(redis, config, logger),
    lists: new ListReader(modelRegistry, shapes, {
      policy,
      defaultSize: config.PAGINATE_COUNT,
      largest: config.MAX_PAGE_SIZE,
      strictFilters: config.STRICT_FILTERS,
      services,
      responses,
    }),
    responses,
    writer: new ObjectWriter({ ...parts, policy, services }),
    remover: new ObjectRemover({ ...parts, limits: services.limits }),
    media,
    memory: new ResponseCache({ database, checks, customFields, limitBytes, compressFromBytes, logger }),
    authenticator: new RequestAuthenticator({
      store: new ApiTokenStore(authentication),
      pepper: keys.pepper,
      cache,
      clock: systemClock,
      logger,
    }),
    closeRedis: async () => {
      invalidations.close();
      redis.disconnect();
      await outbox.stop();
      await deliveryJobs.jobs.stop();
    },
    closeDatabase: async () => {
      await checks.close();
      await media.close();
      await database.close();
    },
  };
}

function createFailedLoginCounter(
  redis: InventoryServices['redis'],
  config: InventoryConfig,
  logger: Logger,
): FailedLoginCounter {
  return new FailedLoginCounter({
    redis,
    prefix: config.REDIS_KEY_PREFIX,
    limits: getFailedLoginLimits(config),
    logger,
  });
}

function createResponseFileStore(config: InventoryConfig, logger: Logger): ResponseFileStore {
  const limits = {
    largest: config.RESPONSE_MAX_BYTES,
    inMemory: config.RESPONSE_IN_MEMORY_BYTES,
    files: config.RESPONSE_MAX_FILES,
    sendMs: config.RESPONSE_SEND_TIMEOUT_MS,
  };
  return new ResponseFileStore(config.RESPONSE_FOLDER, limits, logger);
}

/** Returns the limits on failed logins from the configuration of the service. */
function getFailedLoginLimits(config: InventoryConfig): FailedLoginLimits {
  return {
    windowMs: config.LOGIN_FAILURE_WINDOW_SECONDS * 1000,
    perAccount: config.LOGIN_FAILURES_PER_ACCOUNT,
    perAddress: config.LOGIN_FAILURES_PER_ADDRESS,
  };
}

/** Options of {@link openDatabase}: a crash point for tests, and callbacks for changes of the database server. */
interface OpenDatabaseOptions extends Pick<ConnectionPoolOptions, 'onPrimaryChange' | 'onConnectionsReplaced'> {
  readonly faultPoint: FaultPointListener | undefined;
}

/**
 * Opens the database with its outbox, the table of events to publish. Each transaction writes its changes to the outbox
 * last. A commit then starts the dispatch of the changes.
 */
function openDatabase(
  config: InventoryConfig,
  logger: Logger,
  { faultPoint, ...callbacks }: OpenDatabaseOptions,
): { database: InventoryDatabase; outbox: Outbox; changes: ChangeRecorder } {
  const database: InventoryDatabase = createDatabase({
    url: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    applicationName: 'inventory',
    logger,
    slowQueryMs: config.SLOW_QUERY_MS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    backgroundTimeoutMs: config.BACKGROUND_STATEMENT_TIMEOUT_MS,
    requestId: getCurrentRequestId,
    disconnect: getCurrentDisconnect,
    workload: getRequestDatabaseWork,
    shortWaitMs: config.DATABASE_SHORT_WAIT_MS,
    heavyWaitMs: config.DATABASE_HEAVY_WAIT_MS,
    beforeCommit: async (tx, ending) => {
      // Both are sent without waiting in between, so that COMMIT is sent together with them.
      await Promise.all([changes.writeCollectedChanges(tx), outbox.flush(tx, ending)]);
    },
    afterCommit: (tx) => {
      inventoryAudit.writeCommitted(tx);
      outbox.dispatchAfterCommit(tx);
    },
    transport: framedTransactionTransport,
    prisma: openPrisma,
    ...callbacks,
  });
  const outbox = new Outbox({
    pool: database.servicePool,
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    logger,
    faultPoint,
    context: getCurrentTrace,
  });
  const audited = modelRegistry.models.filter(({ audit }) => audit !== null);
  const changes = new ChangeRecorder(outbox, config.WEBHOOK_SKIP_EMPTY_CHANGES, audited);
  return { database, outbox, changes };
}

/**
 * Creates the functions that hooks of models may call: encryption and digests with the keys of the service. The result
 * also contains the limits of requests.
 */
function createModelHookServices(
  { box, pepper }: ServiceKeysAndPeppers,
  logger: Logger,
  limits: RequestLimits,
): ModelHookServices {
  return {
    limits,
    seal: (plaintext, purpose) => box.seal(plaintext, purpose),
    open: (sealed, purpose) => {
      try {
        return box.open(sealed, purpose);
      } catch (error) {
        logger.error({ err: error, purpose }, 'a stored secret cannot be decrypted');
        return maskedSecret;
      }
    },
    fingerprints: (plaintext, purpose) =>
      pepper.digestUnderAllPeppers(`${purpose}:${plaintext}`).map(({ digest }) => digest),
    hashPassword,
    digest: (secret) => pepper.digestUnderCurrentPepper(secret),
  };
}

/**
 * Cache tag of all cached credentials. When a group or permission changes, all entries with this tag are evicted,
 * because the change can affect any user.
 */
const credentialsCacheTag = 'permissions';

/**
 * Returns a function that must be called after objects were changed. The function evicts, in all processes, the cached
 * credentials and custom fields that depend on the changed objects.
 */
function createCacheInvalidator(cache: CredentialCache<TokenWithUser>, customFields: CustomFieldCatalog) {
  return async ({ type }: ModelDefinition, ids: readonly number[]): Promise<void> => {
    if (type === 'extras.customfield' || type === 'extras.customfieldchoiceset')
      await customFields.invalidateAllProcesses();
    if (type === 'users.group' || type === 'users.objectpermission') await cache.evictByTag(credentialsCacheTag);
    if (type !== 'users.token' && type !== 'users.user') return;
    await Promise.all(ids.map((id) => cache.evictByTag(`${type}:${id}`)));
  };
}
