import {
  CredentialCache,
  type ServiceKeysAndPeppers,
  RedisCredentialInvalidationNotifier,
  type SecretTextEncryptor,
} from '@switchboard/auth';
import {
  CachedDataChangeChecker,
  createDatabase,
  framedTransactionTransport,
  type ConnectionPoolOptions,
  type Tx,
} from '@switchboard/database';
import { OutboundClient } from '@switchboard/outbound';
import {
  type Clock,
  getCurrentDisconnect,
  getCurrentRequestId,
  getCurrentTrace,
  getRequestDatabaseWork,
  type Logger,
  systemClock,
} from '@switchboard/platform';
import {
  connectRedis,
  EventLog,
  createCrashListener,
  type FaultPointListener,
  Outbox,
  type RedisClient,
} from '@switchboard/queue';
import { ApiKeyStore } from '../core/access/api-keys.js';
import { CredentialAuthenticator, listCredentialCacheTags } from '../core/access/authenticator.js';
import type { CredentialOwner } from '../core/access/credential-owner.js';
import { RealmByHostCache } from '../core/access/realm-hosts.js';
import { SessionAuthenticator } from '../core/access/session-authenticator.js';
import { CredentialRevocationWatcher } from '../core/access/watch-credentials.js';
import type { ChatServiceConfig } from './environment.js';
import { RequestAuthenticator } from '../core/access/request-authenticator.js';
import { ImageProcessor } from '../infra/images/process-images.js';
import { IncomingMailServer } from '../infra/incoming-mail/index.js';
import { type MailTransport, openMailTransport } from '../infra/mail/index.js';
import { chatAudit } from '../infra/audit-trail.js';
import { createServiceKeys } from '../infra/key-ring.js';
import { MessageRenderer } from '../infra/markdown/index.js';
import { ChannelMailOutcomeCounter } from '../features/channel-email/index.js';
import { getBotServiceClientOptions } from '../features/bot-calls/settings.js';
import { EventWebhooks } from '../features/event-webhooks/index.js';
import { TopicListCache } from '../features/topics/index.js';
import { AlertWordAndMuteCache } from '../core/alert-words-and-mutes/index.js';
import { ActiveSubscriberCache } from '../core/channels/index.js';
import { RealmMarkdownSettingsCache } from '../core/realm-markdown-settings/index.js';
import { OmittedMessageRowWriter } from '../core/soft-deactivation/index.js';
import { RateLimiter } from '../infra/rate-limits/index.js';
import { SnapshotDataCache } from '../events/snapshot-memory/index.js';
import { type ChatDatabaseWithPrisma, createPrismaClient } from '../infra/open-prisma.js';
import { openConfiguredFileStorage, type OpenedFileStorage } from '../infra/storage/index.js';

/**
 * Objects that a chat process creates at its start: connections, secrets, and objects that depend on connections and
 * secrets.
 */
export interface ChatRuntime {
  readonly config: ChatServiceConfig;
  readonly logger: Logger;
  readonly database: ChatDatabaseWithPrisma;
  readonly outbox: Outbox;
  readonly eventLog: EventLog;
  readonly redis: RedisClient;
  readonly invalidations: RedisCredentialInvalidationNotifier;
  readonly credentials: CredentialCache<CredentialOwner>;
  readonly authenticator: RequestAuthenticator;
  readonly credentialWatch: CredentialRevocationWatcher;
  readonly realmSites: RealmByHostCache;
  readonly apiKeys: ApiKeyStore;
  readonly mailTransport: MailTransport;
  /** SMTP server that receives emails to channels. The server listens only if it is configured. */
  readonly incomingMail: IncomingMailServer;
  readonly channelMailCounts: ChannelMailOutcomeCounter;
  /** HTTP client for requests to the services of outgoing webhook bots. */
  readonly botServices: OutboundClient;
  /** Webhooks that administrators create: URLs to which the service sends events. */
  readonly eventWebhooks: EventWebhooks;
  readonly rateLimiter: RateLimiter;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettingsCache;
  /** Storage of the files that users upload. */
  readonly files: OpenedFileStorage;
  readonly pictures: ImageProcessor;
  readonly secrets: SecretTextEncryptor;
  /** Cryptographic keys with which the service encrypts and digests stored secrets. */
  readonly keys: ServiceKeysAndPeppers;
  readonly attention: AlertWordAndMuteCache;
  /** Checks over a separate database connection if cached data still equals the database. */
  readonly checks: CachedDataChangeChecker;
  readonly parts: SnapshotDataCache;
  /** Cache of the subscribers of large channels, in the memory of the process. */
  readonly subscribers: ActiveSubscriberCache;
  /** Cache of the topics of channels that have many topics, in the memory of the process. */
  readonly topicLists: TopicListCache;
  readonly clock: Clock;
  /** Function that tests use to simulate a crash: kills this process at a named line of the code. */
  readonly faultPoint: FaultPointListener | undefined;
  /** Start time of this process in UNIX seconds. Clients detect a restart of the server when this value changes. */
  readonly serverGeneration: number;
}

