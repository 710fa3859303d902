import { TemplateLimitError } from './errors.js';

/** Limits of one rendering. */
export interface TemplateLimits {
  /** Reading the source and rendering it, together; pauses do not count. */
  readonly timeoutMs: number;
  /** Time without a pause, for a rendering that pauses. */
  readonly stretchMs: number;
  /** UTF-8 bytes of the result. */
  readonly maxOutputBytes: number;
  /** Rounds of all loops together, those inside of filters included. */
  readonly maxLoopSteps: number;
  /** Characters and list items of all values that are made on the way, whether or not they are written. */
  readonly maxAllocated: number;
  /** Expressions, blocks and macros within each other. */
  readonly maxDepth: number;
}

/** 100 ms, 1 MiB, and what fits into them. */
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

// Reading the clock costs more than most steps, and none of them takes long by itself: what makes values asks for
// room first.
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

  /** @param nowMs A clock that never goes back. */
  constructor(limits: TemplateLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** Something is about to be done that takes as long as a few dozen characters. */
  tick(steps = 1): void {
    this.#ticks += steps;
    if (this.#ticks < this.#nextLook) return;
    this.#nextLook = this.#ticks + stepsBetweenLooks;
    this.#look();
  }

  /** A loop is about to go round. */
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

  /** A value that is about to be gone through: a long text or list counts for as long as it is. */
  weigh(value: unknown): void {
    if (typeof value === 'string' || Array.isArray(value)) this.tick(1 + value.length / 64);
  }

  /** A text that is about to be looked for in another: in the worst case each place is compared with all of it. */
  search(text: string, part: string): void {
    this.tick(1 + text.length / 64);
    if (part.length > 16) this.allocate((text.length * part.length) / 64);
  }

  /** Text that is about to be written. */
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

  /** Throws if the time is used up, before the result is returned. */
  finish(): void {
    this.#look();
  }

  /** Milliseconds since the start or the last pause. */
  get elapsedMs(): number {
    return this.#nowMs() - this.#startMs;
  }

  /** Ends a stretch of work. */
  pause(): void {
    this.#usedMs += this.elapsedMs;
  }

  /** Starts another stretch of work. */
  resume(): void {
    this.#startMs = this.#nowMs();
  }

  /** Starts a row of a lazy list, by the length of its JSON text; 0 ends the last one. */
  startRow(length: number): void {
    this.#rowLength = length;
    this.#isRowRetained = false;
  }

  /** Counts the memory of a value that is stored where it outlasts its row: rows are freed otherwise. */
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
