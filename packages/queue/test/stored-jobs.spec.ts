import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  applyQueueMigrations,
  defineJob,
  FinalJobError,
  Outbox,
  QueueUsageError,
  RedisUnavailableError,
  silentLogger,
  withOutbox,
  type AddJobOptions,
  type Jobs,
  type JobsSettings,
  type OutboxOptions,
  type TransactionHandle,
} from '../src/index.js';
import { JobOutboxRows } from '../src/jobs/job-rows.js';
import { fastBackoff, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { PrivateRedis, redisUrl, sleep, testPool, uniqueName, until } from './queue-test-support.js';

const job = defineJob({ name: 'stored', payload, attempts: 2, backoff: fastBackoff });

let pool: pg.Pool;
let drop: () => Promise<void>;
let prefix: string;
let ran: number[];
/** Work of the job handler, which runs after the handler has recorded its run. */
let work: (n: number) => Promise<void>;
const outboxes: Outbox[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE runs (n int); CREATE TABLE changes (n int)');
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, runs, changes');
  prefix = uniqueName();
  ran = [];
  work = async () => {};
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await stopJobs();
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()));
});
afterAll(() => drop());

interface Service {
  jobs: Jobs;
  outbox: Outbox;
  add(n: number, options?: AddJobOptions): Promise<void>;
}

/** Creates the outbox and the jobs of one process. The workers of the process run only after `jobs.start()`. */
async function openService(
  options: Partial<JobsSettings> = {},
  outboxOptions: Partial<OutboxOptions> = {},
): Promise<Service> {
  const { redis = redisUrl } = options;
  const outbox = new Outbox({ pool, redis, prefix, sweepMs: 50, ...outboxOptions });
  outboxes.push(outbox);
  const jobs = makeJobs([job], { prefix, outbox, recheckMs: 50, sweepMs: 20, ...options });
  jobs.handle(job, async ({ n }) => {
    ran.push(n);
    await work(n);
  });
  await outbox.start('all');
  return {
    jobs,
    outbox,
    add: (n, addOptions) => withOutbox(pool, outbox, async (tx) => jobs.addInTransaction(tx, job, { n }, addOptions)),
  };
}

/**
 * Returns a database pool that calls `observe` before each statement outside a transaction. `observe` may delay the
 * statement, or refuse the statement by an error.
 */
const observedPool = (observe: (sql: string, params: unknown[]) => void | Promise<void>): pg.Pool =>
  new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target);
      return async (sql: string, params: unknown[] = []) => {
        await observe(sql, params);
        return target.query(sql, params);
      };
    },
  });

/** Returns true for an SQL statement that removes the outbox rows of jobs. */
const isRemoval = (sql: string): boolean => sql.startsWith('DELETE') && sql.includes('ANY');

interface Row {
  key: string;
  isDeadLetter: boolean;
  isDispatched: boolean;
}

const listRows = async (schema = 'queue'): Promise<Row[]> =>
  (
    await pool.query<Row>(
      `SELECT key, set_aside_at IS NOT NULL AS "isDeadLetter", seq IS NOT NULL AS "isDispatched"
         FROM ${schema}.outbox WHERE topic = 'job:stored' ORDER BY key`,
    )
  ).rows;

const untilNoRows = (): Promise<void> => until(async () => (await listRows()).length === 0);

/** Waits until Redis has the given number of waiting and delayed jobs. */
const untilInRedis = (jobs: Jobs, count: number): Promise<void> =>
  until(async () => {
    const { waiting, delayed } = await metricsOf(jobs, job);
    return waiting + delayed === count;
  });

