import { z } from 'zod';
import { Jobs, type AddJobOptions, type JobDefinition, type JobMetrics, type JobsSettings } from '../src/index.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

export const payload = z.strictObject({ n: z.int() });

/** Short delays between attempts of a job, for tests. */
export const fastBackoff = { initialMs: 20, maxMs: 40 };

const running: Jobs[] = [];

/** Creates the `Jobs` object of one process of a service. By default the Redis keys have a unique prefix. */
export function makeJobs(definitions: JobsSettings['definitions'], options: Partial<JobsSettings> = {}): Jobs {
  const jobs = new Jobs({ redis: redisUrl, prefix: uniqueName(), definitions, stopGraceMs: 100, ...options });
  running.push(jobs);
  return jobs;
}

export async function stopJobs(): Promise<void> {
  await Promise.all(running.splice(0).map((jobs) => jobs.stop()));
}

/**
 * Adds a job, and retries while the first Redis connection is not open yet. A service adds jobs long after its start,
 * but a test does not.
 */
export async function add<P, I>(
  jobs: Jobs,
  job: JobDefinition<P, I>,
  of: I,
  options: AddJobOptions = {},
): Promise<void> {
  await until(() =>
    jobs.add(job, of, options).then(
      () => true,
      () => false,
    ),
  );
}

/** Returns the metrics of one kind of job. All metrics are zero while the process has no Redis connection. */
export async function metricsOf(jobs: Jobs, { name }: { name: string }): Promise<Omit<JobMetrics, 'job'>> {
  const all = await jobs.metrics().catch(() => []);
  const none = { waiting: 0, active: 0, delayed: 0, failed: 0, processed: { completed: 0, failed: 0 } };
  return all.find(({ job }) => job === name) ?? none;
}
