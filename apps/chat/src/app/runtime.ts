import { CredentialCache, type ServiceKeys, RedisCredentialInvalidations, type SecretBox } from '@switchboard/auth';
import { ChangeChecker, createDatabase, framedTransport, type PoolOptions, type Tx } from '@switchboard/database';
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
  type OnFaultPoint,
  Outbox,
  type RedisClient,
} from '@switchboard/queue';
import { ApiKeyStore } from '../core/access/api-keys.js';
import { CredentialAuthenticator, listCredentialCacheTags } from '../core/access/authenticator.js';
import type { CredentialOwner } from '../core/access/credential-owner.js';
import { RealmHosts } from '../core/access/realm-hosts.js';
import { SessionAuthenticator } from '../core/access/session-authenticator.js';
import { CredentialWatch } from '../core/access/watch-credentials.js';
import type { ServiceConfig } from './environment.js';
import { RequestAuthenticator } from '../core/access/request-authenticator.js';
import { ImageProcessor } from '../infra/images/process-images.js';
import { IncomingMailServer } from '../infra/incoming-mail/index.js';
import { type MailTransport, openMailTransport } from '../infra/mail/index.js';
import { chatAudit } from '../infra/audit-trail.js';
import { createServiceKeys } from '../infra/key-ring.js';
import { MessageRenderer } from '../infra/markdown/index.js';
import { ChannelMailCounts } from '../features/channel-email/index.js';
import { botCallClientOptions } from '../features/bot-calls/settings.js';
import { EventWebhooks } from '../features/event-webhooks/index.js';
import { TopicLists } from '../features/topics/index.js';
import { AlertWordAndMuteCache } from '../core/alert-words-and-mutes/index.js';
import { ActiveSubscriberCache } from '../core/channels/index.js';
import { RealmMarkdownSettings } from '../core/realm-markdown-settings/index.js';
import { ReturningUsers } from '../core/soft-deactivation/index.js';
import { RateLimiter } from '../infra/rate-limits/index.js';
import { SnapshotMemory } from '../events/snapshot-memory/index.js';
import { type ChatDatabase, openPrisma } from '../infra/open-prisma.js';
import { createStorage, type OpenedStorage } from '../infra/storage/index.js';

/**
 * Objects that a chat process creates at its start: connections, secrets, and objects that use these connections and
 * secrets.
 */
export interface ChatRuntime {
  readonly config: ServiceConfig;
  readonly logger: Logger;
  readonly database: ChatDatabase;
  readonly outbox: Outbox;
  readonly eventLog: EventLog;
  readonly redis: RedisClient;
  readonly invalidations: RedisCredentialInvalidations;
  readonly credentials: CredentialCache<CredentialOwner>;
  readonly authenticator: RequestAuthenticator;
  readonly credentialWatch: CredentialWatch;
  readonly realmSites: RealmHosts;
  readonly apiKeys: ApiKeyStore;
  readonly mailTransport: MailTransport;
  /** SMTP server that receives emails to channels. The server listens only if it is configured. */
  readonly incomingMail: IncomingMailServer;
  readonly channelMailCounts: ChannelMailCounts;
  /** HTTP client for requests to the services of outgoing webhook bots. */
  readonly botServices: OutboundClient;
  /** Webhooks that administrators create: URLs to which the service sends events. */
  readonly eventWebhooks: EventWebhooks;
  readonly rateLimiter: RateLimiter;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettings;
  /** Storage of the files that users upload. */
  readonly files: OpenedStorage;
  readonly pictures: ImageProcessor;
  readonly secrets: SecretBox;
  /** Cryptographic keys with which the service encrypts and digests stored secrets. */
  readonly keys: ServiceKeys;
  readonly attention: AlertWordAndMuteCache;
  /** Checks over a separate database connection if cached data still equals the database. */
  readonly checks: ChangeChecker;
  readonly parts: SnapshotMemory;
  /** Cache of the subscribers of large channels, in the memory of the process. */
  readonly subscribers: ActiveSubscriberCache;
  /** Cache of the topics of channels that have many topics, in the memory of the process. */
  readonly topicLists: TopicLists;
  readonly clock: Clock;
  /** Function that tests use to simulate a crash: kills this process at a named line of the code. */
  readonly faultPoint: OnFaultPoint | undefined;
  /** Start time of this process in UNIX seconds. Clients detect a restart of the server when this value changes. */
  readonly serverGeneration: number;
}