describe('Jobs.addInTransaction', () => {
  it('runs a job once after the commit and removes its row', async () => {
    const { jobs, add } = await openService();
    jobs.start();
    await add(1);
    await until(() => ran.length === 1);
    await untilNoRows();
    await sleep(150);
    expect(ran).toEqual([1]);
  });

  it('drops a job with its transaction', async () => {
    const { jobs, outbox, add } = await openService();
    jobs.start();
    const failed = withOutbox(pool, outbox, async (tx) => {
      jobs.addInTransaction(tx, job, { n: 1 });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await add(2);
    await until(() => ran.length === 1);
    expect(ran).toEqual([2]);
  });

  it('adds the job to Redis from the committing process, even if the outbox dispatches in other processes', async () => {
    const { jobs, add } = await openService({}, { drainAfterCommit: false, sweepMs: 600_000 });
    await add(1);
    await untilInRedis(jobs, 1);
  });

  it('stores rows in the schema of the outbox', async () => {
    await applyQueueMigrations(pool, { schema: 'shop' });
    const { jobs, add } = await openService({}, { schema: 'shop' });
    await add(1, { id: 'one' });
    await untilInRedis(jobs, 1);
    expect(await listRows('shop')).toEqual([{ key: 'one', isDeadLetter: false, isDispatched: true }]);
    jobs.start();
    await until(async () => (await listRows('shop')).length === 0);
    expect(ran).toEqual([1]);
  });

  it('passes the trace fields of a delayed bulk job to the handler', async () => {
    const { jobs, add } = await openService();
    const seen: unknown[] = [];
    const traced = defineJob({ name: 'stored', payload });
    jobs.handle(traced, async () => {});
    await add(1, { id: 'later', delayMs: 300, context: { requestId: 'the request' }, isBulk: true });
    await untilInRedis(jobs, 1);
    const outbox = new Outbox({ pool, redis: redisUrl, prefix });
    outboxes.push(outbox);
    const other = makeJobs([job], { prefix, outbox });
    other.handle(job, async (_, { requestId, id }) => void seen.push({ requestId, id }));
    other.start();
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ requestId: 'the request', id: 'later' }]);
  });

  it('has no effect when a job with the same id is already stored', async () => {
    const { jobs, add } = await openService();
    await add(1, { id: 'same' });
    await untilInRedis(jobs, 1);
    await add(2, { id: 'same' });
    jobs.start();
    await untilNoRows();
    expect(ran).toEqual([1]);
  });

  it.each(['', 'x'.repeat(501), 'a\0b', '\ud800'])('rejects the id %j', async (id) => {
    const { add } = await openService();
    await expect(add(1, { id })).rejects.toThrow(QueueUsageError);
  });

  it('rejects a payload that does not match, a pool, and Jobs without an outbox', async () => {
    const { jobs, add } = await openService();
    await expect(add(0.5)).rejects.toThrow(z.ZodError);
    expect(() => jobs.addInTransaction(pool as unknown as TransactionHandle, job, { n: 1 })).toThrow(QueueUsageError);
    const without = makeJobs([job], { prefix });
    await withOutbox(pool, new Outbox({ pool, prefix }), async (tx) => {
      expect(() => without.addInTransaction(tx, job, { n: 1 })).toThrow('outbox');
      await expect(without.cancelInTransaction(tx, job, 'one')).rejects.toThrow('outbox');
    });
    expect(() => makeJobs([job], { prefix: 'another', outbox: new Outbox({ pool, prefix }) })).toThrow(
      'prefix another',
    );
  });
});

