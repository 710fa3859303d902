import { createCrashListener, type ProcessKillFaultPoint, type FaultPointListener } from '../fault-points.js';

/** Error that simulates the death of a process in a test. */
export class SimulatedCrashError extends Error {
  override readonly name = 'SimulatedCrashError';

  constructor(readonly faultPoint: string) {
    super(`The process was killed at ${faultPoint}`);
  }
}

/**
 * Returns a listener that throws a {@link SimulatedCrashError} when a fault point is reached for the nth time. The
 * error simulates the death of the process, which continues to run. The listener is a value for the option `faultPoint`
 * of a test queue. `createCrashListener` kills a real process.
 */
export function simulateCrashAt(setting: ProcessKillFaultPoint): FaultPointListener {
  return createCrashListener(setting, () => {
    throw new SimulatedCrashError(setting.name);
  });
}

/** Names of the fault points that a test has reached, see {@link recordFaultPoints}. */
export interface RecordedFaultPoints {
  /** Names of the fault points in the order in which they were reached. */
  readonly names: readonly string[];
  /** Listener that records fault points; a value for the option `faultPoint`. */
  readonly faultPoint: FaultPointListener;
}

/**
 * Creates a listener that records the fault points which a test reaches. Other tests can then crash at each recorded
 * fault point.
 */
export function recordFaultPoints(): RecordedFaultPoints {
  const names: string[] = [];
  return { names, faultPoint: (name) => void names.push(name) };
}
