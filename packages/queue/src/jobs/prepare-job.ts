import type { JobsOptions } from 'bullmq';
import type { TraceContext } from '../environment.js';
import { serializePayload } from '../payload-json.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { JobDefinition } from './define-job.js';
import { toStoredJobId } from './job-ids.js';
import { getBullMqJobOptions } from './job-options.js';
import type { JobPreparedForBullMq } from './job-queues.js';
import type { AddJobOptions } from './jobs-settings.js';

/** Priority of bulk jobs in BullMQ, which is the lowest priority. BullMQ runs jobs that have no priority first. */
const bulkJobPriority = 2_097_151;

/** Number of the lowest priority that a service can give to a job. */
const MAX_JOB_PRIORITY_NUMBER = 1_000_000;

/**
 * Returns a job in the form in which BullMQ stores the job.
 *
 * @param context function that returns the trace fields for a job whose options have no trace fields
 * @throws ZodError when the payload does not match the schema
 * @throws QueueUsageError for an invalid priority, or a payload that cannot be written as JSON
 */
export function prepareJobForBullMq<P, I>(
  definition: JobDefinition<P, I>,
  payload: I,
  options: AddJobOptions,
  context: () => TraceContext,
): JobPreparedForBullMq {
  const { id, delayMs, priority, isBulk } = options;
  const data = { payload: serializePayload(definition.payload, payload).stored, context: options.context ?? context() };
  const opts: JobsOptions = { ...getBullMqJobOptions(definition), jobId: toStoredJobId(id) };
  if (delayMs !== undefined) opts.delay = delayMs;
  if (priority !== undefined) opts.priority = assertValidJobPriority(priority);
  if (isBulk === true) opts.priority = bulkJobPriority;
  return { name: definition.name, data, opts };
}

/** @throws QueueUsageError for a number that is not a valid job priority */
function assertValidJobPriority(priority: number): number {
  if (Number.isInteger(priority) && priority >= 1 && priority <= MAX_JOB_PRIORITY_NUMBER) return priority;
  throw new QueueUsageError(`The priority of a job must be an integer from 1 to ${MAX_JOB_PRIORITY_NUMBER}`);
}
