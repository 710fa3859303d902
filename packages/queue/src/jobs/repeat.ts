import { defaultRepeatStrategy, type JobsOptions, type RepeatOptions } from 'bullmq';
import { markDates } from '../payload-json.js';
import type { JobData } from './attempt.js';

/**
 * When a job is added by itself, and with which payload: every so many milliseconds, the first time at once; or by a
 * cron expression of five fields (six with seconds first) in a time zone, UTC by default. A time at which no worker
 * ran is made up for once.
 */
export type Repeat<P> = { payload: P } & ({ everyMs: number } | { cron: string; timeZone?: string });

/** The schedule that a definition requires in Redis. Schedules with one fingerprint are the same schedule. */
export interface Schedule {
  readonly fingerprint: string;
  readonly when: RepeatOptions;
  readonly template: { name: string; data: JobData; opts: JobsOptions };
}

/** The schedule of a job's definition. */
export function scheduleOf<P>(name: string, repeat: Repeat<P>, opts: JobsOptions): Schedule {
  const data: JobData = { payload: markDates(repeat.payload), context: {} };
  const when = repeatOptions(repeat);
  return { fingerprint: JSON.stringify([when, data, opts]), when, template: { name, data, opts } };
}

/** Whether there is a time at which a cron expression is due. */
export function isCron(repeat: { cron: string; timeZone?: string }): boolean {
  try {
    return typeof defaultRepeatStrategy(Date.now(), repeatOptions(repeat)) === 'number';
  } catch {
    return false;
  }
}

const repeatOptions = (repeat: { everyMs: number } | { cron: string; timeZone?: string }): RepeatOptions =>
  'everyMs' in repeat ? { every: repeat.everyMs } : { pattern: repeat.cron, tz: repeat.timeZone ?? 'UTC' };
