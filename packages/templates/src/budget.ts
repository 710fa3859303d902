import { TemplateLimitError } from './errors.js';

/** Limits of one rendering. */
export interface TemplateLimits {
  /** Maximum total time to parse and render the source, in milliseconds, without pauses. */
  readonly timeoutMs: number;
  /** Maximum time without a pause, in milliseconds, for a rendering that can pause. */
  readonly stretchMs: number;
  /** Maximum size of the result, in UTF-8 bytes. */
  readonly maxOutputBytes: number;
  /** Maximum iterations of all loops together, including those inside of filters. */
  readonly maxLoopSteps: number;
  /** Maximum size of all created values in characters and list items, whether or not they are written. */
  readonly maxAllocated: number;
  /** Maximum nesting depth of expressions, blocks and macros. */
  readonly maxDepth: number;
}

/** Default limits: 100 ms, 1 MiB of output, and bounds for the rest that suit these. */
export const defaultLimits: TemplateLimits = {
  timeoutMs: 100,
  stretchMs: Infinity,
  maxOutputBytes: 1_048_576,
  maxLoopSteps: 200_000,
  maxAllocated: 8_388_608,
  maxDepth: 200,
};

/** Minimum length of a string slice that counts as retaining the whole string. */
const longRow = 16_384;

/** Memory that an object takes, in characters for each character of its JSON text. */
const objectFactor = 4;

// Number of steps between two reads of the clock. Reading it costs more than most steps, and single steps are short,
// because those that create large values are accounted for first.
const stepsBetweenLooks = 64;

/** The remaining part of the limits of one rendering. */
export class Budget {
  readonly #limits: TemplateLimits;
  readonly #nowMs: () => number;
  #startMs: number;
  #usedMs = 0;
  /** Length of the JSON text of the current row of a lazy list; 0 outside of one. */
  #rowLength = 0;
  #isRowRetained = false;
  #ticks = 0;
  #nextLook = stepsBetweenLooks;
  #loopSteps = 0;
  #outputBytes = 0;
  #allocated = 0;
  #depth = 0;

  /** @param nowMs monotonic clock, in milliseconds */
  constructor(limits: TemplateLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** Counts steps before they run. One step takes as long as processing a few dozen characters. */
  tick(steps = 1): void {
    this.#ticks += steps;
    if (this.#ticks < this.#nextLook) return;
    this.#nextLook = this.#ticks + stepsBetweenLooks;
    this.#look();
  }

  /** Counts iterations of a loop before they run. */
  loop(rounds = 1): void {
    this.#loopSteps += rounds;
    const { maxLoopSteps } = this.#limits;
    if (this.#loopSteps > maxLoopSteps) {
      throw new TemplateLimitError('steps', `The template takes more than ${maxLoopSteps} loop steps`);
    }
    this.tick();
  }

  /** Accounts memory for a new value. */
  allocate(size: number): void {
    this.#allocated += size;
    const { maxAllocated } = this.#limits;
    if (!(this.#allocated <= maxAllocated)) {
      throw new TemplateLimitError('memory', `The template makes values of more than ${maxAllocated} characters`);
    }
    this.tick(1 + size / 64);
  }

  /** Counts the steps of iterating over a value, in proportion to the length of a text or list. */
  weigh(value: unknown): void {
    if (typeof value === 'string' || Array.isArray(value)) this.tick(1 + value.length / 64);
  }

  /**
   * Counts the steps of searching a text for another. In the worst case every position is compared with the whole part.
   */
  search(text: string, part: string): void {
    this.tick(1 + text.length / 64);
    if (part.length > 16) this.allocate((text.length * part.length) / 64);
  }

  /** Counts output before it is written. */
  write(text: string): void {
    this.#outputBytes += Buffer.byteLength(text);
    const { maxOutputBytes } = this.#limits;
    if (this.#outputBytes > maxOutputBytes) {
      throw new TemplateLimitError('output', `The template writes more than ${maxOutputBytes} bytes`);
    }
  }

  /** Runs work that may recurse. */
  within<T>(work: () => T): T {
    this.enter();
    const result = work();
    this.leave();
    return result;
  }

  /** Enters a nesting level. An error ends the rendering, so that the count is not restored. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth <= this.#limits.maxDepth) return;
    throw new TemplateLimitError('depth', `The template is nested more than ${this.#limits.maxDepth} levels deep`);
  }

  /** Leaves a nesting level. */
  leave(): void {
    this.#depth -= 1;
  }

  /** Throws if the time is used up. Called before the result is returned. */
  finish(): void {
    this.#look();
  }

  /** Milliseconds since the start or the last pause. */
  get elapsedMs(): number {
    return this.#nowMs() - this.#startMs;
  }

  /** Ends a period of work. */
  pause(): void {
    this.#usedMs += this.elapsedMs;
  }

  /** Starts another period of work. */
  resume(): void {
    this.#startMs = this.#nowMs();
  }

  /** Starts a row of a lazy list, with the length of its JSON text; 0 ends the last row. */
  startRow(length: number): void {
    this.#rowLength = length;
    this.#isRowRetained = false;
  }

  /**
   * Counts the memory of a value that is stored beyond its row of a lazy list. Other values of a row are freed with it.
   */
  retain(value: unknown): void {
    if (this.#rowLength === 0 || value === null || typeof value === 'number' || typeof value === 'boolean') return;
    if (typeof value === 'string' && this.#rowLength < longRow) this.allocate(value.length);
    else if (!this.#isRowRetained) {
      this.#isRowRetained = true;
      this.allocate(this.#rowLength * objectFactor);
    }
  }

  #look(): void {
    const { elapsedMs } = this;
    const { timeoutMs, stretchMs } = this.#limits;
    if (this.#usedMs + elapsedMs > timeoutMs) throw tooSlow(timeoutMs);
    if (elapsedMs > stretchMs) throw tooSlow(stretchMs);
  }
}

function tooSlow(limitMs: number): Error {
  return new TemplateLimitError('time', `The template takes longer than ${limitMs} ms`);
}
