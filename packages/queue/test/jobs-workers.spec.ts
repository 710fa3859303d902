import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  defineJob,
  type JobContext,
  JobCancelledError,
  type Jobs,
  processClock,
  type QueueClock,
  RedisUnavailableError,
  type WorkerProcess,
} from '../src/index.js';
import { add, makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { PrivateRedis, uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

const job = defineJob({ name: 'long', payload, attempts: 3 });

/**
 * Registers a job handler that runs until the signal of its attempt is aborted. Returns a list to which each call of
 * the handler adds its job context.
 */
function registerPendingHandler(jobs: Jobs): JobContext[] {
  const contexts: JobContext[] = [];
  jobs.handle(job, async (_, context) => {
    contexts.push(context);
    await once(context.signal, 'abort');
    throw context.signal.reason;
  });
  return contexts;
}

/** Lists the worker processes, repeatedly until Redis is connected and the list has `count` elements. */
async function workersOf(jobs: Jobs, count: number): Promise<WorkerProcess[]> {
  let workers: WorkerProcess[] = [];
  await until(async () => (workers = await jobs.workingProcesses().catch(() => [])).length === count);
  return workers;
}

describe('worker registry', () => {
  it('lists workers with their active and finished jobs in every process', async () => {
    const prefix = uniqueName();
    const quick = defineJob({ name: 'quick', payload, attempts: 1 });
    const options = { prefix, heartbeatMs: 20 };
    const asking = makeJobs([job, quick], options);
    const working = makeJobs([job, quick], options);
    const contexts = registerPendingHandler(working);
    working.handle(quick, async ({ n }) => {
      if (n === 2) throw new Error('two');
    });
    const before = Date.now();
    working.start();
    const [first] = await workersOf(asking, 1);
    expect(first).toMatchObject({ pid: process.pid, jobs: ['long', 'quick'], active: 0, completed: 0, failed: 0 });
    expect(first?.startedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(first?.name).toMatch(/^[0-9a-f]{32}$/);
    await add(asking, quick, { n: 1 });
    await asking.add(quick, { n: 2 });
    await asking.add(job, { n: 3 });
    await until(async () => {
      const [worker] = await asking.workingProcesses();
      return worker?.active === 1 && worker.completed === 1 && worker.failed === 1 && worker.seenAt > first!.seenAt;
    });
    expect(contexts).toHaveLength(1);
    const [active] = await asking.active();
    expect(active).toMatchObject({ job: 'long', payload: { n: 3 }, worker: first?.name });
    expect(await asking.active(quick)).toEqual([]);
    await working.stop();
    expect(await asking.workingProcesses()).toEqual([]);
  });

  it('removes workers that miss heartbeats', async () => {
    const redis = await PrivateRedis.start();
    const asking = makeJobs([job], { redis: redis.url, prefix: 'p' });
    // A worker without heartbeats after its first, as if it had died.
    const heartbeatMs = 300;
    const setTimeout: QueueClock['setTimeout'] = (run, ms) =>
      ms === heartbeatMs ? null : processClock.setTimeout(run, ms);
    const clock = { ...processClock, setTimeout };
    const dying = makeJobs([job], { redis: redis.url, prefix: 'p', heartbeatMs, clock });
    registerPendingHandler(dying);
    dying.start();
    await workersOf(asking, 1);
    await workersOf(asking, 0);
    await redis.kill();
    await until(() =>
      asking.workingProcesses().then(
        () => false,
        (error: unknown) => error instanceof RedisUnavailableError,
      ),
    );
    await expect(asking.active()).rejects.toThrow(RedisUnavailableError);
    await redis.up();
    await stopJobs();
    await redis.stop();
  });
});

describe('job that is cancelled', () => {
  it('stops in whichever process runs the job, counts as failed, and can be requeued', async () => {
    const prefix = uniqueName();
    const asking = makeJobs([job], { prefix });
    const working = makeJobs([job], { prefix });
    const contexts = registerPendingHandler(working);
    working.start();
    await add(asking, job, { n: 1 }, { id: 'a/1' });
    await until(() => contexts.length === 1);
    expect(await asking.cancel(job, 'other')).toBe(false);
    await until(() => asking.cancel(job, 'a/1'));
    await until(async () => (await metricsOf(asking, job)).failed === 1);
    expect(contexts[0]?.signal.reason).toBeInstanceOf(JobCancelledError);
    expect(await asking.findFailed(job, 'a/1')).toMatchObject({
      attempts: 1,
      error: 'JobCancelledError: cancelled by an operator',
    });
    expect(await asking.cancel(job, 'a/1')).toBe(false);
    expect(await asking.requeue(job, 'a/1')).toBe(true);
    await until(() => contexts.length === 2);
  });
});
