import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reserveLocalPort } from '@switchboard/testing';
import { Redis } from 'ioredis';
import pg from 'pg';
import { applyQueueMigrations } from '../src/migrations.js';
import type { QueueTx, TransactionHandle } from '../src/index.js';

/** Returns the URL of a test database or Redis that the global setup of the test run provides. */
function providedUrl(name: 'TEST_POSTGRES_URL' | 'TEST_REDIS_URL'): string {
  const url = process.env[name];
  if (url === undefined) throw new Error(`${name} is not set: run the tests through vitest's global set-up`);
  return url;
}

const postgresUrl = providedUrl('TEST_POSTGRES_URL');

/** URL of the Redis server that all tests of the run share. Each test uses {@link uniqueName} for its key prefix. */
export const redisUrl = providedUrl('TEST_REDIS_URL');

let counter = 0;
export const uniqueName = (): string => `queue${process.pid}x${Date.now().toString(36)}x${counter++}`;

/**
 * SQL that replaces the check of the deployment by a function that accepts every deployment. The tests of a file share
 * a database, but have different key prefixes.
 */
const ACCEPT_ALL_PREFIXES = `CREATE OR REPLACE FUNCTION queue.require_prefix(p_prefix text) RETURNS void
  LANGUAGE sql AS 'SELECT'`;

/**
 * Creates a separate database with the tables of the package. Deployments with different key prefixes can use the
 * database unless `checksPrefix` is set.
 */
export async function testPool({ checksPrefix = false } = {}): Promise<{ pool: pg.Pool; drop: () => Promise<void> }> {
  const name = uniqueName();
  const admin = new pg.Pool({ connectionString: postgresUrl, max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 20 });
  pool.on('error', () => {});
  await applyQueueMigrations(pool);
  if (!checksPrefix) await pool.query(ACCEPT_ALL_PREFIXES);
  return {
    pool,
    drop: async () => {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/**
 * A transaction handle for tests, which imitates the handle of an adapter for another database library. `end` sends
 * COMMIT or ROLLBACK.
 */
export class TestTransaction implements TransactionHandle {
  isOpen = true;
  private readonly checks: (() => void)[] = [];

  constructor(private readonly connection: QueueTx) {}

  addCommitCheck(check: () => void): void {
    this.checks.push(check);
  }

  query<R = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<{ rows: R[] }> {
    return this.connection.query<R>(sql, params);
  }

  async end(statement: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (statement === 'COMMIT') for (const check of this.checks) check();
    this.isOpen = false;
    await this.connection.query(statement);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `check` returns true. Fails after `timeoutMs` milliseconds. */
export async function until(check: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not so within ${timeoutMs} ms: ${check.toString()}`);
    await sleep(10);
  }
}

/** A Redis server that only one test uses and that the test can kill. */
export class PrivateRedis {
  private process: ChildProcess | undefined;
  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<PrivateRedis> {
    const redis = new PrivateRedis(await reserveLocalPort(), await mkdtemp(join(tmpdir(), 'queue-redis-')));
    await redis.up();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async up(): Promise<void> {
    const args = ['--port', String(this.port), '--save', '', '--appendonly', 'no', '--dir', this.folder];
    this.process = spawn('redis-server', args, { stdio: 'ignore' });
    const probe = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    probe.on('error', () => {});
    await probe.ping();
    probe.disconnect();
  }

  /** Kills the Redis server, unless the server is already dead. */
  async kill(): Promise<void> {
    if (this.process?.signalCode !== null) return;
    const gone = new Promise((resolve) => this.process?.once('exit', resolve));
    this.process?.kill('SIGKILL');
    await gone;
  }

  /** Pauses the Redis server: connections remain open but get no responses. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
