import { createCrashListener, type FaultPointSetting, type OnFaultPoint } from '../fault-points.js';

/** Error that stands for the death of a process in a test. */
export class SimulatedCrashError extends Error {
  override readonly name = 'SimulatedCrashError';

  constructor(readonly faultPoint: string) {
    super(`The process was killed at ${faultPoint}`);
  }
}

/**
 * Returns a listener that simulates the death of the process when it reaches a fault point for the nth time, without
 * ending it: a {@link SimulatedCrashError} is thrown there. For the option `faultPoint` of a test queue; `createCrashListener` kills a
 * real process.
 */
export function simulateCrashAt(setting: FaultPointSetting): OnFaultPoint {
  return createCrashListener(setting, () => {
    throw new SimulatedCrashError(setting.name);
  });
}

/** Fault points that were reached, see {@link recordFaultPoints}. */
export interface RecordedFaultPoints {
  /** Names of the fault points in the order in which they were reached. */
  readonly names: readonly string[];
  /** Listener for the option `faultPoint`. */
  readonly faultPoint: OnFaultPoint;
}

/** Creates a listener that records the fault points which a test reaches, so that others can crash at each of them. */
export function recordFaultPoints(): RecordedFaultPoints {
  const names: string[] = [];
  return { names, faultPoint: (name) => void names.push(name) };
}
