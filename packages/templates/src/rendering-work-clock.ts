import { openSync, readSync } from 'node:fs';

/**
 * Clocks that measure the duration of rendering, in milliseconds. A single reading has no meaning; only the difference
 * between two readings has.
 */
export interface RenderingWorkClock {
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /**
   * Returns the consumed processor time in milliseconds. A read of the processor time takes longer than a read of the
   * clock.
   */
  readonly processorMs: () => number;
}

/**
 * Clocks of this thread. If the system does not provide the processor time of a thread, the processor time of the
 * process is used. Node 20 has no function that returns the processor time of a thread.
 */
export const threadWorkClock: RenderingWorkClock = {
  nowMs: () => performance.now(),
  processorMs: createThreadTimeReader() ?? readProcessorTimeMs,
};

/**
 * Returns a function that reads the processor time of this thread from a system file. Returns null on systems without
 * this file. The file remains open, because opening the file takes ten times as long as reading.
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

function readProcessorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
