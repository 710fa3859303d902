import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findDatabaseAccount } from './database-account.js';
import { loadServiceCredentials, type ServiceCredentials } from './service-credentials.js';
import { readServicePorts, writeServicePorts } from './service-ports.js';
import { ensureRedisBinary } from './ensure-redis-binary.js';
import { LocalServicesError } from './local-services-errors.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { getPostgresClusterFolder, ensurePostgresCluster } from './postgres-cluster.js';
import { startPostgres, type RunningPostgres } from './postgres-server.js';
import { startRedis, type RunningRedis } from './redis-server.js';
import { systemServiceFolder } from './service-folder.js';
import {
  endOrphanedServers,
  acquireDataFolderLock,
  createServiceFolder,
  removeLocalServiceData,
  LocalServiceAddresses,
} from './find-local-services.js';

/** Options for starting local PostgreSQL and Redis servers by {@link startLocalServices}. */
export interface LocalServicesOptions {
  /**
   * Folder for the data of the local servers, created if missing. Only one process at a time may run services in this
   * folder.
   */
  readonly dataFolder: string;
  readonly log: (line: string) => void;
  /** Options of the PostgreSQL server, or false to start no PostgreSQL server. `maxConnections` defaults to 200. */
  readonly postgres?: { readonly maxConnections?: number } | false;
  /**
   * Options of the Redis server, or false to start no Redis server. `binary` is the path of the server program; by
   * default, the program is searched on the PATH.
   */
  readonly redis?: { readonly binary?: string } | false;
  /**
   * False for tests: each start of the local servers begins without data, and no data is flushed to disk. Default true.
   */
  readonly durable?: boolean;
  /**
   * Folder for data and programs when the services run as root and the database account cannot access the repository.
   */
  readonly systemFolder?: string;
  /**
   * Callback that is called when a local server ends unexpectedly. The arguments are the name of the server and the end
   * of its log.
   */
  readonly onExit?: (service: 'PostgreSQL' | 'Redis', tail: string) => void;
}

interface StartedLocalServers {
  postgres?: RunningPostgres;
  redis?: RunningRedis;
}

/** Local PostgreSQL and Redis servers that this process has started and must stop. */
export class LocalServices extends LocalServiceAddresses {
  private stopping: Promise<void> | undefined;
  readonly pids: { readonly postgres?: number; readonly redis?: number };

  constructor(
    addresses: ConstructorParameters<typeof LocalServiceAddresses>,
    private readonly servers: StartedLocalServers,
    private readonly lock: { release(): void },
    onExit: LocalServicesOptions['onExit'],
  ) {
    super(...addresses);
    const { postgres, redis } = servers;
    this.pids = {
      ...(postgres === undefined ? {} : { postgres: postgres.process.pid }),
      ...(redis === undefined ? {} : { redis: redis.process.pid }),
    };
    const watch = (name: 'PostgreSQL' | 'Redis', server: RunningPostgres | RunningRedis | undefined): void => {
      void server?.process.exited.then(() => {
        if (this.stopping === undefined) onExit?.(name, server.process.logTail());
      });
    };
    watch('PostgreSQL', postgres);
    watch('Redis', redis);
  }

  /**
   * Stops Redis, then PostgreSQL, and unlocks the data folder. The data of the servers is retained. Further calls have
   * no effect.
   */
  stop(): Promise<void> {
    this.stopping ??= stopServers(this.servers).then(() => this.lock.release());
    return this.stopping;
  }
}

async function stopServers({ postgres, redis }: StartedLocalServers): Promise<void> {
  await redis?.process.stop();
  await postgres?.process.stop();
}

