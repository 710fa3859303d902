import { PeakMemory } from '../process-memory.js';

const sampleIntervalMs = 250;

/**
 * Peak memory of several processes. The memory is read repeatedly, so that a value exists even for a process that
 * exits.
 */
export class SampledMemory {
  readonly #processes: PeakMemory[];
  readonly #timer: NodeJS.Timeout;
  #peakMb = 0;
  #addedMb = 0;

  constructor(pids: readonly number[]) {
    this.#processes = pids.map((pid) => new PeakMemory(pid));
    this.#timer = setInterval(() => this.#read(), sampleIntervalMs);
  }

  #read(): void {
    for (const each of this.#processes) {
      const memory = each.read();
      if (memory === null) continue;
      this.#peakMb = Math.max(this.#peakMb, memory.peakMb);
      this.#addedMb = Math.max(this.#addedMb, memory.addedMb);
    }
  }

  stop(): { readonly peakMb: number; readonly addedMb: number } {
    clearInterval(this.#timer);
    this.#read();
    return { peakMb: this.#peakMb, addedMb: this.#addedMb };
  }
}
