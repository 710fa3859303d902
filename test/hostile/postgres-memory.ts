import { readFileSync } from 'node:fs';
import type { PostgresStore } from '../faults/stores/postgres-store.js';

const sampleMs = 100;

/** Measures the private memory of PostgreSQL's processes: shared buffers have a fixed size and are left out. */
export class PostgresMemory {
  #before = 0;
  #highest = 0;
  #highestDuring = '';
  #timer: NodeJS.Timeout | undefined;
  /** The request that runs now. */
  during = '';

  constructor(private readonly postgres: PostgresStore) {}

  /** Notes the present size and samples from now on. */
  start(): void {
    this.#before = this.#bytes();
    this.#highest = this.#before;
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Growth since {@link start}, in bytes. */
  get growth(): number {
    return this.#sample() - this.#before;
  }

  /** Largest growth of all samples, in bytes. */
  get highestGrowth(): number {
    return this.#highest - this.#before;
  }

  /** The request during which the memory was largest. */
  get highestDuring(): string {
    return this.#highestDuring;
  }

  #sample(): number {
    const bytes = this.#bytes();
    if (bytes > this.#highest) [this.#highest, this.#highestDuring] = [bytes, this.during];
    return bytes;
  }

  #bytes(): number {
    return this.postgres.processes().reduce((sum, pid) => sum + privateBytes(pid), 0);
  }
}

/** Whether the memory of other processes can be read here: on Linux alone. */
export function canMeasureMemory(): boolean {
  return process.platform === 'linux';
}

function privateBytes(pid: number): number {
  try {
    // proc(5): RssAnon is resident memory that no file and no other process backs.
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // The process has ended between the listing and the reading.
    return 0;
  }
}
