import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemAccount } from './database-account.js';
import { LocalServicesError } from './local-services-errors.js';

/** Options of {@link ensurePostgresCluster}, which creates PostgreSQL's data directory. */
export interface PostgresClusterOptions {
  readonly serviceFolder: string;
  readonly initdb: string;
  readonly account: SystemAccount | null;
  readonly password: string;
  /**
   * True to flush changes to disk at each commit, and to hash the database password with PostgreSQL's default number of
   * iterations. False is faster and meant for tests.
   */
  readonly durable: boolean;
}

const unfinishedClusterFolderPrefix = 'postgres.new-';

/** Returns the path of PostgreSQL's data directory, which exists only after its creation is complete. */
export function getPostgresClusterFolder(serviceFolder: string): string {
  return join(serviceFolder, 'postgres');
}

function createInitdbArguments(folder: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    `--pwfile=${passwordFile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The built-in locale sorts and folds case equally on every platform, regardless of the installed locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Tests open thousands of connections. Each one computes the hash of the password with this number of iterations.
    ...(durable ? [] : ['--no-sync', '--set', 'scram_iterations=1']),
  ];
}

function runInitdb(options: PostgresClusterOptions, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.initdb, args, {
      ...options.account,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (cause) => {
      reject(new LocalServicesError(`initdb cannot be run (${options.initdb}): ${cause.message}`, { cause }));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new LocalServicesError(`initdb failed (${signal ?? `exit code ${code}`}):\n${output.trimEnd()}`));
    });
  });
}

/**
 * Creates PostgreSQL's data directory if it is missing. The directory is created under another name and renamed when
 * complete. A partial directory of a killed initdb is removed.
 *
 * @throws LocalServicesError with initdb's output when that fails
 */
export async function ensurePostgresCluster(options: PostgresClusterOptions): Promise<void> {
  const { serviceFolder, account } = options;
  for (const name of readdirSync(serviceFolder)) {
    // A killed initdb may still be writing for a moment; therefore the retries.
    if (name.startsWith(unfinishedClusterFolderPrefix))
      rmSync(join(serviceFolder, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const folder = getPostgresClusterFolder(serviceFolder);
  if (existsSync(join(folder, 'PG_VERSION'))) return;
  rmSync(folder, { recursive: true, force: true });

  const draft = join(serviceFolder, `${unfinishedClusterFolderPrefix}${process.pid}-${Date.now()}`);
  const passwordFile = join(draft, 'password');
  const cluster = join(draft, 'cluster');
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (account !== null) for (const path of [passwordFile, draft]) chownSync(path, account.uid, account.gid);
  try {
    await runInitdb(options, createInitdbArguments(cluster, passwordFile, options.durable));
    renameSync(cluster, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
