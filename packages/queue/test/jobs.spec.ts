import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../src/index.js';
import { add, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

describe('Jobs.start', () => {
  const first = defineJob({ name: 'first', payload });
  const second = defineJob({ name: 'second', payload });

  it('throws when a defined job has no handler or two handlers', () => {
    const jobs = makeJobs([first, second]);
    jobs.handle(second, async () => {});
    jobs.handle(second, async () => {});
    expect(() => jobs.start()).toThrow('Jobs: first has no handler; second has 2 handlers');
  });

  it('rejects handlers and queries of undefined jobs', async () => {
    const jobs = makeJobs([first]);
    expect(() => jobs.handle(second, async () => {})).toThrow('not among the definitions');
    await expect(jobs.failed({ job: second })).rejects.toThrow('not among the definitions');
    await expect(jobs.requeue(second, '1')).rejects.toThrow('not among the definitions');
  });

  it('rejects an invalid definition', () => {
    const define = (options: object) => () => defineJob({ name: 'bad', payload, ...options });
    expect(define({ name: 'a:b' })).toThrow('Job');
    expect(define({ attempts: 0 })).toThrow('attempts must be an integer from 1');
    expect(define({ rateLimit: { key: () => '', max: 0, perMs: 1 } })).toThrow('rateLimit: max must be');
    expect(define({ rateLimit: { key: () => '', max: 1 } })).toThrow('rateLimit: perMs must be');
    expect(define({ rateLimit: { key: () => '', concurrency: 0 } })).toThrow('rateLimit: concurrency must be');
    expect(define({ repeat: { everyMs: 0.5, payload: { n: 1 } } })).toThrow('everyMs must be');
    expect(define({ repeat: { cron: 'every day', payload: { n: 1 } } })).toThrow('every day is not a cron expression');
    expect(define({ repeat: { everyMs: 1_000, payload: { n: 'x' } } })).toThrow(
      'repeated payload does not match the schema',
    );
  });
});

describe('Jobs', () => {
  it('passes a valid payload and the request id to the handler', async () => {
    const job = defineJob({ name: 'typed', payload });
    const seen: unknown[] = [];
    const jobs = makeJobs([job], { context: () => ({ requestId: 'req-1' }) });
    jobs.handle(job, async ({ n }, { requestId, attempt, id }) => void seen.push({ n, requestId, attempt, id }));
    jobs.start();
    await expect(jobs.add(job, { n: 0.5 })).rejects.toThrow(z.ZodError);
    await add(jobs, job, { n: 1 }, { id: 'webhook:1' });
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ n: 1, requestId: 'req-1', attempt: 1, id: 'webhook:1' }]);
  });

  it('adds jobs before the connection to Redis is open', async () => {
    const job = defineJob({ name: 'early', payload });
    const prefix = uniqueName();
    await makeJobs([job], { prefix }).add(job, { n: 1 }, { id: 'single' });
    await makeJobs([job], { prefix }).addBulk(job, [{ payload: { n: 2 }, id: 'bulk' }]);
    const ids = ['single', 'bulk', 'none'];
    expect(await makeJobs([job], { prefix }).pending(job, ids)).toEqual(new Set(['single', 'bulk']));
  });

  it('adds a job once per id, singly and in bulk', async () => {
    const job = defineJob({ name: 'once', payload });
    const seen: number[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async ({ n }) => void seen.push(n));
    jobs.start();
    await add(jobs, job, { n: 1 }, { id: '17' });
    await jobs.add(job, { n: 2 }, { id: '17' });
    await jobs.addBulk(job, [
      { payload: { n: 3 }, id: '17' },
      { payload: { n: 4 }, id: '18' },
    ]);
    await until(() => seen.length === 2);
    await sleep(50);
    expect(seen).toEqual([1, 4]);
  });

  it('lists pending jobs, but no running, finished or unknown jobs', async () => {
    const job = defineJob({ name: 'pending', payload, attempts: 1, concurrency: 1 });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const ran: number[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async ({ n }) => {
      ran.push(n);
      if (n === 2) throw new Error('no');
      if (n === 3) await held;
    });
    jobs.start();
    for (const n of [1, 2, 3, 4]) await add(jobs, job, { n }, { id: `job:${n}` });
    await jobs.add(job, { n: 5 }, { id: 'job:5', delayMs: 60_000 });
    await until(() => ran.includes(3));
    const ids = [1, 2, 3, 4, 5, 6].map((n) => `job:${n}`);
    expect([...(await jobs.pending(job, ids))]).toEqual(['job:4', 'job:5']);
    release();
  });

  it('runs a delayed job only after its delay', async () => {
    const job = defineJob({ name: 'later', payload });
    const jobs = makeJobs([job]);
    let ranAt = 0;
    jobs.handle(job, async () => void (ranAt = Date.now()));
    jobs.start();
    await until(async () => jobs.metrics().then(Boolean, () => false));
    const before = Date.now();
    await jobs.add(job, { n: 1 }, { delayMs: 200 });
    await until(() => ranAt > 0);
    expect(ranAt - before).toBeGreaterThanOrEqual(199);
  });

  it('runs no more jobs concurrently than the limit of the definition', async () => {
    const job = defineJob({ name: 'narrow', payload, concurrency: 2 });
    const jobs = makeJobs([job]);
    let running = 0;
    let most = 0;
    let done = 0;
    jobs.handle(job, async () => {
      most = Math.max(most, (running += 1));
      await sleep(10);
      running -= 1;
      done += 1;
    });
    jobs.start();
    await add(jobs, job, { n: 0 });
    await jobs.addBulk(
      job,
      Array.from({ length: 9 }, (_, n) => ({ payload: { n } })),
    );
    await until(() => done === 10);
    expect(most).toBe(2);
  });

  it('counts waiting, active, delayed, failed and processed jobs', async () => {
    const job = defineJob({ name: 'counted', payload, concurrency: 1, attempts: 1 });
    const jobs = makeJobs([job]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    jobs.handle(job, async ({ n }) => {
      if (n === 0) throw new Error('down');
      await held;
    });
    jobs.start();
    await add(jobs, job, { n: 0 });
    await jobs.addBulk(job, [{ payload: { n: 1 } }, { payload: { n: 2 } }, { payload: { n: 3 }, delayMs: 60_000 }]);
    await until(async () => (await metricsOf(jobs, job)).active === 1 && (await metricsOf(jobs, job)).failed === 1);
    const processed = { completed: 0, failed: 1 };
    expect(await jobs.metrics()).toEqual([{ job: 'counted', waiting: 1, active: 1, delayed: 1, failed: 1, processed }]);
    release();
    await until(async () => (await metricsOf(jobs, job)).processed.completed === 2);
  });

  it('rejects new jobs immediately without Redis', async () => {
    const job = defineJob({ name: 'away', payload });
    const jobs = makeJobs([job], { redis: 'redis://127.0.0.1:1' });
    const began = Date.now();
    await expect(jobs.add(job, { n: 1 })).rejects.toThrow('Redis is unavailable');
    expect(Date.now() - began).toBeLessThan(3_000);
  });
});

describe('REDIS_KEY_PREFIX', () => {
  it('separates the jobs of two deployments that use one Redis', async () => {
    const job = defineJob({ name: 'apart', payload });
    const seen: string[] = [];
    const deployments = [uniqueName(), uniqueName()].map((prefix) => {
      const jobs = makeJobs([job], { prefix });
      jobs.handle(job, async ({ n }) => void seen.push(`${prefix} ${n}`));
      jobs.start();
      return { prefix, jobs };
    });
    for (const { jobs } of deployments) await add(jobs, job, { n: 1 }, { id: 'same' });
    await until(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(deployments.map(({ prefix }) => `${prefix} 1`).toSorted());
  });
});
