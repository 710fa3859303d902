import type { Queue } from 'bullmq';
import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { StoredJobData } from './job-attempt.js';
import type { StoredJobSchedule } from './job-repeat-schedule.js';

export interface JobScheduleReconcilerOptions {
  /**
   * Redis connection for schedules. The queues have a separate connection, because their scripts must be defined before
   * any other command is sent.
   */
  redis: RedisClient;
  /** Key of the Redis hash in which the fingerprint of each job's schedule is stored. */
  registryKey: string;
  /** Job schedules that Redis should contain, by name of the kind of job. */
  requested: ReadonlyMap<string, StoredJobSchedule>;
  /** Function that returns the queue of a kind of job. Throws while Redis is unavailable. */
  queue: (name: string) => Queue<StoredJobData>;
  clock: QueueClock;
  logger: QueueLogger;
}

/** Interval between two checks of the job schedules in Redis, in milliseconds. */
const SCHEDULE_CHECK_INTERVAL_MS = 60_000;

/** Delay after a failed check of the job schedules in Redis, in milliseconds. */
const SCHEDULE_RETRY_DELAY_MS = 250;

/**
 * Stores the schedules of repeating jobs in Redis, so that the stored schedules equal the definitions of the jobs. Each
 * job has one schedule, so that the job runs once per deployment. The start of a process adds changed schedules and
 * removes schedules without a definition. Later checks restore only schedules that Redis has lost, so that in a rolling
 * deployment the newest start decides.
 */
export class JobScheduleReconciler {
  private timer: unknown;
  private stopped = false;
  private begun = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: JobScheduleReconcilerOptions) {}

  startScheduleChecks(): void {
    this.scheduleNextCheck(0);
    // Redis may have lost its data while it was disconnected.
    this.options.redis.on('ready', () => this.scheduleNextCheck(0));
  }

  /** Stops the checks of job schedules. A running check ends when the Redis connections close. */
  stopScheduleChecks(): void {
    this.stopped = true;
    this.options.clock.clearTimeout(this.timer);
  }

  private scheduleNextCheck(delayMs: number): void {
    const { clock, logger } = this.options;
    if (this.stopped) return;
    clock.clearTimeout(this.timer);
    this.timer = clock.setTimeout(() => {
      this.running = this.running
        .then(() => this.reconcileStoredSchedules())
        .then(() => this.scheduleNextCheck(SCHEDULE_CHECK_INTERVAL_MS))
        .catch((error: unknown) => {
          logger.debug({ error: formatErrorText(error) }, 'schedules of repeating jobs could not be updated');
          this.scheduleNextCheck(SCHEDULE_RETRY_DELAY_MS);
        });
    }, delayMs);
  }

  private async reconcileStoredSchedules(): Promise<void> {
    if (this.stopped) return;
    const { redis, registryKey, requested, queue, logger } = this.options;
    const known = await redis.hgetall(registryKey);
    const decides = !this.begun || Object.keys(known).length === 0;
    for (const [name, { fingerprint, when, template }] of requested) {
      const isCurrent = known[name] === fingerprint;
      if (!isCurrent && !decides) continue;
      if (isCurrent && (await queue(name).getJobScheduler(name))) continue;
      await queue(name).upsertJobScheduler(name, when, template);
      // The fingerprint is stored last: if the process dies before, the next start schedules the job again.
      await redis.hset(registryKey, name, fingerprint);
      logger.info({ job: name, when }, 'repeating job scheduled');
    }
    for (const name of decides ? Object.keys(known) : []) {
      if (requested.has(name)) continue;
      await queue(name).removeJobScheduler(name);
      await redis.hdel(registryKey, name);
      logger.info({ job: name }, 'repeating job unscheduled');
    }
    this.begun = true;
  }
}
