import { setTimeout as delay } from 'node:timers/promises';

/** Waits. Returns before the time, without an error, if the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
