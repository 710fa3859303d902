import { randomUUID } from 'node:crypto';
import { Queue, Worker, type JobsOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { JOB_CONCURRENCY, type BenchmarkJobPayload, type MeasuredJobQueue } from './measured-job-queue.js';

/** Options of a BullMQ job. The options equal the default options of the job package. */
const baselineJobOptions: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
  removeOnComplete: { age: 3_600, count: 10_000 },
  removeOnFail: { count: 10_000 },
};

/**
 * Creates the queue with which the benchmark compares the job package. It consists of a BullMQ queue and worker as in
 * the BullMQ documentation, with the settings of the job package.
 */
export async function openBullMqQueue(url: string): Promise<MeasuredJobQueue> {
  // As long as the product's prefix, because keys are half of the bytes sent.
  const prefix = `{bench-${randomUUID()}.jobs.bench}`;
  const adding = new Redis(url, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const working = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue<BenchmarkJobPayload>('bench', { connection: adding, prefix });
  await queue.waitUntilReady();
  let worker: Worker<BenchmarkJobPayload> | undefined;
  return {
    add: async (id, payload) => {
      await queue.add('bench', payload, { ...baselineJobOptions, jobId: id });
    },
    addBulk: async (jobs) => {
      await queue.addBulk(
        jobs.map(({ id, payload }) => ({ name: 'bench', data: payload, opts: { ...baselineJobOptions, jobId: id } })),
      );
    },
    work: (done) => {
      worker = new Worker<BenchmarkJobPayload>('bench', async (job) => done(job.data), {
        connection: working,
        prefix,
        concurrency: JOB_CONCURRENCY,
      });
    },
    stop: async () => {
      await worker?.close();
      await queue.close();
      await Promise.all([adding.quit(), working.quit()]);
    },
  };
}
