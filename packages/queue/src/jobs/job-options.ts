import type { JobsOptions } from 'bullmq';
import type { JobDefinition } from './define-job.js';
import { MAX_FAILED_JOBS } from './failed-jobs.js';

/**
 * Maximum number of completed jobs that are retained per kind of job. Beyond this number the oldest completed jobs are
 * removed.
 */
const MAX_COMPLETED_JOBS = 10_000;

const bullOptionsByDefinition = new WeakMap<object, JobsOptions>();

/**
 * Returns BullMQ's options for the jobs of a kind. The options are created once per kind, because thousands of jobs may
 * be added.
 */
export function getBullMqOptions<P>(definition: JobDefinition<P, unknown>): JobsOptions {
  const known = bullOptionsByDefinition.get(definition);
  if (known) return known;
  const { attempts, keepCompletedSeconds } = definition;
  const options: JobsOptions = {
    attempts,
    backoff: { type: 'definition' },
    removeOnComplete: { age: keepCompletedSeconds, count: MAX_COMPLETED_JOBS },
    removeOnFail: { count: MAX_FAILED_JOBS },
  };
  bullOptionsByDefinition.set(definition, options);
  return options;
}
