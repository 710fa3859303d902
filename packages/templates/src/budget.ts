import { TemplateLimitError } from './errors.js';
import { UndoLog } from './undo-log.js';
import type { WorkClock } from './work-clock.js';

/** Limits of rendering one template. */
export interface TemplateLimits {
  /** Maximum processor time for parsing and rendering a template, in milliseconds. */
  readonly timeoutMs: number;
  /** Additional processor time for each row that a loop over a lazy list begins, in milliseconds. */
  readonly rowMs: number;
  /** Maximum processor time including that of all rows, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** Maximum processor time between two pauses in milliseconds, for a rendering that can pause. */
  readonly stretchMs: number;
  /** Maximum size of the rendered text, in UTF-8 bytes. */
  readonly maxOutputBytes: number;
  /** Maximum number of iterations of all loops of a template together, including those of filters. */
  readonly maxLoopSteps: number;
  /** Maximum size of all values that a template creates, in characters and list items, even if they are not written. */
  readonly maxAllocated: number;
  /** Maximum nesting depth of expressions, blocks and macros. */
  readonly maxDepth: number;
}

/** Default limits of rendering: 100 ms, 1 MiB of output, and values for the rest that suit these. */
export const defaultLimits: TemplateLimits = {
  timeoutMs: 100,
  rowMs: 0,
  maxTimeoutMs: Infinity,
  stretchMs: Infinity,
  maxOutputBytes: 1_048_576,
  maxLoopSteps: 200_000,
  maxAllocated: 8_388_608,
  maxDepth: 200,
};

/** Minimum length of a string of which a part, cut out as a new string, counts as much memory as the whole string. */
const longRow = 16_384;

/** Estimated memory of an object from the service, in characters for each character of its JSON. */
const objectFactor = 4;

// Number of steps between two reads of the clock. Reading it costs more than most steps, and single steps are short,
// because those that create large values are accounted for first.
const stepsBetweenLooks = 64;

/** Counts the resources that rendering a template uses. Throws when a limit is exceeded. */
export class Budget {
  /** Changes of the current statement. */
  readonly changes = new UndoLog((steps) => this.tick(steps));
  readonly #limits: TemplateLimits;
  readonly #clock: WorkClock;
  #startMs = 0;
  #startProcessorMs = 0;
  /** Time on the clock before which the time limit cannot be exceeded. */
  #checkAtMs = 0;
  #usedMs = 0;
  #timeoutMs: number;
  /** Length of the current row's JSON in a loop over a lazy list; 0 outside such a loop. */
  #rowLength = 0;
  #isRowRetained = false;
  #hasRetained = false;
  #ticks = 0;
  #nextLook = stepsBetweenLooks;
  #loopSteps = 0;
  #outputBytes = 0;
  #allocated = 0;
  #depth = 0;

  constructor(limits: TemplateLimits, clock: WorkClock) {
    this.#limits = limits;
    this.#timeoutMs = limits.timeoutMs;
    this.#clock = clock;
    this.resume();
  }

  /** Counts steps of work before they run. A step takes as long as processing a few dozen characters. */
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

