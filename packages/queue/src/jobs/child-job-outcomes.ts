import type { Job } from 'bullmq';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { toAddedJobId } from './job-ids.js';

/** Outcome of a child job, for which a parent job has waited. */
export interface ChildJobOutcome {
  /** Name of the kind of the child job. */
  readonly job: string;
  readonly id: string;
  /** Result of a completed child job; null for a failed child job. */
  readonly result: unknown;
  /** Error of a failed child job whose failure the parent ignores; null for a completed child job. */
  readonly error: string | null;
}

export async function readChildJobOutcomes(
  job: Pick<Job, 'getChildrenValues' | 'getIgnoredChildrenFailures'>,
): Promise<ChildJobOutcome[]> {
  const [values, failures] = await Promise.all([job.getChildrenValues(), job.getIgnoredChildrenFailures()]);
  return [
    ...Object.entries(values).map(([key, result]) => ({
      ...parseRedisJobKey(key),
      result: decodeDatesInJsonValue(result),
      error: null,
    })),
    ...Object.entries(failures).map(([key, error]) => ({ ...parseRedisJobKey(key), result: null, error })),
  ];
}

/** Returns the parts of a Redis key of a job: `{prefix}:name:id`. Names and stored ids contain no colon. */
function parseRedisJobKey(key: string): { job: string; id: string } {
  const parts = key.split(':');
  return { job: parts.at(-2) ?? '', id: toAddedJobId(parts.at(-1)) };
}
