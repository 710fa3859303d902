import type { JobsOptions } from 'bullmq';
import type { JobDefinition } from './define-job.js';
import { KEEP_FAILED } from './failed-jobs.js';

/** Maximum completed jobs retained per kind of job; the oldest are removed. */
const KEEP_COMPLETED = 10_000;

const optionsByDefinition = new WeakMap<object, JobsOptions>();

/** Returns BullMQ's options for every job of a kind. They are created once, because jobs are added by the thousand. */
export function optionsOf<P>(definition: JobDefinition<P, unknown>): JobsOptions {
  const known = optionsByDefinition.get(definition);
  if (known) return known;
  const { attempts, keepCompletedSeconds } = definition;
  const options: JobsOptions = {
    attempts,
    backoff: { type: 'definition' },
    removeOnComplete: { age: keepCompletedSeconds, count: KEEP_COMPLETED },
    removeOnFail: { count: KEEP_FAILED },
  };
  optionsByDefinition.set(definition, options);
  return options;
}
