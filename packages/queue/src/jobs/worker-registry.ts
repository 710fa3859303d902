import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';

/** State of a worker process at its last heartbeat. */
export interface WorkerProcess {
  /** Unique name of the worker process, which is never reused. `ActiveJob.worker` refers to this name. */
  name: string;
  hostname: string;
  pid: number;
  /** Names of the kinds of jobs that the worker process runs. */
  jobs: string[];
  startedAt: Date;
  /** Time of the last heartbeat of the worker process, by the clock of Redis. */
  seenAt: Date;
  /** Number of job attempts in progress in the worker process. */
  active: number;
  /** Number of successful job attempts since the worker process started. */
  completed: number;
  failed: number;
  /** Total duration of the ended job attempts in the worker process, in milliseconds. */
  workedMs: number;
}

/** Job counts and working time of a worker process. The values may change between two heartbeats. */
export type WorkerProcessStatistics = Pick<WorkerProcess, 'active' | 'completed' | 'failed' | 'workedMs'>;

/**
 * Redis script that stores a heartbeat of a worker process. KEYS: entries seen deadlines. ARGV: name entry lifetimeMs.
 */
const STORE_WORKER_HEARTBEAT_SCRIPT = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', now))
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[3]), ARGV[1])`;

/**
 * Redis script that removes the expired entries of worker processes. Returns the entry and the heartbeat time of each
 * remaining process, alternating. KEYS: entries seen deadlines.
 */
const LIST_WORKER_PROCESSES_SCRIPT = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now))) do
  redis.call('HDEL', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('ZREM', KEYS[3], name)
end
local found = {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  found[#found + 1] = redis.call('HGET', KEYS[1], name)
  found[#found + 1] = redis.call('HGET', KEYS[2], name)
end
return found`;

/** Number of missing heartbeats after which a worker process is removed from the list. */
const MAX_MISSED_WORKER_HEARTBEATS = 3;

const listWorkerRegistryKeys = (root: string): string[] =>
  ['workers', 'worker-seen', 'worker-deadlines'].map((name) => root + name);

/** Registers a worker process in Redis, and renews the entry of the process by heartbeats. */
export class WorkerProcessRegistration {
  readonly name = randomUUID().replaceAll('-', '');
  private readonly startedAt: number;
  private timer: unknown;
  private stopped = false;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: {
      readonly redis: RedisClient;
      /** Prefix of the Redis keys of the list of workers, including the hash tag of the keys. */
      readonly root: string;
      readonly jobs: readonly string[];
      readonly heartbeatMs: number;
      readonly workDone: () => WorkerProcessStatistics;
      readonly clock: QueueClock;
      readonly logger: QueueLogger;
    },
  ) {
    this.startedAt = options.clock.now();
  }

  /** Registers the worker process, and starts its heartbeats. */
  registerAndStartHeartbeats(): void {
    const { clock, heartbeatMs, logger } = this.options;
    this.beating = this.sendHeartbeat()
      .catch((error: unknown) => logger.debug({ error: formatErrorText(error) }, 'worker heartbeat failed'))
      .then(() => {
        if (!this.stopped) this.timer = clock.setTimeout(() => this.registerAndStartHeartbeats(), heartbeatMs);
      });
  }

  /** Stops the heartbeats and, if Redis responds, removes the entry of the worker process. */
  async stopHeartbeatsAndUnregister(): Promise<void> {
    const { clock, redis, root } = this.options;
    this.stopped = true;
    clock.clearTimeout(this.timer);
    if (redis.status !== 'ready') return;
    await this.beating;
    const [entries = '', seen = '', deadlines = ''] = listWorkerRegistryKeys(root);
    await Promise.all([redis.hdel(entries, this.name), redis.hdel(seen, this.name), redis.zrem(deadlines, this.name)]);
  }

  private async sendHeartbeat(): Promise<void> {
    const { redis, root, jobs, heartbeatMs, workDone } = this.options;
    const { name, startedAt } = this;
    const entry = { name, hostname: hostname(), pid: process.pid, jobs, startedAt, ...workDone() };
    await redis.eval(
      STORE_WORKER_HEARTBEAT_SCRIPT,
      3,
      ...listWorkerRegistryKeys(root),
      name,
      JSON.stringify(entry),
      MAX_MISSED_WORKER_HEARTBEATS * heartbeatMs,
    );
  }
}

/** Lists the running worker processes, the longest running first. */
export async function listWorkerProcesses(redis: RedisClient, root: string): Promise<WorkerProcess[]> {
  const found: unknown = await redis.eval(LIST_WORKER_PROCESSES_SCRIPT, 3, ...listWorkerRegistryKeys(root));
  const texts = Array.isArray(found) ? found.map(String) : [];
  const workers: WorkerProcess[] = [];
  for (let at = 0; at < texts.length; at += 2) {
    const entry = JSON.parse(texts[at] ?? '') as Omit<WorkerProcess, 'startedAt' | 'seenAt'> & { startedAt: number };
    workers.push({ ...entry, startedAt: new Date(entry.startedAt), seenAt: new Date(Number(texts[at + 1])) });
  }
  return workers.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime() || (a.name < b.name ? -1 : 1));
}
