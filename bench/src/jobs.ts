import { randomUUID } from 'node:crypto';
import { defineJob, Jobs } from '@switchboard/queue';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { openBullMqQueue } from './baselines/bullmq-queue.js';
import { JOB_CONCURRENCY, type BenchmarkJobPayload, type MeasuredJobQueue } from './baselines/measured-job-queue.js';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from './compare-with-baseline.js';
import type { BenchmarkServices } from './benchmark-services.js';

/** Number of jobs that the benchmark adds or processes per round of a measurement. */
const JOBS_PER_ROUND = 4_000;
/** Number of rounds per run, for the job package and for plain BullMQ. */
const MEASUREMENT_ROUNDS_PER_RUN = 5;
const WARM_UP_JOB_COUNT = 2_000;
const WARM_UP_RUN_COUNT = 1;
const CONCURRENT_JOB_ADDITIONS = 50;
const JOBS_PER_BULK_ADDITION = 500;

/**
 * Name of the Redis setting for rewrites of the append-only file. The setting is the growth in percent that starts a
 * rewrite; 0 disables rewrites.
 */
const REDIS_AOF_REWRITE_SETTING = 'auto-aof-rewrite-percentage';

const jobPayloadText = 'x'.repeat(180);
const createJobs = (count: number): { id: string; payload: BenchmarkJobPayload }[] =>
  Array.from({ length: count }, (_, n) => ({ id: `delivery-${n}`, payload: { n, text: jobPayloadText } }));

async function openJobPackageQueue(redis: string): Promise<MeasuredJobQueue> {
  const payload = z.object({ n: z.int(), text: z.string() });
  const job = defineJob({ name: 'bench', payload, concurrency: JOB_CONCURRENCY });
  const queue = new Jobs({ redis, prefix: `bench-${randomUUID()}`, definitions: [job] });
  while (
    await queue.metrics().then(
      () => false,
      () => true,
    )
  ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    add: (id, of) => queue.add(job, of, { id }),
    addBulk: (many) => queue.addBulk(job, many),
    work: (done) => {
      queue.handle(job, async (of) => done(of));
      queue.start();
    },
    stop: () => queue.stop(),
  };
}

/**
 * Measures one operation on {@link JOBS_PER_ROUND} jobs of a queue. Returns the duration of the operation in
 * milliseconds.
 */
type JobQueueMeasurement = (side: MeasuredJobQueue) => Promise<number>;

/** Adds jobs one by one from several concurrent callers. Each caller waits until its job is stored in Redis. */
const measureSingleJobAdditions: JobQueueMeasurement = async (side) => {
  const left = createJobs(JOBS_PER_ROUND);
  const started = performance.now();
  const caller = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await side.add(next.id, next.payload);
  };
  await Promise.all(Array.from({ length: CONCURRENT_JOB_ADDITIONS }, caller));
  return performance.now() - started;
};

const measureBulkJobAdditions: JobQueueMeasurement = async (side) => {
  const all = createJobs(JOBS_PER_ROUND);
  const started = performance.now();
  await addJobsInBulk(side, all);
  return performance.now() - started;
};

/**
 * Processes the queue's jobs. The first {@link WARM_UP_JOB_COUNT} jobs are not timed, because they include the start of
 * the worker.
 */
const measureJobProcessing: JobQueueMeasurement = async (side) => {
  await addJobsInBulk(side, createJobs(WARM_UP_JOB_COUNT + JOBS_PER_ROUND));
  let started = 0;
  let count = 0;
  await new Promise<void>((resolve) => {
    side.work(() => {
      count += 1;
      if (count === WARM_UP_JOB_COUNT) started = performance.now();
      if (count === WARM_UP_JOB_COUNT + JOBS_PER_ROUND) resolve();
    });
  });
  return performance.now() - started;
};

async function addJobsInBulk(
  side: MeasuredJobQueue,
  all: readonly { id: string; payload: BenchmarkJobPayload }[],
): Promise<void> {
  for (let first = 0; first < all.length; first += JOBS_PER_BULK_ADDITION)
    await side.addBulk(all.slice(first, first + JOBS_PER_BULK_ADDITION));
}

/**
 * Measures the job package or plain BullMQ once. First empties the queues, because remaining jobs would slow down later
 * runs.
 */
async function measureJobQueueOnce(
  redis: Redis,
  open: () => Promise<MeasuredJobQueue>,
  measure: JobQueueMeasurement,
): Promise<number> {
  await redis.flushall('SYNC');
  const side = await open();
  try {
    return await measure(side);
  } finally {
    await side.stop();
  }
}

/** Compares the job package with plain BullMQ in alternating rounds, because the speed of the machine varies. */
async function measureJobQueuesAlternately(
  title: string,
  redis: string,
  measure: JobQueueMeasurement,
): Promise<ComparisonResult> {
  const control = new Redis(redis);
  // With automatic rewrites of the append-only file, all rewrites would occur in the rounds of the same side.
  await control.config('SET', REDIS_AOF_REWRITE_SETTING, '0');
  const rates = { product: [] as number[], baseline: [] as number[] };
  for (let run = 0; run < WARM_UP_RUN_COUNT + MEASURED_RUN_COUNT; run += 1) {
    const spent = { product: 0, baseline: 0 };
    for (let index = 0; index < MEASUREMENT_ROUNDS_PER_RUN; index += 1) {
      spent.baseline += await measureJobQueueOnce(control, () => openBullMqQueue(redis), measure);
      spent.product += await measureJobQueueOnce(control, () => openJobPackageQueue(redis), measure);
    }
    if (run < WARM_UP_RUN_COUNT) continue;
    for (const side of ['product', 'baseline'] as const)
      rates[side].push((1_000 * MEASUREMENT_ROUNDS_PER_RUN * JOBS_PER_ROUND) / spent[side]);
  }
  await control.config('SET', REDIS_AOF_REWRITE_SETTING, '100');
  await control.quit();
  return computeComparison({ title, unit: 'jobs/s', target: { atLeast: 0.9 } }, rates.product, rates.baseline);
}

/** Measures how fast the job package adds and processes jobs, compared with plain BullMQ with the same settings. */
export async function measureJobPackage({ services }: BenchmarkServices): Promise<ComparisonResult[]> {
  return [
    await measureJobQueuesAlternately(
      `Jobs added one by one, ${CONCURRENT_JOB_ADDITIONS} concurrently`,
      services.redisUrl,
      measureSingleJobAdditions,
    ),
    await measureJobQueuesAlternately(
      `Jobs added in batches of ${JOBS_PER_BULK_ADDITION}`,
      services.redisUrl,
      measureBulkJobAdditions,
    ),
    await measureJobQueuesAlternately(
      `Jobs processed, ${JOB_CONCURRENCY} concurrently`,
      services.redisUrl,
      measureJobProcessing,
    ),
  ];
}
