import { pause } from '../abortable-pause.js';

/** A load whose acknowledged writes can be counted. */
interface CountedWrites {
  readonly writes: number;
}

const checkMs = 10;

/** Measures the times at which the writes of a load are acknowledged, with a resolution of 10 ms. */
export class WriteTimes {
  /** Longest time between two successive acknowledged writes, in milliseconds. */
  longestGapMs = 0;
  #count = 0;
  #lastAt = performance.now();

  constructor(private readonly load: CountedWrites) {}

  /** Measures the writes of the load until the signal is aborted. */
  async watch(signal: AbortSignal): Promise<void> {
    this.#lastAt = performance.now();
    for (; !signal.aborted; await pause(checkMs, signal)) {
      if (this.load.writes === this.#count) continue;
      const now = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastAt);
      this.#count = this.load.writes;
      this.#lastAt = now;
    }
  }
}

/** Waits for further acknowledged writes of a load. Returns the duration of the wait in milliseconds. */
export async function waitForWrites(load: CountedWrites, count: number, limitMs: number): Promise<number> {
  const [before, startedAt] = [load.writes, performance.now()];
  while (load.writes < before + count) {
    if (performance.now() - startedAt > limitMs)
      throw new Error(`only ${load.writes - before} of ${count} writes succeeded within ${limitMs} ms`);
    await pause(checkMs);
  }
  return performance.now() - startedAt;
}
