import type { Job, Queue } from 'bullmq';
import { formatErrorText, type QueueLogger } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { closeRedis, connectRedis, type RedisClient } from '../redis.js';
import type { RedisTarget } from '../redis-target.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId, listPossibleStoredJobIds } from './job-ids.js';

/** A running job in the form that operators see. */
export interface ActiveJob {
  /** Name of the kind of the running job. */
  job: string;
  id: string;
  payload: unknown;
  startedAt: Date;
  /**
   * Name of the process that runs the job: a process in `Jobs.workers()`, or a process that has died. Null for a moment
   * when the job starts.
   */
  worker: string | null;
}

/** Message that requests a process to end an attempt of a job. */
interface CancelJobMessage {
  readonly job: string;
  readonly storedId: string;
}

const getJobCancellationChannelName = (root: string): string => `${root}cancel`;

/**
 * Returns the name of the Redis channel on which a message is sent whenever an operator has paused or resumed a kind of
 * job.
 */
const getJobPauseChannelName = (root: string): string => `${root}pauses`;

/** Callbacks for the messages that operators send to worker processes. */
export interface OperatorMessageCallbacks {
  /** Ends the attempt of a job if this process runs the job. */
  cancel(job: string, storedId: string): void;
  /** Reads the list of paused kinds of jobs again, because an operator has changed the list. */
  pausesChanged(): void;
}

/**
 * Listens for messages of operators to worker processes, on a separate Redis connection. Returns a function that stops
 * listening.
 */
export function listenToOperatorMessages(
  target: RedisTarget,
  root: string,
  listener: OperatorMessageCallbacks,
  logger: QueueLogger,
): () => Promise<void> {
  const redis = connectRedis(target, 'subscriber', logger);
  redis.on('message', (channel: string, text: string) => {
    if (channel === getJobPauseChannelName(root)) return listener.pausesChanged();
    const { job, storedId } = JSON.parse(text) as CancelJobMessage;
    listener.cancel(job, storedId);
  });
  redis.subscribe(getJobCancellationChannelName(root), getJobPauseChannelName(root)).catch((error: unknown) => {
    logger.debug({ error: formatErrorText(error) }, 'worker subscription failed');
  });
  return () => closeRedis(redis);
}

/** Returns the running jobs of one kind of job. */
export async function listActiveJobs(queue: Queue<StoredJobData>): Promise<ActiveJob[]> {
  const jobs: (Job<StoredJobData> | undefined)[] = await queue.getActive();
  return jobs.flatMap((job) =>
    // The job ended between two reads of the list.
    job === undefined
      ? []
      : {
          job: job.name,
          id: toAddedJobId(job.id),
          payload: decodeDatesInJsonValue(job.data.payload),
          startedAt: new Date(job.processedOn ?? job.timestamp),
          worker: job.processedBy ?? null,
        },
  );
}

/**
 * Requests that the process that runs a job ends its attempt. Returns false if the job is not running or no process
 * listens for messages of operators.
 */
export async function requestJobCancellation(
  queue: Queue<StoredJobData>,
  redis: RedisClient,
  root: string,
  id: string,
): Promise<boolean> {
  const ask = (storedId: string): Promise<number> => {
    const message: CancelJobMessage = { job: queue.name, storedId };
    return redis.publish(getJobCancellationChannelName(root), JSON.stringify(message));
  };
  for (const storedId of listPossibleStoredJobIds(id)) {
    const state = await queue.getJobState(storedId);
    if (state === 'active') return (await ask(storedId)) > 0;
    // Inline work has no job in Redis, so its id is unknown there.
    if (state === 'unknown') await ask(storedId);
  }
  return false;
}

/** Pauses or resumes a kind of job in all processes. */
export async function pauseOrResumeJobKind(
  queue: Queue<StoredJobData>,
  redis: RedisClient,
  root: string,
  isPaused: boolean,
): Promise<void> {
  if (isPaused) await queue.pause();
  else await queue.resume();
  await redis.publish(getJobPauseChannelName(root), queue.name);
}
