import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { backoffDelayMs, defineJob, FinalJobError, Jobs, type JobContext, type JobDefinition } from '../src/index.js';
import { redisUrl, sleep, uniqueName, until } from './support.js';

const payload = z.strictObject({ n: z.int() });
const fast = { initialMs: 20, maxMs: 40 };
const open: Jobs[] = [];

function makeJobs<P>(definitions: JobDefinition<P>[], options: Partial<ConstructorParameters<typeof Jobs>[0]> = {}) {
  const jobs = new Jobs({ redis: redisUrl, prefix: uniqueName(), definitions, stopGraceMs: 100, ...options });
  open.push(jobs);
  return jobs;
}

/** Adding rejects at once while there is no connection; a service adds long after its boot, a test does not. */
async function add<P>(jobs: Jobs, ...rest: [JobDefinition<P>, P, { id?: string; delayMs?: number }?]): Promise<void> {
  await until(() =>
    jobs.add(...rest).then(
      () => true,
      () => false,
    ),
  );
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((jobs) => jobs.stop()));
});

describe('boot', () => {
  const first = defineJob({ name: 'first', payload });
  const second = defineJob({ name: 'second', payload });

  it('fails when a defined job has no handler, or two, naming each', () => {
    const jobs = makeJobs([first, second]);
    jobs.handle(second, async () => {});
    jobs.handle(second, async () => {});
    expect(() => jobs.start()).toThrow('Jobs: first has no handler; second has 2 handlers');
  });

  it('refuses a handler for a job that was not defined', () => {
    expect(() => makeJobs([first]).handle(second, async () => {})).toThrow('not among the definitions');
  });
});

describe('running', () => {
  it('hands the payload and the request id to the handler, and refuses a payload that does not fit', async () => {
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

  it('adds a job once for one id, singly and in bulk', async () => {
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

  it('delays a job', async () => {
    const job = defineJob({ name: 'later', payload });
    const jobs = makeJobs([job]);
    let ranAt = 0;
    jobs.handle(job, async () => void (ranAt = Date.now()));
    jobs.start();
    await add(jobs, job, { n: 1 }, { delayMs: 200 });
    const addedAt = Date.now();
    await until(() => ranAt > 0);
    expect(ranAt - addedAt).toBeGreaterThanOrEqual(190);
  });

  it('keeps to its concurrency', async () => {
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
});

describe('failing', () => {
  it('tries again with growing waits, then lists the job with its error and runs it again on request', async () => {
    const job = defineJob({ name: 'flaky', payload, attempts: 3, backoff: fast });
    const attempts: number[] = [];
    let healthy = false;
    const jobs = makeJobs([job]);
    jobs.handle(job, async (_, { attempt }) => {
      attempts.push(attempt);
      if (!healthy) throw new Error('down');
    });
    jobs.start();
    await add(jobs, job, { n: 7 }, { id: 'a' });
    await until(async () => (await jobs.failed(job)).length === 1);
    expect(attempts).toEqual([1, 2, 3]);
    expect(await jobs.failed(job)).toMatchObject([{ id: 'a', payload: { n: 7 }, attempts: 3, error: 'down' }]);
    expect(await jobs.requeueFailed(job, (failed) => failed.id === 'other')).toBe(0);
    expect(await jobs.requeue(job, 'unknown')).toBe(false);
    healthy = true;
    expect(await jobs.requeue(job, 'a')).toBe(true);
    await until(() => attempts.length === 4);
    expect(attempts[3]).toBe(1);
    await until(async () => (await jobs.counts(job)).failed === 0);
  });

  it('makes no further attempt after a final error, thrown or declared', async () => {
    const job = defineJob({
      name: 'final',
      payload,
      backoff: fast,
      finalErrors: (error) => error instanceof RangeError,
    });
    const attempts: number[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async ({ n }, { attempt }) => {
      attempts.push(attempt);
      throw n === 1 ? new FinalJobError('gone') : new RangeError('never');
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await jobs.add(job, { n: 2 });
    await until(async () => (await jobs.failed(job)).length === 2);
    expect(attempts).toEqual([1, 1]);
    expect((await jobs.failed(job)).map((failed) => failed.error).toSorted()).toEqual([
      'FinalJobError: gone',
      'RangeError: never',
    ]);
  });

  it('aborts the signal after the timeout and fails the attempt, also when the handler does not listen', async () => {
    const job = defineJob({ name: 'slow', payload, attempts: 2, timeoutMs: 50, backoff: fast });
    const signals: AbortSignal[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async (_, { signal }) => {
      signals.push(signal);
      await sleep(150);
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await until(async () => (await jobs.failed(job)).length === 1);
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect((await jobs.failed(job))[0]?.error).toBe('slow took over 50 ms');
  });

  it('spreads the waits over the upper half of an exponential curve with a ceiling', () => {
    const backoff = { initialMs: 100, maxMs: 1_000 };
    expect([1, 2, 3, 4, 5, 50].map((failures) => backoffDelayMs(backoff, failures, 0))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(backoffDelayMs(backoff, 3, 0.999)).toBeGreaterThanOrEqual(200);
  });
});

describe('stopping', () => {
  it('lets running jobs finish within the grace time', async () => {
    const job = defineJob({ name: 'finishing', payload });
    const jobs = makeJobs([job], { stopGraceMs: 2_000 });
    const states: string[] = [];
    jobs.handle(job, async () => {
      states.push('began');
      await sleep(100);
      states.push('ended');
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await until(() => states.length === 1);
    await jobs.stop();
    expect(states).toEqual(['began', 'ended']);
  });

  it('hands back what it holds, and another worker runs it as the same attempt', async () => {
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
      (context) => new Promise((_, reject) => (context.signal.onabort = () => reject(new Error('aborted')))),
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

  it('runs again what a killed worker held', async () => {
    const job = defineJob({ name: 'stalled', payload, attempts: 1 });
    const prefix = uniqueName();
    const jobs = makeJobs([job], { prefix, stalledAfterMs: 400 });
    let runs = 0;
    jobs.handle(job, async () => {
      runs += 1;
      if (runs === 1) await sleep(4_000);
    });
    jobs.start();
    await add(jobs, job, { n: 1 }, { id: 'held' });
    await until(() => runs === 1);
    // A killed process renews its lock no more. Here the lock is taken away, which cannot be renewed either.
    const redis = new Redis(redisUrl);
    expect(await redis.del(`{${prefix}.jobs.stalled}:stalled:id-held:lock`)).toBe(1);
    redis.disconnect();
    await until(() => runs === 2, 8_000);
    expect(runs).toBe(2);
  });

  it('rejects adding at once while Redis is away', async () => {
    const job = defineJob({ name: 'away', payload });
    const jobs = makeJobs([job], { redis: 'redis://127.0.0.1:1' });
    const began = Date.now();
    await expect(jobs.add(job, { n: 1 })).rejects.toThrow('Redis is away');
    expect(Date.now() - began).toBeLessThan(500);
  });
});
