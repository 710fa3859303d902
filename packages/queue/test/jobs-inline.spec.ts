import { afterEach, describe, expect, it } from 'vitest';
import { defineJob, JobCancelledError, JobTimeoutError, WorkerStoppingError, type JobContext } from '../src/index.js';
import { makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

const limits = {
  payload,
  concurrency: 2,
  timeoutMs: 60_000,
  rateLimit: { key: ({ n }: { n: number }) => `to ${n}`, concurrency: 1 },
};

/**
 * Starts a worker of one kind of job. A job ends when the test completes the job, or when the job's signal is aborted.
 */
function startWorker(options: { prefix?: string; timeoutMs?: number; stopGraceMs?: number } = {}) {
  const { prefix = uniqueName(), stopGraceMs = 100, ...rest } = options;
  const job = defineJob({ name: 'at-once', ...limits, ...rest });
  const jobs = makeJobs([job], { prefix, stopGraceMs });
  const held: { context: JobContext; end: () => void }[] = [];
  jobs.handle(
    job,
    (_, context) =>
      new Promise<void>((resolve, reject) => {
        held.push({ context, end: resolve });
        context.signal.addEventListener('abort', () => reject(new Error('broken off')));
      }),
  );
  jobs.start();
  const inline = jobs.inlineRunner(job);
  if (inline === null) throw new Error('works already');
  return { job, jobs, held, inline };
}

describe('Jobs.inlineRunner', () => {
  it('runs the handler with the given id, and counts the run as a processed job', async () => {
    const { job, jobs, held, inline } = startWorker();
    const run = inline.run({ n: 1 }, 'one', { requestId: 'the request' });
    expect(held[0]?.context).toMatchObject({ id: 'one', attempt: 1, requestId: 'the request', lastAttempt: true });
    held[0]?.end();
    await run;
    await until(async () => (await metricsOf(jobs, job)).processed.completed === 1);
    expect(await metricsOf(jobs, job)).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  it('applies only the concurrency limits of its own kind of job', async () => {
    const { held, inline } = startWorker();
    const first = inline.run({ n: 1 }, 'one', {});
    expect([inline.hasRoom({ n: 1 }), inline.run({ n: 1 }, 'same destination', {})]).toEqual([false, null]);
    const second = inline.run({ n: 2 }, 'two', {});
    expect([inline.hasRoom({ n: 3 }), inline.run({ n: 3 }, 'one too many', {})]).toEqual([false, null]);
    held[0]?.end();
    await first;
    expect(inline.hasRoom({ n: 1 })).toBe(true);
    held[1]?.end();
    await second;
  });

  it('runs nothing for jobs with a rate limit in Redis, and nothing without a running worker', async () => {
    const job = defineJob({
      name: 'in-turn',
      payload,
      rateLimit: { key: () => 'there', max: 9, perMs: 9 },
    });
    const jobs = makeJobs([job]);
    jobs.handle(job, async () => {});
    expect(jobs.inlineRunner(job)).toBeNull();
    jobs.start();
    expect(jobs.inlineRunner(job)?.run({ n: 1 }, 'one', {})).toBeNull();
    await jobs.stop();
    expect(jobs.inlineRunner(job)).toBeNull();
  });

  it('aborts its run on timeout, on cancellation in another process, and on stop after the grace period', async () => {
    const late = startWorker({ timeoutMs: 20 });
    await expect(late.inline.run({ n: 1 }, 'late', {})).rejects.toThrow(JobTimeoutError);
    await until(async () => (await metricsOf(late.jobs, late.job)).processed.failed === 1);

    const prefix = uniqueName();
    const here = startWorker({ prefix });
    const there = startWorker({ prefix });
    let reason: unknown;
    const cancelled = here.inline.run({ n: 1 }, 'cancelled', {})?.catch((error: unknown) => (reason = error));
    // The cancel message is lost until both processes listen.
    await until(async () => {
      expect(await there.jobs.cancel(there.job, 'cancelled').catch(() => false)).toBe(false);
      return reason !== undefined;
    });
    await cancelled;
    expect(reason).toBeInstanceOf(JobCancelledError);

    const stopped = here.inline.run({ n: 1 }, 'stopped', {});
    const stop = here.jobs.stop();
    await expect(stopped).rejects.toThrow(WorkerStoppingError);
    await stop;
    const kept = there.inline.run({ n: 1 }, 'kept', {});
    const end = there.jobs.stop();
    there.held.at(-1)?.end();
    await Promise.all([kept, end]);
  });
});
