import { join, resolve } from 'node:path';
import { testServices } from '@switchboard/testing';
import pg from 'pg';
import { PostgresStore } from './postgres-store.js';
import { RedisStore } from './redis-store.js';

/** Addresses of PostgreSQL and Redis for the processes under test, and the folder for the suite's files. */
export interface Addresses {
  readonly folder: string;
  databaseUrl(app: string): string;
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

const folderOf = (suite: string): string => resolve(import.meta.dirname, '../../../.data/faults', suite);

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

/**
 * Returns the PostgreSQL and Redis that all tests of the run share, with a separate database and key prefix. For suites
 * that stop only the processes of a service.
 */
export function sharedStores(suite: string): Addresses {
  const { postgresUrl, redisUrl } = testServices();
  const name = `faults_${suite}_${process.pid}`;
  const made = new Set<string>();
  return {
    folder: folderOf(suite),
    redisUrl,
    prefix: `${name}-`,
    databaseUrl: (app) => {
      made.add(`${name}_${app}`);
      const url = new URL(postgresUrl);
      url.pathname = `/${name}_${app}`;
      return url.href;
    },
    stop: () => dropDatabases(postgresUrl, [...made]),
  };
}

async function dropDatabases(url: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const name of names) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  await client.end();
}