/**
 * Creates all objects of a chat process without connecting to any server. An unavailable server causes errors only at
 * its first use.
 */
export function createChatProcessRuntime(
  config: ChatServiceConfig,
  logger: Logger,
  clock: Clock = systemClock,
): ChatRuntime {
  const faultPoint = config.FAULT_POINT && createCrashListener(config.FAULT_POINT);
  // Cached values and Redis events that came from a former primary may belong to lost commits.
  const onPrimaryChange = (): void => {
    invalidations.invalidateAll();
    eventLog.scheduleLogComparison();
  };
  const onConnectionsReplaced = (): void => checks.reconnect();
  const callbacks = { onPrimaryChange, onConnectionsReplaced };
  const { database, outbox, beforeFlush } = openDatabase(config, logger, { faultPoint, ...callbacks });
  // Loading cache entries uses the `shared` connections, because many requests may wait for one entry.
  const { shared, authentication } = database;
  const prefix = config.REDIS_KEY_PREFIX;
  const eventLog = openEventLog({ config, database, outbox, logger, clock, faultPoint });
  const redis = connectRedis(config.REDIS_URL, 'commands', logger);
  const invalidations = new RedisCredentialInvalidationNotifier({ redis, channel: `${prefix}:credentials`, logger });
  const credentials = new CredentialCache<CredentialOwner>({ invalidations, clock, tagsOf: listCredentialCacheTags });
  const returning = new OmittedMessageRowWriter(database.background('return of users'));
  const checks = new CachedDataChangeChecker({ url: config.DATABASE_URL, applicationName: 'switchboard-chat', logger });
  const keys = createServiceKeys(config);
  const { box: secrets, pepper } = keys;
  const eventWebhooks = new EventWebhooks({
    config,
    database,
    outbox,
    secrets,
    invalidations,
    clock,
    logger,
    faultPoint,
  });
  beforeFlush.push((tx) => eventWebhooks.sink.emitDeferredEvents(tx));
  return {
    config,
    logger,
    database,
    outbox,
    eventLog,
    redis,
    invalidations,
    credentials,
    authenticator: new RequestAuthenticator(
      new CredentialAuthenticator({ database: authentication, pepper, cache: credentials, returning, clock, logger }),
      new SessionAuthenticator({ database: authentication, cache: credentials, returning }),
    ),
    credentialWatch: new CredentialRevocationWatcher(invalidations, clock),
    realmSites: new RealmByHostCache({ database: shared, invalidations, clock }),
    apiKeys: new ApiKeyStore(keys),
    mailTransport: openMailTransport(config),
    incomingMail: new IncomingMailServer(config, logger),
    channelMailCounts: new ChannelMailOutcomeCounter(),
    botServices: new OutboundClient(getBotServiceClientOptions(config)),
    eventWebhooks,
    rateLimiter: new RateLimiter({ redis, prefix, config, clock, logger }),
    renderer: new MessageRenderer(),
    realmContents: new RealmMarkdownSettingsCache({ database: shared, invalidations, clock }),
    files: openConfiguredFileStorage(config, clock),
    pictures: new ImageProcessor(config),
    secrets,
    keys,
    attention: new AlertWordAndMuteCache({ database: shared, invalidations, clock }),
    checks,
    parts: new SnapshotDataCache({ database, checks, limitBytes: config.SNAPSHOT_MEMORY_BYTES, logger }),
    subscribers: new ActiveSubscriberCache(),
    topicLists: new TopicListCache(),
    clock,
    faultPoint,
    serverGeneration: Math.floor(clock.now() / 1000),
  };
}

