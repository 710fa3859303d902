import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLogger } from '../src/environment.js';
import { defineJob, FinalJobError, Outbox, withOutbox, type JobListFilter, type Jobs } from '../src/index.js';
import { FailedJobs } from '../src/jobs/failed-jobs.js';
import { toStoredJobId } from '../src/jobs/job-ids.js';
import { BullMqJobQueues } from '../src/jobs/job-queues.js';
import { add, makeJobs, payload, stopJobs } from './jobs-support.js';
import { redisUrl, sleep, testPool, uniqueName, until } from './queue-test-support.js';

const job = defineJob({ name: 'listed', payload, attempts: 1, keepCompletedSeconds: 60 });
const empty = { waiting: 0, delayed: 0, active: 0, 'waiting-children': 0, completed: 0, failed: 0 };

let database: Awaited<ReturnType<typeof testPool>>;
beforeAll(async () => {
  database = await testPool();
});
afterAll(() => database.drop());
afterEach(stopJobs);

const listIds = async (jobs: Jobs, filter: JobListFilter): Promise<string[]> =>
  (await jobs.list(job, filter)).map(({ id }) => id);

describe('Jobs.counts and Jobs.list', () => {
  it('count and list jobs by state, newest first, in pages', async () => {
    const jobs = makeJobs([job]);
    await add(jobs, job, { n: 1 }, { id: 'a' });
    await jobs.add(job, { n: 2 }, { id: 'b' });
    await jobs.add(job, { n: 3 }, { id: 'urgent', priority: 1 });
    await jobs.add(job, { n: 4 }, { id: 'later', delayMs: 60_000 });
    expect(jobs.kinds).toEqual(['listed']);
    expect(await jobs.counts(job)).toEqual({ ...empty, waiting: 3, delayed: 1 });
    expect(await listIds(jobs, { states: ['waiting'] })).toEqual(['b', 'a', 'urgent']);
    expect(await listIds(jobs, { states: ['waiting'], offset: 1, limit: 1 })).toEqual(['a']);
    expect(await listIds(jobs, { states: ['waiting'], offset: 1, limit: 2 })).toEqual(['a', 'urgent']);
    expect(await listIds(jobs, { states: ['waiting'], offset: 2, limit: 5 })).toEqual(['urgent']);
    expect(await listIds(jobs, { states: ['waiting'], offset: 3 })).toEqual([]);
    expect(await listIds(jobs, { states: ['waiting', 'delayed'], limit: 0 })).toEqual([]);
    expect(await jobs.list(job, { states: ['delayed', 'failed'] })).toMatchObject([
      { id: 'later', state: 'delayed', payload: { n: 4 }, attempts: 0, error: null },
    ]);
  });

  it('list completed and failed jobs', async () => {
    const jobs = makeJobs([job]);
    jobs.handle(job, async ({ n }) => {
      if (n > 1) throw new FinalJobError('broken');
      return 'done';
    });
    jobs.start();
    for (const n of [1, 2, 3]) {
      await add(jobs, job, { n }, { id: `job ${n}` });
      await until(async () => ['completed', 'failed'].includes((await jobs.find(job, `job ${n}`))?.state ?? ''));
    }
    expect(await jobs.counts(job)).toEqual({ ...empty, completed: 1, failed: 2 });
    expect(await listIds(jobs, { states: ['failed'] })).toEqual(['job 3', 'job 2']);
    expect(await jobs.list(job, { states: ['completed'] })).toMatchObject([{ id: 'job 1', result: 'done' }]);
  });
});

const mebibyte = 1024 * 1024;
const upload = defineJob({ name: 'upload', payload: z.strictObject({ text: z.string() }), attempts: 1 });
const download = defineJob({ name: 'download', payload: z.strictObject({ text: z.string() }), attempts: 1 });

