import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { computeBackoffDelayMs, defineJob, FinalJobError, type Jobs } from '../src/index.js';
import { add, fastBackoff, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

/** Returns a promise that resolves when `count` jobs have failed permanently. */
const failures = (jobs: Jobs, count: number): Promise<void> =>
  until(async () => (await jobs.failed()).length === count);

describe('attempts of a failing job', () => {
  it('follow each other with growing delays, and are counted', async () => {
    const job = defineJob({ name: 'flaky', payload, attempts: 3, backoff: { initialMs: 100, maxMs: 10_000 } });
    const attempts: { attempt: number; lastAttempt: boolean }[] = [];
    const began: number[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async (_, { attempt, lastAttempt }) => {
      began.push(performance.now());
      attempts.push({ attempt, lastAttempt });
      throw new Error('down');
    });
    jobs.start();
    await add(jobs, job, { n: 7 });
    await failures(jobs, 1);
    expect(attempts).toEqual([1, 2, 3].map((attempt) => ({ attempt, lastAttempt: attempt === 3 })));
    const [first = 0, second = 0, third = 0] = began;
    // Jitter reduces a delay by at most half. A timer may fire a millisecond early.
    expect(second - first).toBeGreaterThan(49);
    expect(third - second).toBeGreaterThan(99);
  });

  it('end after a permanent error, which is an error class or an error that finalErrors selects', async () => {
    const finalErrors = (error: unknown): boolean => error instanceof RangeError;
    const job = defineJob({ name: 'final', payload, backoff: fastBackoff, finalErrors });
    const attempts: number[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async ({ n }, { attempt }) => {
      attempts.push(attempt);
      throw n === 1 ? new FinalJobError('gone') : new RangeError('never');
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await jobs.add(job, { n: 2 });
    await failures(jobs, 2);
    expect(attempts).toEqual([1, 1]);
    const errors = (await jobs.failed()).map((failed) => failed.error);
    expect(errors.toSorted()).toEqual(['FinalJobError: gone', 'RangeError: never']);
  });

  it("end after the first attempt if the payload does not match the worker's schema", async () => {
    const prefix = uniqueName();
    // A job that another version of the service has added.
    const older = defineJob({ name: 'changed', payload: z.strictObject({ name: z.string() }) });
    await add(makeJobs([older], { prefix }), older, { name: 'x' }, { id: 'old' });
    const job = defineJob({ name: 'changed', payload });
    const jobs = makeJobs([job], { prefix });
    let runs = 0;
    jobs.handle(job, async () => void (runs += 1));
    jobs.start();
    await until(async () => (await metricsOf(jobs, job)).failed === 1);
    expect(await jobs.findFailed(job, 'old')).toMatchObject({ payload: { name: 'x' }, attempts: 1 });
    expect((await jobs.findFailed(job, 'old'))?.error).toMatch(
      /^payload does not match the schema: .*expected number.*at n/s,
    );
    expect(runs).toBe(0);
  });

  it('store at most 2,000 characters of the errors of an invalid payload', async () => {
    const prefix = uniqueName();
    const older = defineJob({ name: 'many', payload: z.strictObject({ items: z.array(z.string()) }) });
    await add(
      makeJobs([older], { prefix }),
      older,
      { items: Array.from({ length: 10_000 }, () => 'x') },
      { id: 'old' },
    );
    const job = defineJob({ name: 'many', payload: z.strictObject({ items: z.array(z.int()) }) });
    const jobs = makeJobs([job], { prefix });
    jobs.handle(job, async () => {});
    jobs.start();
    await until(async () => (await metricsOf(jobs, job)).failed === 1);
    expect((await jobs.findFailed(job, 'old'))?.error).toHaveLength(2_000);
  });

  it('end at the timeout, even if the handler ignores its abort signal', async () => {
    const job = defineJob({ name: 'slow', payload, attempts: 2, timeoutMs: 50, backoff: fastBackoff });
    const signals: AbortSignal[] = [];
    const jobs = makeJobs([job]);
    jobs.handle(job, async (_, { signal }) => {
      signals.push(signal);
      await sleep(150);
    });
    jobs.start();
    await add(jobs, job, { n: 1 });
    await failures(jobs, 1);
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect((await jobs.failed())[0]?.error).toBe('JobTimeoutError: slow took over 50 ms');
  });

  it('fail for any thrown value, even if the value is not an error', async () => {
    const job = defineJob({ name: 'odd', payload, attempts: 1 });
    const jobs = makeJobs([job]);
    const named = Object.assign(new Error('stay'), { name: 'DelayedError' });
    jobs.handle(job, async ({ n }) => {
      throw [null, 'text', named][n];
    });
    jobs.start();
    await add(jobs, job, { n: 0 });
    await jobs.addBulk(job, [{ payload: { n: 1 } }, { payload: { n: 2 } }]);
    await failures(jobs, 3);
    const errors = (await jobs.failed()).map((failed) => failed.error);
    expect(errors.toSorted()).toEqual(['DelayedError: stay', 'null', 'text']);
  });

  it('have delays chosen at random from the upper half of an exponential curve with a maximum', () => {
    const backoff = { initialMs: 100, maxMs: 1_000 };
    expect([1, 2, 3, 4, 5, 50].map((failed) => computeBackoffDelayMs(backoff, failed, 0))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(computeBackoffDelayMs(backoff, 3, 0.999)).toBeGreaterThanOrEqual(200);
  });
});

describe('failed jobs', () => {
  const mail = defineJob({ name: 'mail', payload, attempts: 2, backoff: fastBackoff });
  const push = defineJob({ name: 'push', payload, attempts: 1 });

  /** Starts jobs that all fail until `heal` is called. Records the jobs that succeeded. */
  async function failing(): Promise<{ jobs: Jobs; heal: () => void; done: string[]; between: Date }> {
    const jobs = makeJobs([mail, push]);
    const done: string[] = [];
    let healthy = false;
    for (const job of [mail, push]) {
      jobs.handle(job, async ({ n }, { attempt }) => {
        if (!healthy) throw new Error(n % 2 === 0 ? 'refused' : 'timed out');
        done.push(`${job.name} ${n} attempt ${attempt}`);
      });
    }
    jobs.start();
    await add(jobs, mail, { n: 1 }, { id: 'm1', context: { requestId: 'req-9' } });
    await jobs.add(mail, { n: 2 }, { id: 'm2' });
    await failures(jobs, 2);
    await sleep(5);
    const between = new Date();
    await sleep(5);
    await jobs.add(push, { n: 3 }, { id: 'p3' });
    await jobs.add(push, { n: 4 });
    await failures(jobs, 4);
    return { jobs, heal: () => (healthy = true), done, between };
  }

  it('appear in lists by kind, error and time, newest first', async () => {
    const { jobs, between } = await failing();
    const numbers = async (...query: Parameters<Jobs['failed']>): Promise<unknown[]> =>
      (await jobs.failed(...query)).map((failed) => failed.payload).map((of) => payload.parse(of).n);
    expect((await numbers()).slice(0, 2).toSorted()).toEqual([3, 4]);
    expect((await numbers({ job: mail })).toSorted()).toEqual([1, 2]);
    expect((await numbers({ error: 'refused' })).toSorted()).toEqual([2, 4]);
    expect((await numbers({ since: between })).toSorted()).toEqual([3, 4]);
    expect((await numbers({ until: between, error: 'timed' })).toSorted()).toEqual([1]);
    expect((await numbers({ offset: 2, limit: 1 })).length).toBe(1);
    const failed = await jobs.findFailed(mail, 'm1');
    expect(failed).toMatchObject({ job: 'mail', id: 'm1', payload: { n: 1 }, attempts: 2, error: 'Error: timed out' });
    expect(failed?.context).toEqual({ requestId: 'req-9' });
    expect(failed?.stack).toContain('jobs-failing.spec');
    const times = [failed?.addedAt, failed?.startedAt, failed?.failedAt].map((time) => time?.getTime() ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await jobs.findFailed(mail, 'unknown')).toBeNull();
  });

  it('run again with all attempts when requeued by id', async () => {
    const { jobs, heal, done } = await failing();
    heal();
    expect(await jobs.requeue(mail, 'unknown')).toBe(false);
    expect(await jobs.requeue(mail, 'm1')).toBe(true);
    expect(await jobs.requeue(mail, 'm1')).toBe(false);
    // The job has the random id that it got when it was added.
    const [unnamed] = await jobs.failed({ job: push, error: 'refused' });
    expect(await jobs.requeue(push, unnamed?.id ?? '')).toBe(true);
    await until(() => done.length === 2);
    expect(done.toSorted()).toEqual(['mail 1 attempt 1', 'push 4 attempt 1']);
  });

  it('can be requeued by filter', async () => {
    const { jobs, heal, done, between } = await failing();
    heal();
    expect(await jobs.requeueFailed({ error: 'no such error' })).toBe(0);
    expect(await jobs.requeueFailed({ since: between, error: 'refused' })).toBe(1);
    expect(await jobs.requeueFailed({ job: mail })).toBe(2);
    expect(await jobs.requeueFailed({})).toBe(1);
    await until(() => done.length === 4);
    expect(await jobs.failed()).toEqual([]);
  });
});