/**
 * Function that adds outbox rows to a transaction before its commit. Returns null if the transaction needs no outbox
 * rows.
 */
type AddOutboxRowsBeforeCommit = (tx: Tx) => Promise<void> | null;

/** Options of {@link openDatabase}: a callback of fault tests, and callbacks for changes of the database server. */
interface OpenDatabaseOptions extends Pick<ConnectionPoolOptions, 'onPrimaryChange' | 'onConnectionsReplaced'> {
  readonly faultPoint?: FaultPointListener | undefined;
}

/**
 * Opens the database together with its outbox, so that outbox rows are written in the transactions of the database.
 * Used by the service and by admin commands that change data. Callers may add functions to `beforeFlush`, which run
 * before each commit.
 */
function openDatabase(
  config: ChatServiceConfig,
  logger: Logger,
  { faultPoint, ...callbacks }: OpenDatabaseOptions = {},
): { database: ChatDatabaseWithPrisma; outbox: Outbox; beforeFlush: AddOutboxRowsBeforeCommit[] } {
  const beforeFlush: AddOutboxRowsBeforeCommit[] = [];
  const database: ChatDatabaseWithPrisma = createDatabase({
    url: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    applicationName: 'switchboard-chat',
    logger,
    slowQueryMs: config.SLOW_QUERY_MS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    backgroundTimeoutMs: config.BACKGROUND_STATEMENT_TIMEOUT_MS,
    requestId: getCurrentRequestId,
    disconnect: getCurrentDisconnect,
    workload: getRequestDatabaseWork,
    shortWaitMs: config.DATABASE_SHORT_WAIT_MS,
    heavyWaitMs: config.DATABASE_HEAVY_WAIT_MS,
    beforeCommit: (tx, ending) => {
      const work = beforeFlush.flatMap((add) => add(tx) ?? []);
      // With additional rows, the outbox rows are sent without COMMIT, which follows separately.
      return work.length > 0 ? Promise.all(work).then(() => outbox.flush(tx)) : outbox.flush(tx, ending);
    },
    afterCommit: (tx) => {
      chatAudit.writeCommitted(tx);
      outbox.dispatchAfterCommit(tx);
    },
    transport: framedTransactionTransport,
    prisma: createPrismaClient,
    ...callbacks,
  });
  const outbox = new Outbox({
    pool: database.servicePool,
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    logger,
    context: getCurrentTrace,
    faultPoint,
  });
  return { database, outbox, beforeFlush };
}

/** Objects of the process that the event log uses. */
interface ChatEventLogDependencies extends Pick<ChatRuntime, 'config' | 'database' | 'outbox' | 'logger' | 'clock'> {
  readonly faultPoint: FaultPointListener | undefined;
}

function openEventLog({ config, database, outbox, logger, clock, faultPoint }: ChatEventLogDependencies): EventLog {
  return new EventLog({
    outbox,
    pool: database.servicePool,
    snapshotPoolOf: (owner) => database.snapshotPoolOf(owner),
    registrationCap: config.REGISTRATION_CAP,
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    logger,
    heartbeatMs: config.EVENT_HEARTBEAT_MS,
    collectMs: config.EVENT_QUEUE_COLLECT_MS,
    queueCap: config.EVENT_QUEUE_CAP,
    tombstoneMs: config.EVENT_QUEUE_DELTA_SECONDS * 1000,
    tailBytes: config.EVENT_LOG_TAIL_BYTES,
    logCapBytes: config.EVENT_LOG_CAP_BYTES,
    clock,
    faultPoint,
  });
}

/**
 * Closes all objects that {@link createChatProcessRuntime} created. Used by programs that end by themselves; a service
 * stops in phases instead.
 */
export async function closeChatProcessRuntime(runtime: ChatRuntime): Promise<void> {
  await runtime.eventLog.stop();
  await runtime.outbox.stop();
  runtime.invalidations.close();
  runtime.redis.disconnect();
  runtime.mailTransport.close();
  await runtime.botServices.close();
  await runtime.files.close();
  await runtime.checks.close();
  await runtime.database.close();
}
