import { existsSync, readFileSync, writeFileSync } from 'node:fs';

function readProcessMemoryKilobytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}

export const readResidentMemoryKilobytes = (pid: number): number => readProcessMemoryKilobytes(pid, 'VmRSS');

/**
 * Peak resident memory of another process since this object was created. The Linux kernel records the peak, so short
 * peaks are included.
 */
export class ProcessPeakMemory {
  readonly #before: number;

  constructor(private readonly pid: number) {
    // Resets the peak that the kernel has recorded; see proc_pid_clear_refs(5).
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    this.#before = readProcessMemoryKilobytes(pid, 'VmRSS');
  }

  /** Returns the peak memory of the process, and its increase since this object was created, in MB. Returns null if the process has ended. */
  readPeakAndIncreaseMb(): { readonly peakMb: number; readonly addedMb: number } | null {
    if (!existsSync(`/proc/${this.pid}/status`)) return null;
    const peak = readProcessMemoryKilobytes(this.pid, 'VmHWM');
    return { peakMb: peak / 1024, addedMb: (peak - this.#before) / 1024 };
  }
}

/**
 * Measures the peak memory of a process while `work` runs. Returns how much the peak exceeds the memory before `work`,
 * in MB.
 */
export async function measureAdditionalPeakMemory(pid: number, work: () => Promise<void>): Promise<number> {
  const memory = new ProcessPeakMemory(pid);
  await work();
  return memory.readPeakAndIncreaseMb()?.addedMb ?? Number.NaN;
}
