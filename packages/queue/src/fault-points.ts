/**
 * Points of this package at which a test may kill the process: those of docs/contract/event-log.md 9 and two of the
 * outbox. At each point the work before it is done and the work after it has not begun.
 *
 * - `event-log.after-a`: rows are numbered and committed
 * - `event-log.after-b`: numbered rows were read and are about to be appended
 * - `event-log.after-c`: the rows are appended, and this process has not recorded it yet
 * - `event-log.before-d`: rows whose entries are durable are about to be deleted
 * - `event-log.between-2-and-3`, `event-log.between-3-and-4`: a queue is recorded; its snapshot is read
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
  'outbox.after-commit',
  'outbox.after-dispatch',
] as const;

/** One of {@link faultPoints}. */
export type FaultPoint = (typeof faultPoints)[number];

/**
 * Function called with the name of each fault point that the process reaches. A service may have more fault points than
 * {@link faultPoints}.
 */
export type OnFaultPoint = (name: string) => void;

/** Name of a fault point, and the number of times (from 1) after which reaching it kills the process. */
export interface FaultPointSetting {
  name: string;
  nth: number;
}

/**
 * Returns a listener that kills this process when it reaches the fault point for the nth time. For fault tests.
 *
 * @param kill function that ends the process; by default SIGKILL to itself
 */
export function crashAt(
  { name, nth }: FaultPointSetting,
  kill: () => void = () => process.kill(process.pid, 'SIGKILL'),
): OnFaultPoint {
  let passed = 0;
  return (point) => {
    if (point === name && (passed += 1) === nth) kill();
  };
}