  /** Counts the memory of a new value. */
  allocate(size: number): void {
    this.#allocated += size;
    const { maxAllocated } = this.#limits;
    if (!(this.#allocated <= maxAllocated)) {
      throw new TemplateLimitError('memory', `The template makes values of more than ${maxAllocated} characters`);
    }
    this.tick(1 + size / 64);
  }

  /** Counts the steps of iterating over a value. Their number is proportional to the length of the text or list. */
  weigh(value: unknown): void {
    if (typeof value === 'string' || Array.isArray(value)) this.tick(1 + value.length / 64);
  }

  /** Counts the steps of moving items of a list by one place, as an insertion before them does. Returns their number. */
  shift(items: number): number {
    const steps = 1 + items / 64;
    this.tick(steps);
    return steps;
  }

  /** Counts the steps of searching a text for another. In the worst case the texts are compared at every position. */
  search(text: string, part: string): void {
    this.tick(1 + text.length / 64);
    if (part.length > 16) this.allocate((text.length * part.length) / 64);
  }

  /** Counts output of the template before it is written. */
  write(text: string): void {
    this.#outputBytes += Buffer.byteLength(text);
    const { maxOutputBytes } = this.#limits;
    if (this.#outputBytes > maxOutputBytes) {
      throw new TemplateLimitError('output', `The template writes more than ${maxOutputBytes} bytes`);
    }
  }

  /** Runs a function one nesting level deeper. Throws if the template is nested too deeply. */
  within<T>(work: () => T): T {
    this.enter();
    const result = work();
    this.leave();
    return result;
  }

  /** Nesting level. It is set back when an evaluation is abandoned. */
  get depth(): number {
    return this.#depth;
  }

  set depth(depth: number) {
    this.#depth = depth;
  }

  /** Enters a nesting level. An error ends the rendering, so that the level need not be left then. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth <= this.#limits.maxDepth) return;
    throw new TemplateLimitError('depth', `The template is nested more than ${this.#limits.maxDepth} levels deep`);
  }

  /** Leaves a nesting level of the template. */
  leave(): void {
    this.#depth -= 1;
  }

  /** Checks the time limit before the result is returned. Throws if the time is used up. */
  finish(): void {
    this.#look();
  }

  /** Milliseconds since rendering started or last continued after a pause. */
  get elapsedMs(): number {
    return this.#clock.nowMs() - this.#startMs;
  }

  /** Stops measuring time, before rendering pauses. */
  pause(): void {
    this.#usedMs += this.#workedMs;
  }

  /** Continues to measure time, after rendering has paused. */
  resume(): void {
    this.#startMs = this.#clock.nowMs();
    this.#startProcessorMs = this.#clock.processorMs();
    this.#checkAtMs = this.#startMs + this.#remainingMs(0);
  }

  /** Starts a row of a lazy list, given the length of its JSON. A length of 0 ends the last row. */
  startRow(length: number): void {
    const { rowMs, maxTimeoutMs } = this.#limits;
    if (length > 0 && this.#timeoutMs < maxTimeoutMs) this.#timeoutMs = Math.min(maxTimeoutMs, this.#timeoutMs + rowMs);
    this.#rowLength = length;
    this.#isRowRetained = false;
  }

  /**
   * Counts the memory of a value that remains stored after its row of a lazy list. Other values of a row are freed with
   * it.
   */
  retain(value: unknown): void {
    if (this.#rowLength === 0 || value === null || typeof value === 'number' || typeof value === 'boolean') return;
    if (typeof value === 'string' && this.#rowLength < longRow) this.allocate(value.length);
    else {
      this.#hasRetained = true;
      if (this.#isRowRetained) return;
      this.#isRowRetained = true;
      this.allocate(this.#rowLength * objectFactor);
    }
  }

  /** Returns true if an object of a row has been stored since the last call. */
  takeRetained(): boolean {
    const hasRetained = this.#hasRetained;
    this.#hasRetained = false;
    return hasRetained;
  }

  /**
   * Throws if the time is used up. The work of a thread takes no longer than the clock shows, so that the slower
   * processor clock is read only when the limit can be reached.
   */
  #look(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs <= this.#checkAtMs) return;
    const workedMs = this.#workedMs;
    const { stretchMs } = this.#limits;
    if (this.#usedMs + workedMs > this.#timeoutMs) throw tooSlow(this.#timeoutMs);
    if (workedMs > stretchMs) throw tooSlow(stretchMs);
    this.#checkAtMs = nowMs + this.#remainingMs(workedMs);
  }

  /**
   * Processor time since rendering started or last continued after a pause, in milliseconds. While other processes have
   * the processor, only the clock advances; while other threads work, the time of a process can advance faster than the
   * clock.
   */
  get #workedMs(): number {
    return Math.min(this.elapsedMs, this.#clock.processorMs() - this.#startProcessorMs);
  }

  #remainingMs(workedMs: number): number {
    return Math.min(this.#timeoutMs - this.#usedMs, this.#limits.stretchMs) - workedMs;
  }
}

function tooSlow(limitMs: number): Error {
  return new TemplateLimitError('time', `The template takes longer than ${Math.round(limitMs)} ms`);
}
