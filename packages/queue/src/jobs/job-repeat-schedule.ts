import { defaultRepeatStrategy, type JobsOptions, type RepeatOptions } from 'bullmq';
import { encodeDatesForJson } from '../payload-json.js';
import type { StoredJobData } from './job-attempt.js';

/**
 * Schedule and payload of a repeating job. The schedule is an interval in milliseconds, with an immediate first run, or
 * a cron expression in a time zone (default UTC). A cron expression has five fields, or six with seconds first. If no
 * worker ran at some scheduled times, the job runs once afterwards.
 */
export type JobRepeatSchedule<P> = { payload: P } & ({ everyMs: number } | { cron: string; timeZone?: string });

/** Schedule of a repeating job as stored in Redis. Two schedules with equal fingerprints are equal. */
export interface StoredJobSchedule {
  readonly fingerprint: string;
  readonly when: RepeatOptions;
  readonly template: { name: string; data: StoredJobData; opts: JobsOptions };
}

/** Converts the schedule in a job's definition to the form that is stored in Redis. */
export function toStoredJobSchedule<P>(
  name: string,
  repeat: JobRepeatSchedule<P>,
  opts: JobsOptions,
): StoredJobSchedule {
  const data: StoredJobData = { payload: encodeDatesForJson(repeat.payload), context: {} };
  const when = toBullMqRepeatOptions(repeat);
  return { fingerprint: JSON.stringify([when, data, opts]), when, template: { name, data, opts } };
}

/** Returns true if the text in `cron` is a valid cron expression. */
export function isCronExpression(repeat: { cron: string; timeZone?: string }): boolean {
  try {
    return typeof defaultRepeatStrategy(Date.now(), toBullMqRepeatOptions(repeat)) === 'number';
  } catch {
    return false;
  }
}

const toBullMqRepeatOptions = (repeat: { everyMs: number } | { cron: string; timeZone?: string }): RepeatOptions =>
  'everyMs' in repeat ? { every: repeat.everyMs } : { pattern: repeat.cron, tz: repeat.timeZone ?? 'UTC' };
