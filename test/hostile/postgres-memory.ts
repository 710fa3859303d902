import { readFileSync } from 'node:fs';
import type { PostgresStore } from '../faults/stores/postgres-store.js';

const sampleMs = 100;

/**
 * Measures the private memory of PostgreSQL's processes. Excludes shared memory, because the size of shared memory is
 * fixed.
 */
export class PostgresMemory {
  #before = 0;
  #highest = 0;
  #highestDuring = '';
  #timer: NodeJS.Timeout | undefined;
  /** Title of the hostile request that is being sent, for the report of the highest memory. */
  during = '';

  constructor(private readonly postgres: PostgresStore) {}

  /** Records the current memory of PostgreSQL and starts to sample the memory repeatedly. */
  start(): void {
    this.#before = this.#bytes();
    this.#highest = this.#before;
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Growth of PostgreSQL's private memory since {@link start}, in bytes. */
  get growth(): number {
    return this.#sample() - this.#before;
  }

  /** Largest growth of PostgreSQL's private memory in all samples, in bytes. */
  get highestGrowth(): number {
    return this.#highest - this.#before;
  }

  /** Title of the hostile request during which PostgreSQL's memory was largest. */
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

/** Returns true if the memory of other processes can be read. Only Linux allows this measurement. */
export function canMeasureMemory(): boolean {
  return process.platform === 'linux';
}

function privateBytes(pid: number): number {
  try {
    // proc(5): RssAnon is resident memory that is neither backed by a file nor shared memory.
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // The process ended after it was listed.
    return 0;
  }
}
