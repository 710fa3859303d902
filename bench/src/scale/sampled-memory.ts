import { ProcessPeakMemory } from '../process-memory.js';

const memorySampleIntervalMs = 250;

/**
 * Peak memory of several processes. The memory is read repeatedly, so that a value exists even for a process that
 * exits.
 */
export class PeakMemorySampler {
  readonly #processes: ProcessPeakMemory[];
  readonly #timer: NodeJS.Timeout;
  #peakMb = 0;
  #addedMb = 0;

  constructor(pids: readonly number[]) {
    this.#processes = pids.map((pid) => new ProcessPeakMemory(pid));
    this.#timer = setInterval(() => this.#read(), memorySampleIntervalMs);
  }

  #read(): void {
    for (const each of this.#processes) {
      const memory = each.readPeakAndIncreaseMb();
      if (memory === null) continue;
      this.#peakMb = Math.max(this.#peakMb, memory.peakMb);
      this.#addedMb = Math.max(this.#addedMb, memory.addedMb);
    }
  }

  stopSampling(): { readonly peakMb: number; readonly addedMb: number } {
    clearInterval(this.#timer);
    this.#read();
    return { peakMb: this.#peakMb, addedMb: this.#addedMb };
  }
}
