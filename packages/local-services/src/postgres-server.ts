import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readCommandLine } from '../node-only/process-identity.mjs';
import type { SystemAccount } from './database-account.js';
import { LocalServicesError } from './local-services-errors.js';
import { findFreePort } from './free-port.js';
import { createPostgresMemorySettings, readUsableMemoryBytes } from './memory-settings.js';
import { endProcess, SupervisedProcess, type ProcessStopStep } from './supervised-process.js';

export interface PostgresServerOptions {
  readonly clusterFolder: string;
  readonly postgres: string;
  readonly account: SystemAccount | null;
  readonly password: string;
  readonly logFile: string;
  readonly durable: boolean;
  /** Maximum number of concurrent connections to the PostgreSQL server. */
  readonly maxConnections: number;
  readonly preferredPort: number | undefined;
  /** Function that finds a free port, which replaces {@link findFreePort} in tests. */
  readonly findPort?: (preferred?: number) => Promise<number>;
}

/** A running PostgreSQL server that was verified to use the expected data directory. */
export interface RunningPostgres {
  readonly process: SupervisedProcess;
  readonly port: number;
}

/**
 * Steps for stopping PostgreSQL: first a fast shutdown, then an immediate shutdown. After an immediate shutdown, the
 * next start of PostgreSQL replays the write-ahead log.
 */
const postgresStopSteps: readonly ProcessStopStep[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];
const postgresStartTimeoutMs = 60_000;
const maxPostgresPortAttempts = 5;
const postgresReadinessPollMs = 10;

/**
 * Reads the pid of a PostgreSQL server, and whether the server is ready, from the file postmaster.pid. Returns null if
 * the file cannot be read. Line 1 is the pid, 2 the data directory, 4 the port, 8 the status (PostgreSQL,
 * src/include/utils/pidfile.h).
 */
function readPostmasterPidFile(clusterFolder: string): { pid: number; ready: boolean } | null {
  try {
    const lines = readFileSync(join(clusterFolder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return null;
  }
}

/**
 * Ends a PostgreSQL server that still runs because its parent process was killed. Also removes a pid file with the pid
 * of another program, because PostgreSQL does not start while a process with that pid runs.
 *
 * @returns the pid of the ended server, or null
 */
export async function endOrphanedPostgres(clusterFolder: string): Promise<number | null> {
  const found = readPostmasterPidFile(clusterFolder);
  if (found === null) return null;
  const ours = readCommandLine(found.pid)?.includes(`-D ${realpathSync(clusterFolder)} `) ?? false;
  if (ours) await endProcess('PostgreSQL of an earlier start', found.pid, postgresStopSteps);
  rmSync(join(clusterFolder, 'postmaster.pid'), { force: true });
  return ours ? found.pid : null;
}

function createPostgresArguments(options: PostgresServerOptions, port: number): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(options.maxConnections),
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // A test server shares the machine with others, so it has no memory settings of its own.
    ...(options.durable
      ? createPostgresMemorySettings(readUsableMemoryBytes())
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', realpathSync(options.clusterFolder), '-p', String(port), ...flags];
}

/**
 * Checks that the PostgreSQL server on a port uses the expected data directory. Another server may have taken the port.
 */
async function verifyDataDirectory(options: PostgresServerOptions, port: number): Promise<void> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: options.password,
    database: 'postgres',
    connectionTimeoutMillis: 10_000,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
    const expected = realpathSync(options.clusterFolder);
    if (rows[0]?.folder === expected) return;
    throw new LocalServicesError(`Another PostgreSQL (${rows[0]?.folder}) is listening on port ${port}.`);
  } catch (cause) {
    if (cause instanceof LocalServicesError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LocalServicesError(`Signing in to PostgreSQL on port ${port} failed: ${reason}`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function waitUntilPostgresReady(server: SupervisedProcess, clusterFolder: string): Promise<boolean> {
  const deadline = Date.now() + postgresStartTimeoutMs;
  while (server.isRunning && Date.now() < deadline) {
    const found = readPostmasterPidFile(clusterFolder);
    if (found?.pid === server.pid && found.ready) return true;
    await delay(postgresReadinessPollMs);
  }
  return false;
}

/**
 * Returns true if another start of PostgreSQL can succeed, according to the log. Either the port was taken, or child
 * processes of a killed server were still ending.
 */
function isTemporaryStartFailure(log: string): boolean {
  return /could not create any TCP\/IP sockets|pre-existing shared memory block/.test(log);
}

/**
 * Starts PostgreSQL on a free port and waits until the server responds with its own data directory.
 * @throws LocalServicesError with the end of the server's log if the server does not start
 */
export async function startPostgres(options: PostgresServerOptions): Promise<RunningPostgres> {
  let preferred = options.preferredPort;
  for (let attempt = 1; ; attempt += 1) {
    const port = await (options.findPort ?? findFreePort)(preferred);
    const server = await SupervisedProcess.start({
      name: 'PostgreSQL',
      command: options.postgres,
      args: createPostgresArguments(options, port),
      account: options.account,
      logFile: options.logFile,
      stopSteps: postgresStopSteps,
    });
    if (await waitUntilPostgresReady(server, options.clusterFolder)) {
      try {
        await verifyDataDirectory(options, port);
        return { process: server, port };
      } catch (error) {
        await server.stop();
        throw error;
      }
    }
    const log = server.logTail();
    await server.stop();
    if (attempt === maxPostgresPortAttempts || !isTemporaryStartFailure(log)) {
      throw new LocalServicesError(`PostgreSQL did not start. Last lines of ${options.logFile}:\n${log}`);
    }
    preferred = undefined;
    await delay(100 * attempt);
  }
}
