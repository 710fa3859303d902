import type { JobsOptions } from 'bullmq';
import type { JobDefinition } from './define-job.js';
import { MAX_FAILED_JOBS } from './failed-jobs.js';

/**
 * Maximum number of completed jobs that are retained per kind of job. Beyond this number the oldest completed jobs are
 * removed.
 */
const MAX_RETAINED_COMPLETED_JOBS = 10_000;

const bullOptionsByJobDefinition = new WeakMap<object, JobsOptions>();

/**
 * Returns BullMQ's options for the jobs of a kind. The options are created once per kind, because thousands of jobs may
 * be added.
 */
export function getBullMqJobOptions<P>(definition: JobDefinition<P, unknown>): JobsOptions {
  const known = bullOptionsByJobDefinition.get(definition);
  if (known) return known;
  const { attempts, keepCompletedSeconds } = definition;
  const options: JobsOptions = {
    attempts,
    backoff: { type: 'definition' },
    removeOnComplete: { age: keepCompletedSeconds, count: MAX_RETAINED_COMPLETED_JOBS },
    removeOnFail: { count: MAX_FAILED_JOBS },
  };
  bullOptionsByJobDefinition.set(definition, options);
  return options;
}
