import { openSync, readSync } from 'node:fs';

/**
 * Clocks that measure the duration of rendering, in milliseconds. Only differences between two readings have a meaning.
 */
export interface WorkClock {
  /** Returns the time of a monotonic clock. */
  readonly nowMs: () => number;
  /** Returns the processor time. Reading it takes longer than reading the clock. */
  readonly processorMs: () => number;
}

/**
 * Clocks of this thread. If the system does not provide the processor time of a thread, the processor time of the
 * process is used. Node 20 has no function for the time of a thread.
 */
export const threadClock: WorkClock = {
  nowMs: () => performance.now(),
  processorMs: createThreadTimeReader() ?? readProcessMs,
};

/**
 * Returns a function that reads the processor time of this thread, or returns null on systems without that time. The
 * file stays open, because opening it takes ten times as long as reading it.
 */
function createThreadTimeReader(): (() => number) | null {
  const bytes = Buffer.alloc(64);
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    // The first number is the time in nanoseconds. Kernels that do not measure it list zeros.
    const read = (): number =>
      parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;
    return read() > 0 ? read : null;
  } catch {
    return null;
  }
}

function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
