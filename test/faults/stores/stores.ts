import { join, resolve } from 'node:path';
import { hashFoldersContent, openTestDatabase, getTestServerAddresses } from '@switchboard/testing';
import { migrateChatDatabase as migrateChat } from '../../../apps/chat/src/migrate.js';
import { migrateInventoryDatabase as migrateInventory } from '../../../apps/inventory/src/migrate.js';
import { PostgresStore } from './postgres-store.js';
import { RedisStore } from './redis-store.js';

type App = 'chat' | 'inventory';

/** Addresses of PostgreSQL and Redis for the processes under test, and the folder for the suite's files. */
export interface Addresses {
  readonly folder: string;
  databaseUrl(app: App): string;
  readonly redisUrl: string;
  /** Prefix of the suite's keys in Redis. */
  readonly prefix: string;
  stop(): Promise<void>;
}

/** PostgreSQL and Redis servers of one suite, which the suite may kill. */
export interface Stores extends Addresses {
  readonly postgres: PostgresStore;
  readonly redis: RedisStore;
}

/** Returns the folder for the files of a suite. */
export const folderOf = (suite: string): string => resolve(import.meta.dirname, '../../../.data/faults', suite);

/**
 * Starts PostgreSQL and Redis without data.
 *
 * @param suite name, unique for each spec file, because spec files run concurrently
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
 * Returns the PostgreSQL and Redis that all tests of the run share, with a separate key prefix and a database for each
 * app. For suites that stop only the processes of a service.
 *
 * @param createUrl creates the database of an app and returns its URL; by default it is migrated
 */
export async function sharedStores(
  suite: string,
  apps: readonly App[],
  createUrl: (app: App) => Promise<string> = migratedDatabase,
): Promise<Addresses> {
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

/** Returns the URL of a new database without tables. */
export async function emptyDatabase(app: App): Promise<string> {
  return (await openTestDatabase({ name: `empty_${app}`, hash: 'empty', prepare: async () => {}, unused: true })).url;
}

/** Returns the URL of a new database with the tables of an app, a copy of one that all suites share. */
async function migratedDatabase(app: App): Promise<string> {
  const root = resolve(import.meta.dirname, '../../..');
  const folders = [`prisma/${app}/migrations`, 'packages/queue/src', 'packages/queue/sql'];
  const hash = await hashFoldersContent(...folders.map((folder) => join(root, folder)));
  const prepare = (url: string): Promise<void> => migrations[app](url, () => undefined);
  return (await openTestDatabase({ name: `faults_${app}`, hash, prepare })).url;
}
