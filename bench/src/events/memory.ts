import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Resident memory of this process after its garbage is collected, in bytes. */
export function memoryHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') {
    collect();
    collect();
  }
  return process.memoryUsage().rss;
}