describe('rows of completed jobs', () => {
  it('share one DELETE if their jobs end while another DELETE runs', async () => {
    const count = 4;
    const removals: number[][] = [];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const delaying = observedPool((sql, params) => {
      if (!isRemoval(sql)) return undefined;
      removals.push(params[0] as number[]);
      return removals.length === 1 ? released : undefined;
    });
    let ended = 0;
    const faultPoint = (name: string): void => void (ended += Number(name === 'jobs.after-work'));
    const { jobs, outbox, add } = await openService({ sweepMs: 600_000, faultPoint }, { pool: delaying });
    await add(0);
    await untilInRedis(jobs, 1);
    jobs.start();
    await until(() => removals.length === 1);
    await withOutbox(pool, outbox, async (tx) => {
      for (let n = 1; n < count; n += 1) jobs.addInTransaction(tx, job, { n });
    });
    await until(() => ended === count);
    release();
    await untilNoRows();
    expect(removals.map((ids) => ids.length)).toEqual([1, count - 1]);
  });

  it('leave the table while another transaction has locked the row of one of these jobs', async () => {
    const { jobs, add } = await openService({ sweepMs: 600_000 });
    await add(0, { id: 'locked' });
    await untilInRedis(jobs, 1);
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; SELECT FROM queue.outbox WHERE topic = 'job:stored' FOR UPDATE`);
      jobs.start();
      await until(() => ran.length === 1);
      await add(1);
      await until(() => ran.length === 2);
      await until(async () => (await listRows()).length === 1);
      expect(await listRows()).toMatchObject([{ key: 'locked' }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    await untilNoRows();
    expect(ran).toEqual([0, 1]);
  });
});

describe('worker without an outbox', () => {
  it('leaves jobs with rows to a worker that has an outbox, and logs one error', async () => {
    const { jobs, add } = await openService({ recheckMs: 600_000, sweepMs: 600_000 });
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
    const without = makeJobs([job], { prefix, logger, logFor: () => logger });
    without.handle(job, async () => void ran.push(-1));
    await add(1);
    await add(2);
    await untilInRedis(jobs, 2);
    without.start();
    await until(async () => (await metricsOf(without, job)).delayed === 2);
    await without.stop();
    expect(errors).toEqual([expect.stringContaining('cannot run in a process without an outbox')]);
    expect(ran).toEqual([]);
    jobs.start();
    await untilNoRows();
    expect(ran.toSorted()).toEqual([1, 2]);
  });
});

describe('sweep of job rows', () => {
  let redis: PrivateRedis;
  beforeAll(async () => {
    redis = await PrivateRedis.start();
  });
  afterAll(() => redis.stop());

  it('adds all jobs again that Redis has lost, each once', async () => {
    const { jobs, outbox } = await openService({ redis: redis.url });
    const count = 250;
    await withOutbox(pool, outbox, async (tx) => {
      for (let n = 0; n < count; n += 1) jobs.addInTransaction(tx, job, { n }, n % 2 === 0 ? {} : { delayMs: 1_000 });
    });
    await untilInRedis(jobs, count);
    await redis.kill();
    await redis.up();
    await until(async () => (await metricsOf(jobs, job)).waiting === 0);
    jobs.start();
    await until(() => ran.length >= count);
    await untilNoRows();
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('adds a job that was committed without Redis', async () => {
    const { jobs, add } = await openService({ redis: redis.url });
    jobs.start();
    await until(() => jobs.metrics().then(Boolean, () => false));
    await redis.kill();
    await add(1);
    await sleep(100);
    expect(await listRows()).toHaveLength(1);
    await redis.up();
    await until(() => ran.length === 1);
    await untilNoRows();
  });

  it('removes the row of a completed job when an earlier removal failed', async () => {
    let failures = 0;
    const failing = observedPool((sql) => {
      if (isRemoval(sql) && (failures += 1) === 1) throw new Error('no connection');
    });
    const { jobs, add } = await openService({ recheckMs: 400 }, { pool: failing });
    jobs.start();
    await add(1);
    await until(() => failures === 1);
    await untilNoRows();
    expect([ran, failures]).toEqual([[1], 2]);
  });

  it('checks a job less often the longer the job waits', async () => {
    let release = (): void => {};
    work = () => new Promise((resolve) => (release = resolve));
    const { jobs, add } = await openService({ recheckMs: 1_000 });
    jobs.start();
    await add(1);
    await until(() => ran.length === 1);
    await pool.query(`UPDATE queue.outbox SET seq = 0, created_at = now() - interval '5 minutes'`);
    const secondsToNext = async (): Promise<number> =>
      (
        await pool.query<{ s: number }>(
          'SELECT (seq / 1000 - extract(epoch FROM now()))::float8 AS s FROM queue.outbox',
        )
      ).rows[0]?.s ?? 0;
    await until(async () => (await secondsToNext()) > 200);
    expect(await secondsToNext()).toBeLessThan(320);
    release();
    await untilNoRows();
    expect(ran).toEqual([1]);
  });
});

describe('JobOutboxRows.claimDueRows', () => {
  it.each([
    ['an empty table', 0],
    ['a hundred rows of the job', 100],
  ])('reads only rows that are due, with statistics of %s', async (_, analyzed) => {
    const insert = (count: number, seq: number): Promise<unknown> =>
      pool.query(
        `INSERT INTO queue.outbox (topic, key, payload, seq)
         SELECT 'job:stored', n, '{}', $2::bigint FROM generate_series(1, $1::int) n`,
        [count, seq],
      );
    await pool.query('ALTER TABLE queue.outbox SET (autovacuum_enabled = false)');
    const future = Date.now() + 3_600_000;
    await insert(analyzed, future);
    await pool.query('ANALYZE queue.outbox');
    await insert(20_000, future);
    await insert(150, 1);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const read = async (): Promise<number> =>
        (
          await client.query<{ n: number }>(
            `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
              WHERE relid = 'queue.outbox'::regclass`,
          )
        ).rows[0]?.n ?? Number.NaN;
      const before = await read();
      const tables = { pool: { query: client.query.bind(client), connect: pool.connect.bind(pool) }, schema: 'queue' };
      const rows = new JobOutboxRows(tables as never);
      expect(await rows.claimRowsDueForCheck(['other', 'stored'], 100, 60_000)).toHaveLength(100);
      expect(await rows.claimRowsDueForCheck(['other', 'stored'], 100, 60_000)).toHaveLength(50);
      expect((await read()) - before).toBeLessThan(1_000);
    } finally {
      await client.query('ROLLBACK');
      client.release();
      await pool.query('ALTER TABLE queue.outbox RESET (autovacuum_enabled)');
    }
  });
});

describe('Jobs.cancel of a job with a row', () => {
  it('prevents the start of a waiting job', async () => {
    const { jobs, add } = await openService();
    await add(1, { id: 'one' });
    await untilInRedis(jobs, 1);
    expect(await jobs.cancel(job, 'one')).toBe(true);
    expect(await jobs.cancel(job, 'one')).toBe(false);
    jobs.start();
    await add(2);
    await until(() => ran.length === 1);
    await untilInRedis(jobs, 0);
    expect([ran, await listRows()]).toEqual([[2], []]);
  });

  it('removes the row while Redis is unavailable', async () => {
    const redis = await PrivateRedis.start();
    try {
      const { jobs, add } = await openService({ redis: redis.url });
      await until(() => jobs.metrics().then(Boolean, () => false));
      await redis.kill();
      await add(1, { id: 'one' });
      await expect(jobs.cancel(job, 'one')).rejects.toThrow(RedisUnavailableError);
      expect(await listRows()).toEqual([]);
    } finally {
      await redis.stop();
    }
  });

  it('ends a running attempt and leaves no row', async () => {
    work = () => new Promise(() => {});
    const { jobs, add } = await openService();
    jobs.start();
    await add(1, { id: 'one' });
    await until(() => ran.length === 1);
    await until(async () => {
      await jobs.cancel(job, 'one');
      return (await jobs.failed()).length === 1;
    });
    expect((await jobs.failed())[0]?.error).toContain('JobCancelledError');
    expect(await listRows()).toEqual([]);
  });
});

describe('Jobs.cancelInTransaction', () => {
  it('prevents the start of a job if its transaction commits', async () => {
    const { jobs, outbox, add } = await openService();
    await add(1, { id: 'one' });
    await add(2, { id: 'two' });
    await untilInRedis(jobs, 2);
    const cancel = (id: string, isRolledBack: boolean): Promise<boolean> =>
      withOutbox(pool, outbox, async (tx) => {
        const isCancelled = await jobs.cancelInTransaction(tx, job, id);
        if (isRolledBack) throw new Error('rolled back');
        return isCancelled;
      });
    await expect(cancel('one', true)).rejects.toThrow('rolled back');
    expect([await cancel('two', false), await cancel('two', false)]).toEqual([true, false]);
    jobs.start();
    await untilNoRows();
    await untilInRedis(jobs, 0);
    expect(ran).toEqual([1]);
  });

  it('allows a new job with the id of the cancelled job in the same transaction', async () => {
    const { jobs, outbox, add } = await openService({ recheckMs: 60_000 });
    await add(1, { id: 'one' });
    await untilInRedis(jobs, 1);
    await withOutbox(pool, outbox, async (tx) => {
      await jobs.cancelInTransaction(tx, job, 'one');
      jobs.addInTransaction(tx, job, { n: 2 }, { id: 'one' });
    });
    await until(async () => (await listRows())[0]?.isDispatched ?? false);
    jobs.start();
    await untilNoRows();
    expect(ran).toEqual([2]);
  });
});

describe('permanently failed job with a row', () => {
  const fail = async (): Promise<void> => {
    throw new FinalJobError('gone');
  };

  it('becomes a dead letter, and runs again after Jobs.requeue', async () => {
    work = fail;
    const { jobs, outbox, add } = await openService();
    jobs.start();
    await add(1, { id: 'one' });
    await until(async () => (await listRows())[0]?.isDeadLetter ?? false);
    const [letter] = await outbox.listDeadLetters('job:stored');
    expect(letter).toMatchObject({ key: 'one', attempts: 1, error: 'FinalJobError: gone' });
    await until(async () => (await jobs.failed()).length === 1);
    await sleep(100);
    expect(ran).toEqual([1]);
    work = async () => {};
    expect(await jobs.requeue(job, 'one')).toBe(true);
    await untilNoRows();
    expect(ran).toEqual([1, 1]);
  });

  it.each(['Jobs.requeue', 'Outbox.requeue'])('runs again by %s after Redis has lost the job', async (way) => {
    const redis = await PrivateRedis.start();
    try {
      work = fail;
      const { jobs, outbox, add } = await openService({ redis: redis.url });
      jobs.start();
      await add(1, { id: 'one' });
      await until(async () => (await jobs.failed().catch(() => [])).length === 1);
      await redis.kill();
      await redis.up();
      await until(async () =>
        jobs.failed().then(
          ({ length }) => length === 0,
          () => false,
        ),
      );
      work = async () => {};
      if (way === 'Jobs.requeue') expect(await jobs.requeue(job, 'one')).toBe(true);
      else expect(await outbox.requeue('job:stored', { key: 'one' })).toBe(1);
      await untilNoRows();
      expect(ran).toEqual([1, 1]);
      expect(await jobs.requeue(job, 'one')).toBe(false);
    } finally {
      await stopJobs();
      await redis.stop();
    }
  });

  it('runs again by Outbox.requeue while the list of failed jobs contains the job', async () => {
    work = fail;
    const { jobs, outbox, add } = await openService();
    jobs.start();
    await add(1, { id: 'one' });
    // Rejects until the first connection to Redis is open.
    await until(() =>
      jobs.failed().then(
        ({ length }) => length === 1,
        () => false,
      ),
    );
    await until(async () => (await listRows())[0]?.isDeadLetter ?? false);
    work = async () => {};
    expect(await outbox.requeue('job:stored')).toBe(1);
    await untilNoRows();
    expect(ran).toEqual([1, 1]);
  });

  it('becomes a dead letter later if its worker could not record the failure', async () => {
    work = fail;
    let failures = 0;
    const failing = observedPool((sql) => {
      if (sql.includes('set_aside_at = clock_timestamp()') && (failures += 1) === 1) throw new Error('no connection');
    });
    const { jobs, add } = await openService({}, { pool: failing });
    jobs.start();
    await add(1, { id: 'one' });
    await until(async () => (await listRows())[0]?.isDeadLetter ?? false);
    expect([ran, failures]).toEqual([[1], 2]);
  });
});

/** Time limit in milliseconds for the start and the work of a process, on a machine with many other processes. */
const START_LIMIT_MS = 120_000;

describe('process that is killed', { timeout: 600_000 }, () => {
  /** Starts the process in `fixture/stored-job.mjs` with a role and a fault point. */
  function start(role: 'add' | 'work' | 'both', faultPoint = ''): ChildProcess {
    const script = fileURLToPath(new URL('fixture/stored-job.mjs', import.meta.url));
    const args = [script, redisUrl, prefix, pool.options.connectionString ?? '', role, faultPoint];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    children.push(child);
    return child;
  }
  const countRuns = async (): Promise<number> => (await pool.query('SELECT FROM runs')).rows.length;

  it.each([
    ['outbox.after-commit', 'add', 1],
    ['outbox.after-dispatch', 'add', 1],
    ['jobs.after-work', 'both', 2],
    ['jobs.after-removal', 'both', 1],
  ] as const)('loses no job at %s', async (point, role, runs) => {
    expect(await once(start(role, point), 'exit')).toEqual([null, 'SIGKILL']);
    expect((await pool.query('SELECT FROM changes')).rows).toHaveLength(1);
    const { jobs } = await openService({ stalledAfterMs: 1_000 });
    start('work');
    await until(async () => (await countRuns()) >= runs, START_LIMIT_MS);
    await until(async () => (await listRows()).length === 0, START_LIMIT_MS);
    await until(async () => {
      const { waiting, active, delayed } = await metricsOf(jobs, job);
      return waiting + active + delayed === 0;
    }, START_LIMIT_MS);
    expect(await countRuns()).toBe(runs);
  });

  it('loses no job at jobs.after-claim', async () => {
    expect(await once(start('add', 'outbox.after-dispatch'), 'exit')).toEqual([null, 'SIGKILL']);
    expect(await once(start('work', 'jobs.after-claim'), 'exit')).toEqual([null, 'SIGKILL']);
    start('work');
    await until(async () => (await listRows()).length === 0, START_LIMIT_MS);
    expect(await countRuns()).toBe(1);
  });
});
