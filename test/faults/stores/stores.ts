import { join, resolve } from 'node:path';
import { hashFoldersContent, openTestDatabase, getTestServerAddresses } from '@switchboard/testing';
import { migrateChatDatabase as migrateChat } from '../../../apps/chat/src/migrate.js';
import { migrateInventoryDatabase as migrateInventory } from '../../../apps/inventory/src/migrate.js';
import { PostgresStore } from './postgres-store.js';
import { RedisStore } from './redis-store.js';

type App = 'chat' | 'inventory';

/** Addresses of PostgreSQL and Redis for the processes under test, and the folder for the files of the test suite. */
export interface StoreAddresses {
  readonly folder: string;
  databaseUrl(app: App): string;
  readonly redisUrl: string;
  /** Prefix of the test suite's keys in Redis. */
  readonly prefix: string;
  stop(): Promise<void>;
}

/** PostgreSQL and Redis servers of one test suite. The suite may kill the servers. */
export interface Stores extends StoreAddresses {
  readonly postgres: PostgresStore;
  readonly redis: RedisStore;
}

/** Returns the folder for the files of a test suite. */
export const folderOf = (suite: string): string => resolve(import.meta.dirname, '../../../.data/faults', suite);

/**
 * Starts a PostgreSQL server and a Redis server without data.
 *
 * @param suite name of the test suite; unique for each spec file, because spec files run concurrently
 */
export async function startStores(suite: string): Promise<Stores> {
  const folder = folderOf(suite);
  const postgres = new PostgresStore(join(folder, 'postgres'));
  const redis = new RedisStore(join(folder, 'redis'));
  await Promise.all([postgres.startEmpty(), redis.startEmpty()]);
  return {
    folder,
    postgres,
    redis,
    prefix: 'faults-',
    databaseUrl: (app) => postgres.urlOf(`faults_${app}`),
    get redisUrl() {
      return redis.url;
    },
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

const migrations = { chat: migrateChat, inventory: migrateInventory };

/**
 * Returns the addresses of the PostgreSQL and Redis servers that all tests of the run share. The suite gets a separate
 * key prefix and a database for each app. Intended for suites that stop only processes of a service.
 *
 * @param createUrl function that creates the database of an app and returns the URL of the database; by default the
 *   database has the app's tables
 */
export async function sharedStores(
  suite: string,
  apps: readonly App[],
  createUrl: (app: App) => Promise<string> = migratedDatabase,
): Promise<StoreAddresses> {
  const urls = new Map(await Promise.all(apps.map(async (app) => [app, await createUrl(app)] as const)));
  return {
    folder: folderOf(suite),
    redisUrl: getTestServerAddresses().redisUrl,
    prefix: `faults_${suite}_${process.pid}-`,
    databaseUrl: (app) => {
      const url = urls.get(app);
      if (url === undefined) throw new Error(`The suite ${suite} has no database of ${app}`);
      return url;
    },
    // The end of the run drops the databases.
    stop: () => Promise.resolve(),
  };
}

/** Creates a database without tables and returns its URL. */
export async function emptyDatabase(app: App): Promise<string> {
  return (await openTestDatabase({ name: `empty_${app}`, hash: 'empty', prepare: async () => {}, unused: true })).url;
}

/**
 * Creates a database with the tables of an app and returns its URL. The database is a copy of a template that all
 * suites share.
 */
async function migratedDatabase(app: App): Promise<string> {
  const root = resolve(import.meta.dirname, '../../..');
  const folders = [`prisma/${app}/migrations`, 'packages/queue/src', 'packages/queue/sql'];
  const hash = await hashFoldersContent(...folders.map((folder) => join(root, folder)));
  const prepare = (url: string): Promise<void> => migrations[app](url, () => undefined);
  return (await openTestDatabase({ name: `faults_${app}`, hash, prepare })).url;
}
