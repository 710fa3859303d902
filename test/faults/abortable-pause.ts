import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the given number of milliseconds. Returns early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