describe('Jobs.list with maxBytes', () => {
  it('omits the long fields of jobs from the first one that exceeds the size, in all states', async () => {
    const text = defineJob({ name: 'long', payload: z.strictObject({ text: z.string() }), keepCompletedSeconds: 60 });
    const jobs = makeJobs([text]);
    jobs.handle(text, async (_payload, { reportProgress }) => {
      await reportProgress({ done: 'z'.repeat(2_000) });
      return 'y'.repeat(2_000);
    });
    jobs.start();
    await add(jobs, text, { text: 'x'.repeat(1_000) }, { id: 'completed' });
    await until(async () => (await jobs.counts(text)).completed === 1);
    await jobs.pause(text);
    await jobs.add(text, { text: 'x'.repeat(5_000) }, { id: 'first' });
    await jobs.add(text, { text: 'x'.repeat(4_000) }, { id: 'last' });
    const states = ['waiting', 'completed'] as const;
    const listWithin = (maxBytes: number) => jobs.list(text, { states, maxBytes });
    const shortened = { payload: null, progress: null, result: null, isShortened: true };
    const complete = await jobs.list(text, { states });
    expect(complete.map(({ id, isShortened }) => [id, isShortened])).toEqual([
      ['last', undefined],
      ['first', undefined],
      ['completed', undefined],
    ]);
    expect(await listWithin(20_000)).toEqual(complete);
    expect(await listWithin(12_000)).toEqual([complete[0], complete[1], { ...complete[2], ...shortened }]);
    expect(await listWithin(5_000)).toEqual([
      complete[0],
      { ...complete[1], ...shortened },
      { ...complete[2], ...shortened },
    ]);
    expect(await listWithin(0)).toEqual(complete.map((job) => ({ ...job, ...shortened })));
  });

  it('omits the payloads of jobs beyond 4 MiB by default', async () => {
    const jobs = makeJobs([upload]);
    for (const id of ['first', 'second', 'third']) {
      await jobs.add(upload, { text: 'x'.repeat(1.5 * mebibyte) }, { id });
    }
    const shortened = async (maxBytes?: number) =>
      (await jobs.list(upload, { states: ['waiting'], ...(maxBytes === undefined ? {} : { maxBytes }) })).map(
        ({ isShortened }) => isShortened ?? false,
      );
    expect(await shortened()).toEqual([false, false, true]);
    expect(await shortened(Infinity)).toEqual([false, false, false]);
  });
});

/** Creates jobs that fail one after another, and whose payloads have the given sizes in bytes. */
async function failJobs(prefix: string, failing: readonly [typeof upload, id: string, size: number][]): Promise<Jobs> {
  const jobs = makeJobs([upload, download], { prefix });
  for (const kind of [upload, download]) {
    jobs.handle(kind, async () => {
      throw new FinalJobError('broken');
    });
  }
  jobs.start();
  for (const [kind, id, size] of failing) {
    await add(jobs, kind, { text: 'x'.repeat(size) }, { id });
    await until(async () => (await jobs.find(kind, id))?.state === 'failed');
    // The next job fails in a later millisecond.
    await sleep(2);
  }
  return jobs;
}

describe('Jobs.failed', () => {
  it('reads at most maxBytes of payloads per page, and lists all jobs', async () => {
    const jobs = await failJobs(uniqueName(), [
      [upload, 'oldest', 10],
      [download, 'large', 3 * mebibyte],
      [upload, 'larger', 3 * mebibyte],
      [download, 'newest', 10],
    ]);
    const complete = await jobs.failed({ maxBytes: Infinity });
    const shorten = (listed: typeof complete) =>
      listed.map((job) => ({ ...job, payload: null, context: {}, stack: null, isShortened: true }));
    expect(complete.map(({ id }) => id)).toEqual(['newest', 'larger', 'large', 'oldest']);
    expect(await jobs.failed()).toEqual([...complete.slice(0, 2), ...shorten(complete.slice(2))]);
    expect(await jobs.failed({ maxBytes: 100 })).toEqual(shorten(complete));
    const pages = await Promise.all([0, 2].map((offset) => jobs.failed({ offset, limit: 2 })));
    expect(pages.flat()).toEqual(complete);
    expect(await jobs.failed({ job: upload, maxBytes: 0 })).toEqual(
      shorten([1, 3].flatMap((index) => complete[index] ?? [])),
    );
    expect(await jobs.findFailed(download, 'large')).toEqual(complete[2]);
  });
});

