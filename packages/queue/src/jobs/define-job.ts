import { z } from 'zod';
import { assertMessageTypeName } from '../outbox/outbox-message-type.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { isCronExpression, type JobRepeatSchedule } from './job-repeat-schedule.js';

/**
 * Delay between two attempts of a job. The delay begins with `initialMs`, doubles with each attempt up to `maxMs`, and
 * is reduced by up to half at random.
 */
export interface JobRetryBackoff {
  initialMs: number;
  maxMs: number;
}

/**
 * Limit of a job's attempts per destination: a host, an account, or any other `key`. Jobs beyond a limit wait outside
 * the workers, so that jobs for other destinations are not delayed. Waiting does not count as an attempt.
 */
export interface RateLimit<P> {
  /** Returns the destination of a job with this payload; null if the rate limit does not apply to the job. */
  key: (payload: P) => string | null;
  /**
   * Maximum number of attempts per destination that may begin within any `perMs` milliseconds, over all processes of
   * the deployment. Default: unlimited.
   */
  max?: number;
  /** Period in which at most `max` attempts may begin, in milliseconds. */
  perMs?: number;
  /**
   * Maximum number of concurrent attempts per destination in one process. The limit leaves capacity for other
   * destinations when a destination is slow. Default: half the job's concurrency.
   */
  concurrency?: number;
}

/** A {@link RateLimit} in which all options have a value. Omitted options have their defaults. */
interface CompleteJobRateLimit<P> {
  readonly key: (payload: P) => string | null;
  readonly concurrency: number;
  /** Maximum number of attempts per destination in a period; null without this limit. */
  readonly rate: { readonly max: number; readonly perMs: number } | null;
}

/**
 * Options of {@link defineJob}. `I` is the input of the schema and `P` the output. The types differ if the schema
 * transforms the input.
 */
export interface JobOptions<P, I = P> {
  /** Name of the kind of job, made of letters, digits, `.`, `_` and `-`; for example `webhooks.deliver`. */
  name: string;
  /** Schema of the job's payload. The input of the schema must be representable as JSON; dates are also supported. */
  payload: z.ZodType<P, I>;
  /** Maximum number of attempts to run a job, including the first. Default 5. */
  attempts?: number;
  /** Delays between attempts of a job. Default: from 1 s to 5 minutes. */
  backoff?: JobRetryBackoff;
  /** Maximum number of jobs of this kind that run concurrently in one process. Default 10. */
  concurrency?: number;
  /** Limit of the jobs' attempts per destination. Default: no limit. */
  rateLimit?: RateLimit<P>;
  /**
   * Time limit of an attempt, in milliseconds. When the time has passed, the signal of the attempt is aborted and the
   * attempt fails. Default 60,000.
   */
  timeoutMs?: number;
  /**
   * Function that returns true for errors after which further attempts are useless, in addition to
   * {@link FinalJobError}.
   */
  finalErrors?: (error: unknown) => boolean;
  /** Schedule by which the job is added repeatedly: once for all processes together. Default: the job is not repeated. */
  repeat?: JobRepeatSchedule<I>;
  /**
   * Time in seconds for which a completed job is retained after its end. Another job with an equal id is ignored during
   * this time. Default: one hour.
   */
  keepCompletedSeconds?: number;
}

/** Definition of a kind of job in which all options have a value. */
export interface JobDefinition<P, I = P> extends Readonly<Required<Omit<JobOptions<P, I>, 'rateLimit' | 'repeat'>>> {
  readonly rateLimit: CompleteJobRateLimit<P> | null;
  readonly repeat: Readonly<JobRepeatSchedule<I>> | null;
}

/** Error that a job handler throws for a permanent failure. The job is not retried. */
export class FinalJobError extends Error {
  override readonly name: string = 'FinalJobError';
}

/** Error of a job that has failed permanently because an operator ended its attempt ({@link Jobs.cancel}). */
export class JobCancelledError extends FinalJobError {
  override readonly name = 'JobCancelledError';
}

/**
 * Error of an attempt that took longer than the job's definition allows. The attempt counts as failed and the job is
 * retried.
 */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
}

/**
 * Error with which the signal of a job attempt is aborted when the process stops. The job returns to the queue and runs
 * in another process; the attempt is not counted.
 */
export class WorkerStoppingError extends Error {
  override readonly name = 'WorkerStoppingError';
}

/**
 * Defines a kind of job.
 *
 * @throws QueueUsageError on a bad name, number, cron expression or repeated payload
 */
export function defineJob<P, I>(options: JobOptions<P, I>): JobDefinition<P, I> {
  assertMessageTypeName('Job', options.name);
  const { rateLimit, repeat, ...given } = options;
  const definition = {
    attempts: 5,
    backoff: { initialMs: 1_000, maxMs: 300_000 },
    concurrency: 10,
    timeoutMs: 60_000,
    finalErrors: () => false,
    keepCompletedSeconds: 3_600,
    ...given,
  };
  const { attempts, concurrency, timeoutMs } = definition;
  assertIntegerOptions(options.name, { attempts, concurrency, timeoutMs });
  const limit = rateLimit ? toCompleteJobRateLimit(options.name, rateLimit, Math.ceil(concurrency / 2)) : null;
  if (repeat) assertJobRepeatOption(definition, repeat);
  return { ...definition, rateLimit: limit, repeat: repeat ?? null };
}

function toCompleteJobRateLimit<P>(name: string, rateLimit: RateLimit<P>, half: number): CompleteJobRateLimit<P> {
  const { key, max, perMs, concurrency = half } = rateLimit;
  const where = `${name}, rateLimit`;
  assertIntegerOptions(where, { concurrency });
  if (max === undefined && perMs === undefined) return { key, concurrency, rate: null };
  const rate = { max: max ?? 0, perMs: perMs ?? 0 };
  assertIntegerOptions(where, rate);
  return { key, concurrency, rate };
}

function assertIntegerOptions(where: string, numbers: Record<string, number>): void {
  for (const [key, value] of Object.entries(numbers)) {
    if (!Number.isInteger(value) || value < 1) {
      throw new QueueUsageError(`Job ${where}: ${key} must be an integer from 1`);
    }
  }
}

function assertJobRepeatOption<I>(
  { name, payload }: { name: string; payload: z.ZodType<unknown, I> },
  repeat: JobRepeatSchedule<I>,
): void {
  if ('everyMs' in repeat) assertIntegerOptions(`${name}, repeat`, { everyMs: repeat.everyMs });
  else if (!isCronExpression(repeat)) throw new QueueUsageError(`Job ${name}: ${repeat.cron} is not a cron expression`);
  const parsed = payload.safeParse(repeat.payload);
  if (!parsed.success) {
    throw new QueueUsageError(
      `Job ${name}: the repeated payload does not match the schema: ${z.prettifyError(parsed.error)}`,
    );
  }
}

/**
 * Returns the delay before attempt `failures + 1` of a job, in milliseconds. The full delay doubles with each failure.
 * The result is a random value in the upper half of the full delay, so that jobs that failed together are not retried
 * together. `random` is in [0, 1).
 */
export function computeBackoffDelayMs(backoff: JobRetryBackoff, failures: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.initialMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(full * (1 - random / 2));
}
