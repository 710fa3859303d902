import { readFileSync, writeFileSync } from 'node:fs';

function kilobytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}

/**
 * Megabytes that a process takes at most while `work` runs, beyond what it takes before. From Linux itself, which misses
 * no moment.
 */
export async function peakMemoryOf(pid: number, work: () => Promise<void>): Promise<number> {
  // Makes the kernel forget the peak so far; see proc_pid_clear_refs(5).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = kilobytes(pid, 'VmRSS');
  await work();
  return (kilobytes(pid, 'VmHWM') - before) / 1024;
}
