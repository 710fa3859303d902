import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireLock, findLockHolder } from '../node-only/lock-file.mjs';
import { findDatabaseAccount } from './database-account.js';
import { loadServiceCredentials, type ServiceCredentials } from './service-credentials.js';
import { createPostgresUrl, readServicePorts, createRedisUrl, type ServicePorts } from './service-ports.js';
import { LocalServicesError, LocalServicesInUseError } from './local-services-errors.js';
import { getPostgresClusterFolder } from './postgres-cluster.js';
import { endOrphanedPostgres } from './postgres-server.js';
import { endOrphanedRedis } from './redis-server.js';
import { chooseServiceFolder, getSystemFolderOfData, createAccessibleFolder } from './service-folder.js';

/** Addresses of the local PostgreSQL and Redis servers, which listen only on 127.0.0.1 and have generated passwords. */
export class LocalServiceAddresses {
  constructor(
    /**
     * Folder for the files of the local servers. This is the data folder, or another folder that PostgreSQL's account
     * can access.
     */
    readonly serviceFolder: string,
    private readonly credentials: ServiceCredentials,
    private readonly endpoints: ServicePorts,
  ) {}

  /**
   * Returns the URL of a database on the local PostgreSQL server. The database need not exist yet.
   *
   * @throws LocalServicesError if the local services were started without PostgreSQL
   */
  postgresUrl(database: string): string {
    const port = this.endpoints.postgresPort;
    if (port === undefined) throw new LocalServicesError('These local services were started without PostgreSQL.');
    return createPostgresUrl(port, this.credentials.postgresPassword, database);
  }

  /**
   * URL of the local Redis server.
   *
   * @throws LocalServicesError if the local services were started without Redis
   */
  get redisUrl(): string {
    const port = this.endpoints.redisPort;
    if (port === undefined) throw new LocalServicesError('These local services were started without Redis.');
    return createRedisUrl(port, this.credentials.redisPassword);
  }
}

/** Creates the folder of the local servers' files and returns its path. */
export function createServiceFolder(dataFolder: string, systemFolder?: string): string {
  createAccessibleFolder(dataFolder);
  return chooseServiceFolder(dataFolder, findDatabaseAccount(getPostgresClusterFolder(dataFolder)), systemFolder);
}

/**
 * Locks the data folder of the local servers for this process. Returns the lock.
 * @throws LocalServicesInUseError when a running process has locked the folder
 */
export async function acquireDataFolderLock(dataFolder: string, purpose: string): Promise<{ release(): void }> {
  const lock = await acquireLock(join(dataFolder, 'services.lock'), purpose);
  if ('holder' in lock) throw new LocalServicesInUseError(lock.holder.pid, lock.holder.purpose);
  return lock;
}

/**
 * Ends local servers that are still running although the process that started them was killed. Logs each ended server.
 */
export async function endOrphanedServers(serviceFolder: string, log: (line: string) => void): Promise<void> {
  const redis = await endOrphanedRedis(join(serviceFolder, 'redis'));
  if (redis !== null) log(`Stopped Redis (process ${redis}) of an earlier start.`);
  const postgres = await endOrphanedPostgres(getPostgresClusterFolder(serviceFolder));
  if (postgres !== null) log(`Stopped PostgreSQL (process ${postgres}) of an earlier start.`);
}

/**
 * Returns the local services that another process runs with the given data folder, for commands that use these
 * services. Returns null if no process runs local services in the folder.
 */
export function findLocalServices(dataFolder: string): LocalServiceAddresses | null {
  const folder = resolve(dataFolder);
  if (findLockHolder(join(folder, 'services.lock')) === null) return null;
  const serviceFolder = createServiceFolder(folder);
  return new LocalServiceAddresses(
    serviceFolder,
    loadServiceCredentials(serviceFolder),
    readServicePorts(serviceFolder),
  );
}

const serviceFolderContents = [
  'postgres',
  'redis',
  'credentials.json',
  'endpoints.json',
  'postgres.log',
  'postgres.log.1',
  'redis.log',
  'redis.log.1',
];

/**
 * Ends local servers that are still running, and removes the data of these servers. Other files in the folder remain.
 */
export async function removeLocalServiceData(serviceFolder: string, log: (line: string) => void): Promise<void> {
  await endOrphanedServers(serviceFolder, log);
  for (const name of serviceFolderContents) rmSync(join(serviceFolder, name), { recursive: true, force: true });
}

/**
 * Removes all data of the local services.
 * @throws LocalServicesInUseError when a running process uses the services
 */
export async function resetLocalServices(options: { dataFolder: string; log: (line: string) => void }): Promise<void> {
  const dataFolder = resolve(options.dataFolder);
  const serviceFolder = createServiceFolder(dataFolder);
  const lock = await acquireDataFolderLock(dataFolder, 'reset');
  try {
    await removeLocalServiceData(serviceFolder, options.log);
    rmSync(getSystemFolderOfData(dataFolder), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
