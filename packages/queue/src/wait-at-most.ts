import type { QueueClock } from './environment.js';

/** Waits until a promise has settled, but at most `timeoutMs` milliseconds. Ignores the result of the promise. */
export async function waitAtMost(timeoutMs: number, promise: Promise<unknown>, clock: QueueClock): Promise<void> {
  let timer: unknown;
  const timeout = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise.catch(() => {}), timeout]);
  clock.clearTimeout(timer);
}
