import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readCommandLine } from '../node-only/process-identity.mjs';
import { LocalServicesError } from './local-services-errors.js';
import { findFreePort } from './free-port.js';
import { endProcess, SupervisedProcess, type ProcessStopStep } from './supervised-process.js';

export interface RedisServerOptions {
  /** Folder of Redis's append-only files, configuration and pid file. The folder is created if it is missing. */
  readonly folder: string;
  readonly binary: string;
  readonly password: string;
  readonly logFile: string;
  /**
   * True to store the data of Redis in an append-only file that is flushed every second; false to store no data on
   * disk.
   */
  readonly durable: boolean;
  readonly preferredPort: number | undefined;
  /** Function that finds a free port, which replaces {@link findFreePort} in tests. */
  readonly findPort?: (preferred?: number) => Promise<number>;
}

/** A running Redis server that was verified to have the expected process id. */
export interface RunningRedis {
  readonly process: SupervisedProcess;
  readonly port: number;
}

const redisStopSteps: readonly ProcessStopStep[] = [
  { signal: 'SIGTERM', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];
const redisStartTimeoutMs = 30_000;
const redisResponseTimeoutMs = 1_000;
const maxRedisPortAttempts = 5;
const redisReadinessPollMs = 10;

const getRedisConfigFilePath = (folder: string): string => join(folder, 'redis.conf');
const getRedisPidFilePath = (folder: string): string => join(folder, 'redis.pid');

/**
 * Returns a value with quotes for a Redis configuration file, because the value may contain spaces (redis.conf,
 * double-quoted form).
 */
function quoteRedisConfigValue(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function createRedisConfiguration(options: RedisServerOptions, port: number): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    'daemonize no',
    `dir ${quoteRedisConfigValue(options.folder)}`,
    `pidfile ${quoteRedisConfigValue(getRedisPidFilePath(options.folder))}`,
    `requirepass ${options.password}`,
    'save ""',
    // Jobs are never evicted: a full Redis rejects writes instead.
    'maxmemory-policy noeviction',
    ...(options.durable ? ['appendonly yes', 'appendfsync everysec'] : ['appendonly no']),
    '',
  ].join('\n');
}

function readTextOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns true if a process is the Redis server of the given folder. The command line of this server contains the
 * address or the path of the configuration file.
 */
function isRedisOfFolder(pid: number, folder: string): boolean {
  const command = readCommandLine(pid) ?? '';
  const port = /^port (\d+)$/m.exec(readTextOrEmpty(getRedisConfigFilePath(folder)))?.[1];
  if (command.includes(getRedisConfigFilePath(folder))) return true;
  return port !== undefined && /(redis|valkey)-server/.test(command) && command.includes(`127.0.0.1:${port}`);
}

/**
 * Ends a Redis server that still runs because its parent process was killed. A second server on the same append-only
 * file would corrupt it.
 *
 * @returns the pid that was ended, or null
 */
export async function endOrphanedRedis(folder: string): Promise<number | null> {
  const pid = Number(readTextOrEmpty(getRedisPidFilePath(folder)).trim());
  const ours = pid > 0 && isRedisOfFolder(pid, folder);
  if (ours) await endProcess('Redis of an earlier start', pid, redisStopSteps);
  rmSync(getRedisPidFilePath(folder), { force: true });
  return ours ? pid : null;
}

/**
 * Returns true if the Redis server on `port` is the process with the given pid and has loaded its data. Sends plain
 * text commands over a socket, because a client library would reconnect and set timers.
 */
function isRedisProcessReady(pid: number, port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: redisResponseTimeoutMs });
    let received = '';
    const end = (verdict: boolean): void => {
      socket.destroy();
      resolve(verdict);
    };
    socket.once('connect', () => socket.write(`AUTH ${password}\r\nPING\r\nINFO server\r\n`));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      // A rejected password or a loading server responds with an error line; another process responds with another id.
      if (/^-/m.test(received)) end(false);
      else if (received.includes('process_id:'))
        end(received.includes('+PONG') && received.includes(`process_id:${pid}\r\n`));
    });
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => end(false));
  });
}

async function waitUntilRedisReady(server: SupervisedProcess, port: number, password: string): Promise<boolean> {
  const deadline = Date.now() + redisStartTimeoutMs;
  while (server.isRunning && Date.now() < deadline) {
    if (await isRedisProcessReady(server.pid, port, password)) return true;
    await delay(redisReadinessPollMs);
  }
  return false;
}

/**
 * Starts Redis on a free port and waits until the server responds with its own process id.
 * @throws LocalServicesError with the end of the server's log if the server does not start
 */
export async function startRedis(options: RedisServerOptions): Promise<RunningRedis> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  let preferred = options.preferredPort;
  for (let attempt = 1; ; attempt += 1) {
    const port = await (options.findPort ?? findFreePort)(preferred);
    // Passed in a file, because every user of the machine can read command-line arguments.
    writeFileSync(getRedisConfigFilePath(options.folder), createRedisConfiguration(options, port), { mode: 0o600 });
    const server = await SupervisedProcess.start({
      name: 'Redis',
      command: options.binary,
      args: [getRedisConfigFilePath(options.folder)],
      account: null,
      logFile: options.logFile,
      stopSteps: redisStopSteps,
    });
    if (await waitUntilRedisReady(server, port, options.password)) return { process: server, port };
    const log = server.logTail();
    await server.stop();
    if (attempt === maxRedisPortAttempts || !/Address already in use/i.test(log)) {
      throw new LocalServicesError(`Redis did not start. Last lines of ${options.logFile}:\n${log}`);
    }
    preferred = undefined;
  }
}
