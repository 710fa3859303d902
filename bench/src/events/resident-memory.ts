import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage, and returns the resident memory of this process in bytes. */
export function measureResidentMemoryAfterGc(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') {
    collect();
    collect();
  }
  return process.memoryUsage().rss;
}
