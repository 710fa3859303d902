import { CredentialCache, Pepper, RedisInvalidations, SecretBox } from '@switchboard/auth';
import { createDatabase, type Database } from '@switchboard/database';
import { type Clock, currentRequestId, type Logger, systemClock } from '@switchboard/platform';
import { EventLog, Outbox } from '@switchboard/queue';
import { Redis } from 'ioredis';
import { ApiKeys } from './access/api-keys.js';
import { Authenticator, type CredentialOwner, credentialTags } from './access/authenticator.js';
import type { ChatConfig } from './config.js';
import { MessageRenderer } from './markdown/index.js';

/** What one process of the service stands on: connections, secrets, and what is made of them. */
export interface ChatRuntime {
  readonly config: ChatConfig;
  readonly logger: Logger;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly eventLog: EventLog;
  readonly redis: Redis;
  readonly invalidations: RedisInvalidations;
  readonly credentials: CredentialCache<CredentialOwner>;
  readonly authenticator: Authenticator;
  readonly apiKeys: ApiKeys;
  readonly renderer: MessageRenderer;
  /** When this process started, in UNIX seconds: clients tell a restart by it. */
  readonly serverGeneration: number;
}

/** Opens everything; nothing here waits for a server, and a server that is away is met when it is first needed. */
export function createRuntime(config: ChatConfig, logger: Logger, clock: Clock = systemClock): ChatRuntime {
  const { database, outbox } = openDatabase(config, logger);
  const prefix = config.REDIS_KEY_PREFIX;
  const eventLog = new EventLog({
    outbox,
    pool: database.pool,
    redis: config.REDIS_URL,
    prefix,
    logger,
    heartbeatMs: config.EVENT_HEARTBEAT_MS,
  });
  const redis = new Redis(config.REDIS_URL, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  redis.on('error', (err: unknown) => logger.warn({ err }, 'Redis connection failed'));
  const invalidations = new RedisInvalidations({ redis, channel: `${prefix}:credentials`, logger });
  const credentials = new CredentialCache<CredentialOwner>({ invalidations, clock, tagsOf: credentialTags });
  const pepper = new Pepper(Object.fromEntries(config.SECRET_PEPPERS));
  return {
    config,
    logger,
    database,
    outbox,
    eventLog,
    redis,
    invalidations,
    credentials,
    authenticator: new Authenticator({ database, pepper, cache: credentials }),
    apiKeys: new ApiKeys({ box: secretBox(config), pepper }),
    renderer: new MessageRenderer(),
    serverGeneration: Math.floor(clock.now() / 1000),
  };
}

/** A database whose every transaction carries its outbox rows. For the service, and for commands that change data. */
export function openDatabase(config: ChatConfig, logger: Logger): { database: Database; outbox: Outbox } {
  const database: Database = createDatabase({
    url: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    applicationName: 'switchboard-chat',
    logger,
    slowQueryMs: config.SLOW_QUERY_MS,
    requestId: currentRequestId,
    beforeCommit: (tx) => outbox.flush(tx),
    afterCommit: (tx) => outbox.committed(tx),
  });
  const outbox = new Outbox({
    pool: database.pool,
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    logger,
    context: () => ({ requestId: currentRequestId() }),
  });
  return { database, outbox };
}

/** The first key seals; all of them open. */
export function secretBox(config: ChatConfig): SecretBox {
  const [first] = config.SECRET_ENCRYPTION_KEYS;
  return new SecretBox({ keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS), current: first?.[0] ?? '' });
}

/** Closes what {@link createRuntime} opened, for programs that end by themselves; services stop in phases instead. */
export async function closeRuntime(runtime: ChatRuntime): Promise<void> {
  await runtime.eventLog.stop();
  await runtime.outbox.stop();
  runtime.invalidations.close();
  runtime.redis.disconnect();
  await runtime.database.close();
}