async function startPostgresServer(serviceFolder: string, password: string, options: LocalServicesOptions) {
  const durable = options.durable ?? true;
  const cluster = getPostgresClusterFolder(serviceFolder);
  const account = findDatabaseAccount(cluster);
  const { initdb, postgres } = findPostgresBinaries(options.systemFolder ?? systemServiceFolder, account, options.log);
  if (!existsSync(cluster)) options.log('Creating the PostgreSQL data directory.');
  await ensurePostgresCluster({ serviceFolder, initdb, account, password, durable });
  const configured = options.postgres === false ? undefined : options.postgres;
  return startPostgres({
    clusterFolder: cluster,
    postgres,
    account,
    password,
    logFile: join(serviceFolder, 'postgres.log'),
    durable,
    maxConnections: configured?.maxConnections ?? 200,
    preferredPort: readServicePorts(serviceFolder).postgresPort,
  });
}

async function startRedisServer(serviceFolder: string, password: string, options: LocalServicesOptions) {
  const configured = options.redis === false ? undefined : options.redis;
  return startRedis({
    folder: join(serviceFolder, 'redis'),
    binary: configured?.binary ?? (await ensureRedisBinary({ log: options.log })),
    password,
    logFile: join(serviceFolder, 'redis.log'),
    durable: options.durable ?? true,
    preferredPort: readServicePorts(serviceFolder).redisPort,
  });
}

/**
 * Starts PostgreSQL and Redis concurrently. If the start of one server fails, stops the other server and throws the
 * error.
 */
async function startServers(
  folder: string,
  credentials: ServiceCredentials,
  options: LocalServicesOptions,
): Promise<StartedLocalServers> {
  const servers: StartedLocalServers = {};
  const postgres = async (): Promise<void> => {
    servers.postgres = await startPostgresServer(folder, credentials.postgresPassword, options);
  };
  const redis = async (): Promise<void> => {
    servers.redis = await startRedisServer(folder, credentials.redisPassword, options);
  };
  const outcomes = await Promise.allSettled([
    ...(options.postgres === false ? [] : [postgres()]),
    ...(options.redis === false ? [] : [redis()]),
  ]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return servers;
  await stopServers(servers);
  throw failure.reason;
}

async function startServicesInLockedFolder(
  dataFolder: string,
  lock: { release(): void },
  options: LocalServicesOptions,
): Promise<LocalServices> {
  const serviceFolder = createServiceFolder(dataFolder, options.systemFolder);
  if (serviceFolder !== dataFolder) {
    options.log(
      `Data is stored in ${serviceFolder}, because the user that PostgreSQL runs as cannot access ${dataFolder}.`,
    );
  }
  if (options.durable === false) await removeLocalServiceData(serviceFolder, options.log);
  else await endOrphanedServers(serviceFolder, options.log);
  const credentials = loadServiceCredentials(serviceFolder);
  const servers = await startServers(serviceFolder, credentials, options);
  const endpoints = {
    ...(servers.postgres === undefined ? {} : { postgresPort: servers.postgres.port }),
    ...(servers.redis === undefined ? {} : { redisPort: servers.redis.port }),
  };
  writeServicePorts(serviceFolder, endpoints);
  return new LocalServices([serviceFolder, credentials, endpoints], servers, lock, options.onExit);
}

/**
 * Returns an error with an explanation if access to the data folder was denied, which usually means that another user
 * created the folder. Returns other errors unchanged.
 */
function explainAccessError(error: unknown, dataFolder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!(error instanceof Error) || (code !== 'EACCES' && code !== 'EPERM')) return error;
  const message = `${dataFolder} cannot be used (${error.message}). It was made by another user: run as that user, or remove it.`;
  return new LocalServicesError(message, { cause: error });
}

/**
 * Starts a real PostgreSQL and a private Redis on free ports of 127.0.0.1 and waits until both respond. First ends
 * servers that still run because the process that started them was killed. The data of those servers is retained.
 * @throws LocalServicesInUseError when a running process runs the services of this folder
 * @throws LocalServicesError if a server cannot run on this machine; the message describes the remedy
 */
export async function startLocalServices(options: LocalServicesOptions): Promise<LocalServices> {
  const dataFolder = resolve(options.dataFolder);
  try {
    createServiceFolder(dataFolder, options.systemFolder);
    const lock = await acquireDataFolderLock(dataFolder, 'local services');
    try {
      return await startServicesInLockedFolder(dataFolder, lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explainAccessError(error, dataFolder);
  }
}
