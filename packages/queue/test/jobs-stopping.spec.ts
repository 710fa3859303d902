import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineJob, type JobContext, type Jobs } from '../src/index.js';
import { add, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { PrivateRedis, redisUrl, uniqueName, until } from './queue-test-support.js';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await stopJobs();
});

/** Starts a separate operating system process that runs a job worker. */
function startWorker(
  prefix: string,
  stalledAfterMs: number,
  stopGraceMs = 100,
): { child: ChildProcess; output: () => string } {
  const script = join(import.meta.dirname, 'fixture/hold-job.mjs');
  const args = [script, redisUrl, prefix, String(stalledAfterMs), String(stopGraceMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, output: () => said };
}

describe('Jobs.stop', () => {
  it('lets running jobs finish within the grace period', async () => {
    const job = defineJob({ name: 'finishing', payload });
    const jobs = makeJobs([job], { stopGraceMs: 60_000 });
    const states: string[] = [];
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    jobs.handle(job, async () => {
      states.push('began');
      await finished;
      states.push('ended');
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await until(() => states.length === 1);
    const stopped = jobs.stop();
    finish();
    await stopped;
    expect(states).toEqual(['began', 'ended']);
  });

  it('releases unfinished jobs, which another worker then runs as the same attempt', async () => {
    const job = defineJob({ name: 'handed', payload, attempts: 1 });
    const prefix = uniqueName();
    const seen: { who: string; attempt: number }[] = [];
    const worker = (who: string, work: (context: JobContext) => Promise<void>): Jobs => {
      const jobs = makeJobs([job], { prefix });
      jobs.handle(job, async (_, context) => {
        seen.push({ who, attempt: context.attempt });
        await work(context);
      });
      return jobs;
    };
    const first = worker(
      'first',
      ({ signal }) => new Promise((_, reject) => (signal.onabort = () => reject(new Error('aborted')))),
    );
    first.start();
    await add(first, job, { n: 1 });
    await until(() => seen.length === 1);
    await first.stop();
    worker('second', async () => {}).start();
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      { who: 'first', attempt: 1 },
      { who: 'second', attempt: 1 },
    ]);
  });

  it('returns in bounded time when Redis does not respond and a job does not end', async () => {
    const redis = await PrivateRedis.start();
    try {
      const job = defineJob({ name: 'hung', payload });
      const jobs = makeJobs([job], { redis: redis.url });
      let began = false;
      jobs.handle(job, async () => {
        began = true;
        await new Promise(() => {});
      });
      jobs.start();
      await add(jobs, job, { n: 1 });
      await until(() => began);
      redis.pause();
      await jobs.stop();
    } finally {
      await redis.stop();
    }
  });
});

describe('Jobs.stopWorkers', () => {
  it('ends running jobs, and jobs can still be added until stop is called', async () => {
    const job = defineJob({ name: 'added-late', payload });
    const jobs = makeJobs([job], { stopGraceMs: 60_000 });
    const seen: number[] = [];
    jobs.handle(job, async ({ n }) => void seen.push(n));
    jobs.start();
    await add(jobs, job, { n: 1 });
    await until(() => seen.length === 1);
    await jobs.stopWorkers();
    await jobs.add(job, { n: 2 });
    expect([seen, await metricsOf(jobs, job)]).toMatchObject([[1], { waiting: 1 }]);
    await jobs.stop();
    await expect(jobs.add(job, { n: 3 })).rejects.toThrow(/writeable|unavailable/);
  });
});

/** Time limit in milliseconds for the start and the work of a process, on a machine with many other processes. */
const START_LIMIT_MS = 120_000;

describe('worker process', { timeout: 3 * START_LIMIT_MS }, () => {
  const job = defineJob({ name: 'held', payload, attempts: 1 });

  /** Creates the jobs of a process that takes over the jobs of a stopped process. Records the runs. */
  async function successor(prefix: string, stalledAfterMs: number): Promise<{ jobs: Jobs; seen: unknown[] }> {
    const jobs = makeJobs([job], { prefix, stalledAfterMs });
    const seen: unknown[] = [];
    jobs.handle(job, async ({ n }, { attempt }) => void seen.push({ n, attempt }));
    return { jobs, seen };
  }

  it('stops accepting jobs on SIGTERM, returns active jobs and exits', async () => {
    const prefix = uniqueName();
    const { jobs, seen } = await successor(prefix, 30_000);
    const { child, output } = startWorker(prefix, 30_000, 1_000);
    await add(jobs, job, { n: 5 });
    await until(() => output().includes('began 5'), START_LIMIT_MS);
    child.kill('SIGTERM');
    const exit = once(child, 'exit');
    await until(() => output().includes('stopping'), START_LIMIT_MS);
    // The worker has capacity for another job, and the grace period in which it could take one.
    await jobs.add(job, { n: 6 });
    const [code] = await exit;
    expect(code).toBe(0);
    expect(output()).not.toContain('began 6');
    jobs.start();
    await until(() => seen.length === 2);
    expect(seen).toEqual(expect.arrayContaining([5, 6].map((n) => ({ n, attempt: 1 }))));
  });

  it('loses no job when the process is killed with SIGKILL', async () => {
    const prefix = uniqueName();
    const { jobs, seen } = await successor(prefix, 300);
    const { child, output } = startWorker(prefix, 300);
    await add(jobs, job, { n: 6 });
    await until(() => output().includes('began 6'), START_LIMIT_MS);
    child.kill('SIGKILL');
    await once(child, 'exit');
    jobs.start();
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ n: 6, attempt: 1 }]);
  });
});