describe('Jobs.failed during Jobs.requeueFailed', () => {
  it('lists no job that has been requeued', async () => {
    const prefix = uniqueName();
    const jobs = await failJobs(
      prefix,
      Array.from({ length: 60 }, (_, n): [typeof upload, string, number] => [upload, `job ${n}`, 10]),
    );
    await jobs.pause(upload);
    const lists = Array.from({ length: 10 }, (_, n) =>
      jobs.failed({ error: 'broken', maxBytes: n % 2 === 0 ? 0 : 1_000_000 }),
    );
    const [requeued, ...listed] = await Promise.all([jobs.requeueFailed({}), ...lists]);
    expect(requeued).toBe(60);
    expect(
      listed.flat().filter(({ error, failedAt }) => !error.includes('broken') || failedAt.getTime() === 0),
    ).toEqual([]);
    expect(await jobs.failed()).toEqual([]);
  });
});

describe('FailedJobs.requeueMatchingFailedJobs', () => {
  it('requeues all matching jobs, and reads at most 4 MiB of payloads of several jobs at a time', async () => {
    const prefix = uniqueName();
    const jobs = await failJobs(prefix, [
      [upload, 'oldest', 10],
      [upload, 'large', 3 * mebibyte],
      [upload, 'largest', 5 * mebibyte],
      [upload, 'newer', 10],
      [upload, 'newest', 10],
    ]);
    await jobs.pause(upload);
    const queues = new BullMqJobQueues({ redis: redisUrl, prefix, definitions: [upload], logger: silentLogger });
    await queues.firstRedisConnectionAttempt;
    const parts: number[] = [];
    const failures = new FailedJobs(queues, async (read) => void parts.push(read.length));
    expect(await failures.requeueMatchingFailedJobs({ error: 'broken' })).toBe(5);
    expect(parts).toEqual([2, 1, 2]);
    expect(await jobs.counts(upload)).toEqual({ ...empty, waiting: 5 });
    await queues.closeAllQueues();
  });
});

describe('Jobs.removeFailed', () => {
  it('removes a failed job whose payload cannot be parsed', async () => {
    const prefix = uniqueName();
    const jobs = await failJobs(prefix, [[upload, 'damaged', 10]]);
    const queues = new BullMqJobQueues({ redis: redisUrl, prefix, definitions: [upload], logger: silentLogger });
    await queues.firstRedisConnectionAttempt;
    const queue = queues.getQueueOfJobKind(upload.name);
    const redis = await queues.waitForConnection(queue);
    await redis.hset(queue.toKey(toStoredJobId('damaged')), 'data', '{');
    expect(await jobs.removeFailed(upload, 'damaged')).toBe(true);
    expect(await jobs.counts(upload)).toEqual(empty);
    await queues.closeAllQueues();
  });

  it('removes only a failed job and its dead letter', async () => {
    const prefix = uniqueName();
    const outbox = new Outbox({ pool: database.pool, prefix });
    const jobs = makeJobs([job], { prefix, outbox });
    jobs.handle(job, async () => {
      throw new FinalJobError('broken');
    });
    jobs.start();
    await withOutbox(database.pool, outbox, async (tx) => {
      for (const id of ['stored', 'other']) jobs.addInTransaction(tx, job, { n: 1 }, { id });
    });
    await until(async () => (await outbox.listDeadLetters('job:listed')).length === 2);
    await until(async () => (await jobs.counts(job)).failed === 2);
    expect(await jobs.removeFailed(job, 'stored')).toBe(true);
    expect(await jobs.removeFailed(job, 'stored')).toBe(false);
    expect(await jobs.find(job, 'stored')).toBeNull();
    expect((await outbox.listDeadLetters('job:listed')).map(({ key }) => key)).toEqual(['other']);
    await jobs.pause(job);
    await jobs.add(job, { n: 2 }, { id: 'waiting' });
    expect(await jobs.removeFailed(job, 'waiting')).toBe(false);
    expect(await jobs.find(job, 'waiting')).toMatchObject({ state: 'waiting' });
    await outbox.stop();
  });
});
