import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, FinalJobError, QueueUsageError, type PermanentJobFailure } from '../src/index.js';
import { add, fastBackoff, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

const job = defineJob({ name: 'controlled', payload, attempts: 2, concurrency: 1, backoff: fastBackoff });

describe('priority of a job', () => {
  it('runs jobs without a priority first, then jobs by ascending priority number, then bulk jobs', async () => {
    const jobs = makeJobs([job]);
    const ran: number[] = [];
    jobs.handle(job, async ({ n }) => void ran.push(n));
    await add(jobs, job, { n: 5 }, { isBulk: true });
    await jobs.addBulk(job, [
      { payload: { n: 4 }, priority: 1_000_000 },
      { payload: { n: 2 }, priority: 1 },
      { payload: { n: 3 }, priority: 2 },
      { payload: { n: 1 } },
    ]);
    jobs.start();
    await until(() => ran.length === 5);
    expect(ran).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([0, -1, 1.5, 1_000_001, Number.NaN])('rejects %s', async (priority) => {
    await expect(makeJobs([job]).add(job, { n: 1 }, { priority })).rejects.toThrow(QueueUsageError);
  });
});

describe('Jobs.pause and Jobs.resume', () => {
  it('stop and continue one kind of job in all processes, without affecting other kinds', async () => {
    const other = defineJob({ name: 'other', payload });
    const prefix = uniqueName();
    const ran: string[] = [];
    const start = () => {
      const jobs = makeJobs([job, other], { prefix });
      jobs.handle(job, async ({ n }) => void ran.push(`job ${n}`));
      jobs.handle(other, async ({ n }) => void ran.push(`other ${n}`));
      jobs.start();
      return jobs;
    };
    const [first, second] = [start(), start()];
    await until(async () =>
      first.pause(job).then(
        () => true,
        () => false,
      ),
    );
    expect(await second.isPaused(job)).toBe(true);
    expect(await second.isPaused(other)).toBe(false);
    await second.addBulk(
      job,
      [1, 2, 3].map((n) => ({ payload: { n } })),
    );
    await second.add(other, { n: 4 });
    await until(() => ran.length === 1);
    await sleep(100);
    expect(ran).toEqual(['other 4']);
    expect(await metricsOf(second, job)).toMatchObject({ waiting: 3, active: 0 });
    await second.resume(job);
    await until(() => ran.length === 4);
    expect(await first.isPaused(job)).toBe(false);
  });

  it('stop and continue inline runs of other processes', async () => {
    const prefix = uniqueName();
    const jobs = makeJobs([job], { prefix });
    jobs.handle(job, async () => {});
    jobs.start();
    const operator = makeJobs([job], { prefix });
    await until(async () =>
      operator.pause(job).then(
        () => true,
        () => false,
      ),
    );
    await until(() => jobs.inlineRunner(job)?.hasRoom({ n: 1 }) === false);
    expect(jobs.inlineRunner(job)?.run({ n: 1 }, 'one', {})).toBeNull();
    await operator.resume(job);
    await until(() => jobs.inlineRunner(job)?.hasRoom({ n: 1 }) === true);
  });

  it('reject an undefined job', async () => {
    const jobs = makeJobs([job]);
    const other = defineJob({ name: 'other', payload });
    await expect(jobs.pause(other)).rejects.toThrow(QueueUsageError);
    await expect(jobs.find(other, '1')).rejects.toThrow(QueueUsageError);
    expect(() => jobs.onFailed(other, async () => {})).toThrow(QueueUsageError);
  });
});

describe('Jobs.find', () => {
  it('returns state, progress and result of a job', async () => {
    const jobs = makeJobs([job]);
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const at = new Date('2026-11-29T10:00:00Z');
    jobs.handle(job, async ({ n }) => {
      await finished;
      return { double: 2 * n, at };
    });
    await add(jobs, job, { n: 21 }, { id: 'one' });
    expect(await jobs.find(job, 'one')).toMatchObject({
      job: 'controlled',
      id: 'one',
      state: 'waiting',
      payload: { n: 21 },
      progress: null,
      result: null,
      error: null,
      attempts: 0,
      startedAt: null,
      finishedAt: null,
    });
    jobs.start();
    await until(async () => (await jobs.find(job, 'one'))?.state === 'active');
    finish();
    await until(async () => (await jobs.find(job, 'one'))?.state === 'completed');
    const found = await jobs.find(job, 'one');
    expect(found).toMatchObject({ result: { double: 42, at }, attempts: 1, error: null });
    expect(found?.finishedAt).toBeInstanceOf(Date);
    expect(await jobs.find(job, 'unknown')).toBeNull();
  });

  it('returns the progress that the handler reported last', async () => {
    const jobs = makeJobs([job]);
    const progress: unknown[] = [];
    jobs.handle(job, async (_, { reportProgress }) => {
      for (const value of [1, 'half', null, { at: new Date(0) }]) {
        await reportProgress(value);
        progress.push((await jobs.find(job, 'one'))?.progress);
      }
    });
    jobs.start();
    await add(jobs, job, { n: 1 }, { id: 'one' });
    await until(async () => (await jobs.find(job, 'one'))?.state === 'completed');
    expect(progress).toEqual([1, 'half', null, { at: new Date(0) }]);
    expect((await jobs.find(job, 'one'))?.result).toBeNull();
  });

  it('returns jobs of each state with the error of the last attempt', async () => {
    const jobs = makeJobs([job]);
    jobs.handle(job, async () => {
      throw new Error('down');
    });
    await add(jobs, job, { n: 1 }, { id: 'later', delayMs: 600_000 });
    await jobs.add(job, { n: 2 }, { id: 'second', priority: 3 });
    expect((await jobs.find(job, 'later'))?.state).toBe('delayed');
    expect((await jobs.find(job, 'second'))?.state).toBe('waiting');
    jobs.start();
    await until(async () => (await jobs.find(job, 'second'))?.state === 'failed');
    expect(await jobs.find(job, 'second')).toMatchObject({ error: 'Error: down', attempts: 2, result: null });
  });

  it('returns null after the retention of the definition', async () => {
    const short = defineJob({ name: 'short', payload, keepCompletedSeconds: 1 });
    const jobs = makeJobs([short]);
    jobs.handle(short, async ({ n }) => n);
    jobs.start();
    await add(jobs, short, { n: 1 }, { id: 'one' });
    await until(async () => (await jobs.find(short, 'one'))?.result === 1);
    // BullMQ removes old jobs when another job completes.
    await until(async () => {
      await jobs.add(short, { n: 2 });
      await sleep(100);
      return (await jobs.find(short, 'one')) === null;
    });
  });

  it.each([
    ['is too long', 'x'.repeat(65_537)],
    ['cannot be written as JSON', 10n],
  ])('returns no result that %s, although the job is completed', async (_, result) => {
    const jobs = makeJobs([job]);
    jobs.handle(job, async () => result);
    jobs.start();
    await add(jobs, job, { n: 1 }, { id: 'one' });
    await until(async () => (await jobs.find(job, 'one'))?.state === 'completed');
    expect(await jobs.find(job, 'one')).toMatchObject({ result: null, attempts: 1 });
  });
});

describe('Jobs.onFailed', () => {
  it('calls each hook once for a job that has failed permanently', async () => {
    const jobs = makeJobs([job]);
    const failures: PermanentJobFailure[] = [];
    const second: string[] = [];
    jobs.handle(job, async ({ n }) => {
      if (n === 1) throw new FinalJobError('gone');
      if (n === 2) throw new Error('down');
    });
    jobs.onFailed(job, async (failure) => {
      failures.push(failure);
      throw new Error('the hook fails');
    });
    jobs.onFailed(job, async ({ id }) => void second.push(id));
    jobs.start();
    await add(jobs, job, { n: 1 }, { id: 'final', context: { requestId: 'the request' } });
    await jobs.add(job, { n: 2 }, { id: 'retried' });
    await jobs.add(job, { n: 3 }, { id: 'good' });
    await until(async () => (await jobs.failed()).length === 2);
    await until(async () => (await jobs.find(job, 'good'))?.state === 'completed');
    const byId = failures.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId).toEqual([
      {
        job: 'controlled',
        id: 'final',
        payload: { n: 1 },
        error: 'FinalJobError: gone',
        attempts: 1,
        context: { requestId: 'the request' },
      },
      { job: 'controlled', id: 'retried', payload: { n: 2 }, error: 'Error: down', attempts: 2, context: {} },
    ]);
    expect(second.toSorted()).toEqual(['final', 'retried']);
  });

  it('calls the hook for a payload that does not match the schema', async () => {
    const prefix = uniqueName();
    const older = defineJob({ name: 'controlled', payload: z.strictObject({ name: z.string() }) });
    await add(makeJobs([older], { prefix }), older, { name: 'x' }, { id: 'old' });
    const jobs = makeJobs([job], { prefix });
    const failures: PermanentJobFailure[] = [];
    jobs.handle(job, async () => {});
    jobs.onFailed(job, async (failure) => void failures.push(failure));
    jobs.start();
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({ id: 'old', payload: { name: 'x' }, attempts: 1 });
    expect(failures[0]?.error).toContain('payload does not match the schema');
  });
});