/**
 * Creates all objects of a chat process without connecting to any server. An unavailable server causes errors only at
 * its first use.
 */
export function createRuntime(config: ServiceConfig, logger: Logger, clock: Clock = systemClock): ChatRuntime {
  const faultPoint = config.FAULT_POINT && createCrashListener(config.FAULT_POINT);
  // Values that were read from a former primary, and events that Redis got from it, may belong to commits that are lost.
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
  const invalidations = new RedisCredentialInvalidations({ redis, channel: `${prefix}:credentials`, logger });
  const credentials = new CredentialCache<CredentialOwner>({ invalidations, clock, tagsOf: listCredentialCacheTags });
  const returning = new ReturningUsers(database.background('return of users'));
  const checks = new ChangeChecker({ url: config.DATABASE_URL, applicationName: 'switchboard-chat', logger });
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
    credentialWatch: new CredentialWatch(invalidations, clock),
    realmSites: new RealmHosts({ database: shared, invalidations, clock }),
    apiKeys: new ApiKeyStore(keys),
    mailTransport: openMailTransport(config),
    incomingMail: new IncomingMailServer(config, logger),
    channelMailCounts: new ChannelMailCounts(),
    botServices: new OutboundClient(botCallClientOptions(config)),
    eventWebhooks,
    rateLimiter: new RateLimiter({ redis, prefix, config, clock, logger }),
    renderer: new MessageRenderer(),
    realmContents: new RealmMarkdownSettings({ database: shared, invalidations, clock }),
    files: createStorage(config, clock),
    pictures: new ImageProcessor(config),
    secrets,
    keys,
    attention: new AlertWordAndMuteCache({ database: shared, invalidations, clock }),
    checks,
    parts: new SnapshotMemory({ database, checks, limitBytes: config.SNAPSHOT_MEMORY_BYTES, logger }),
    subscribers: new ActiveSubscriberCache(),
    topicLists: new TopicLists(),
    clock,
    faultPoint,
    serverGeneration: Math.floor(clock.now() / 1000),
  };
}

/**
 * Function that adds outbox rows to a transaction before its commit. Returns null if the transaction needs no outbox
 * rows.
 */
type BeforeFlush = (tx: Tx) => Promise<void> | null;

/** Options of {@link openDatabase}: a callback of fault tests, and callbacks for changes of the database server. */
interface OpenDatabaseOptions extends Pick<PoolOptions, 'onPrimaryChange' | 'onConnectionsReplaced'> {
  readonly faultPoint?: OnFaultPoint | undefined;
}

/**
 * Opens the database together with its outbox, so that outbox rows are written in the transactions of the database.
 * Used by the service and by admin commands that change data. Callers may add functions to `beforeFlush`, which run
 * before each commit.
 */
function openDatabase(
  config: ServiceConfig,
  logger: Logger,
  { faultPoint, ...callbacks }: OpenDatabaseOptions = {},
): { database: ChatDatabase; outbox: Outbox; beforeFlush: BeforeFlush[] } {
  const beforeFlush: BeforeFlush[] = [];
  const database: ChatDatabase = createDatabase({
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
      // COMMIT is then not sent with the rows.
      return work.length > 0 ? Promise.all(work).then(() => outbox.flush(tx)) : outbox.flush(tx, ending);
    },
    afterCommit: (tx) => {
      chatAudit.writeCommitted(tx);
      outbox.dispatchAfterCommit(tx);
    },
    transport: framedTransport,
    prisma: openPrisma,
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
interface EventLogDependencies extends Pick<ChatRuntime, 'config' | 'database' | 'outbox' | 'logger' | 'clock'> {
  readonly faultPoint: OnFaultPoint | undefined;
}

function openEventLog({ config, database, outbox, logger, clock, faultPoint }: EventLogDependencies): EventLog {
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
 * Closes all objects that {@link createRuntime} created. Used by programs that end by themselves; a service stops in
 * phases instead.
 */
export async function closeRuntime(runtime: ChatRuntime): Promise<void> {
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
