/**
 * The points of this package at which a test may end the process, those of docs/contract/event-log.md 9 and two of
 * the outbox. Each is passed with the work before it done and the work after it not begun.
 *
 * - `event-log.after-a`: rows have their numbers, committed
 * - `event-log.after-b`: numbered rows are in hand, about to be appended
 * - `event-log.after-c`: they are appended, nobody in this process knows
 * - `event-log.before-d`: rows whose entries are safe are about to be deleted
 * - `event-log.between-2-and-3`, `event-log.between-3-and-4`: a queue is recorded; its snapshot is read
 * - `outbox.after-commit`: rows are committed, nobody is told (event log rows may have their numbers, see `flush`)
 * - `outbox.after-dispatch`: rows are dispatched and deleted, what follows the commit is not done
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

/** Receives the name of each passed fault point. A service may have points in addition to {@link faultPoints}. */
export type OnFaultPoint = (name: string) => void;

/** Name of a fault point, and which passing of it counts, from 1. */
export interface FaultPointSetting {
  name: string;
  nth: number;
}

/**
 * For fault tests: kills this process when it passes the point for the nth time.
 * @param kill ends the process; by default SIGKILL to itself
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
