import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isProcessRunning } from '../../../packages/local-services/node-only/process-identity.mjs';
import { pause } from '../abortable-pause.js';

/** Returns the ids of a process and of all its descendant processes. */
export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of process.platform === 'linux' ? linuxParents() : parentPids()) {
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found = [pid];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/**
 * Returns pairs of process id and parent process id from `/proc`. Does not use the program `ps`, which small systems
 * lack.
 */
function linuxParents(): [number, number][] {
  return readdirSync('/proc').flatMap((name): [number, number][] => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'utf8') : '';
      // The second field is a name in parentheses that may contain spaces; the fourth is the parent (proc(5)).
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      return parent === undefined ? [] : [[Number(name), Number(parent)]];
    } catch {
      return [];
    }
  });
}

function parentPids(): [number, number][] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return table.map((line) => {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return [child, parent];
  });
}

/** Sends a signal to those of the given processes that still exist. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/**
 * Waits until none of the given processes exists.
 *
 * @throws Error after ten seconds
 */
export async function waitForExitOfAll(pids: readonly number[]): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (pids.some((pid) => isProcessRunning(pid))) {
    if (Date.now() > deadline) throw new Error(`processes ${pids.join(', ')} do not end`);
    await pause(20);
  }
}
