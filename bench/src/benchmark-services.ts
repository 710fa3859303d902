import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type LocalServices, startLocalServices } from '@switchboard/local-services';

export const repositoryRoot = resolve(import.meta.dirname, '../..');

/**
 * PostgreSQL and Redis servers of the benchmark, and the environment variables of each measured service. The servers
 * write durably to disk, as in production.
 */
export interface BenchmarkServices {
  readonly services: LocalServices;
  envOf(app: 'chat' | 'inventory'): Record<string, string>;
  stop(): Promise<void>;
}

const benchmarkSecrets = {
  SECRET_ENCRYPTION_KEYS: `1:${randomBytes(32).toString('base64')}`,
  SECRET_PEPPERS: `1:${randomBytes(48).toString('base64url')}`,
};

/** Starts PostgreSQL (fsync on) and Redis (append-only file) with an empty data folder. Returns the running servers. */
export async function startBenchmarkServices(): Promise<BenchmarkServices> {
  const dataFolder = join(repositoryRoot, '.data', 'bench');
  rmSync(dataFolder, { recursive: true, force: true });
  mkdirSync(dataFolder, { recursive: true });
  const services = await startLocalServices({ dataFolder, log: () => {}, durable: true });
  return {
    services,
    envOf: (app) => ({
      ...benchmarkSecrets,
      // The benchmark sends more requests as one user than the rate limit allows.
      ...(app === 'chat' && { RATE_LIMIT_API_BY_USER: 'off' }),
      NODE_ENV: 'production',
      MIGRATE_AT_BOOT: 'true',
      LOG_LEVEL: 'warn',
      DATABASE_URL: services.postgresUrl(`bench_${app}`),
      REDIS_URL: services.redisUrl,
      REDIS_KEY_PREFIX: `bench:${app}:`,
    }),
    stop: () => services.stop(),
  };
}

/** URLs of the databases that {@link runAdminCommand} has migrated. */
const migratedDatabases = new Set<string>();

/**
 * Runs an admin command of a service. Applies the migrations before the first command for a database.
 *
 * @returns its output
 * @throws Error with the output of the program if it fails
 */
export function runAdminCommand(
  app: 'chat' | 'inventory',
  env: Record<string, string>,
  args: readonly string[],
): string {
  const { DATABASE_URL: url = '' } = env;
  if (!migratedDatabases.has(url)) {
    migratedDatabases.add(url);
    runAdminCommand(app, env, ['migrate']);
  }
  const script = join(repositoryRoot, 'apps', app, 'dist/admin-bundle.js');
  const result = spawnSync(process.execPath, [script, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (result.status !== 0) {
    throw new Error(`admin ${app} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}`);
  }
  return result.stdout;
}
