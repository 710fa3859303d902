/**
 * Points of this package at which a test may kill the process: those of docs/contract/event-log.md 9, two of the outbox
 * and three of jobs. At each point, the work before the point is done and the work after the point has not begun.
 *
 * - `event-log.after-a`: rows are numbered and committed
 * - `event-log.after-b`: numbered rows were read and are about to be appended
 * - `event-log.after-c`: the rows are appended, and this process has not recorded the append yet
 * - `event-log.before-d`: rows whose entries are durable are about to be deleted
 * - `event-log.between-2-and-3`, `event-log.between-3-and-4`: a queue is recorded; its snapshot is read
 * - `jobs.after-claim`: the periodic check has claimed rows of jobs and has not looked for the jobs in Redis
 * - `jobs.after-work`: the handler of a job is done, and the row of the job remains
 * - `jobs.after-removal`: the row of a job is removed, and the job is not completed in Redis
 * - `outbox.after-commit`: rows are committed and no dispatcher is notified (event log rows may have their numbers, see
 * `flush`)
 * - `outbox.after-dispatch`: rows are dispatched and deleted; the after-commit work is not done
 */
export const faultPoints = [
  'event-log.after-a',
  'event-log.after-b',
  'event-log.after-c',
  'event-log.before-d',
  'event-log.between-2-and-3',
  'event-log.between-3-and-4',
  'jobs.after-claim',
  'jobs.after-work',
  'jobs.after-removal',
  'outbox.after-commit',
  'outbox.after-dispatch',
] as const;

/** Name of a fault point in {@link faultPoints}. */
export type FaultPoint = (typeof faultPoints)[number];

/**
 * Function called with the name of each fault point that the process reaches. A service may have more fault points than
 * {@link faultPoints}.
 */
export type FaultPointListener = (name: string) => void;

/** Name of a fault point at which the process is killed, and the number of the visit (from 1) at which this happens. */
export interface ProcessKillFaultPoint {
  name: string;
  nth: number;
}

/**
 * Returns a listener that kills this process when it reaches the fault point for the nth time. Fault tests use the
 * listener.
 *
 * @param kill function that ends the process; by default SIGKILL to itself
 */
export function createCrashListener(
  { name, nth }: ProcessKillFaultPoint,
  kill: () => void = killProcess,
): FaultPointListener {
  let passed = 0;
  return (point) => {
    if (point === name && (passed += 1) === nth) kill();
  };
}

/**
 * Kills this process with SIGKILL. Never returns, because the process may run some more statements before the signal
 * arrives.
 */
function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
