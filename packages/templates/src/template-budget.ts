import { TemplateLimitError } from './template-errors.js';
import { UndoLog } from './undo-log-of-values.js';
import type { WorkClock } from './rendering-work-clock.js';

/** Limits of rendering one template. */
export interface TemplateLimits {
  /** Maximum processor time for parsing and rendering a template, in milliseconds. */
  readonly timeoutMs: number;
  /** Additional processor time for each row that a loop over a lazy list begins, in milliseconds. */
  readonly rowMs: number;
  /** Maximum processor time including the time of all rows, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** Maximum processor time between two pauses in milliseconds, for a rendering that can pause. */
  readonly maxMsBetweenPauses: number;
  /** Maximum size of the rendered text, in UTF-8 bytes. */
  readonly maxOutputBytes: number;
  /** Maximum number of iterations of all loops of a template together, including loops in filters. */
  readonly maxLoopSteps: number;
  /** Maximum size of all values that a template creates, in characters and list items, even if they are not written. */
  readonly maxAllocatedSize: number;
  /** Maximum nesting depth of expressions, blocks and macros. */
  readonly maxDepth: number;
}

/** Default limits of rendering: 100 ms, 1 MiB of output, and values for the rest that suit these. */
export const defaultLimits: TemplateLimits = {
  timeoutMs: 100,
  rowMs: 0,
  maxTimeoutMs: Infinity,
  maxMsBetweenPauses: Infinity,
  maxOutputBytes: 1_048_576,
  maxLoopSteps: 200_000,
  maxAllocatedSize: 8_388_608,
  maxDepth: 200,
};

/**
 * Length of a row's JSON, in characters, from which a stored part of the row counts as much memory as the whole row. A
 * short part can keep a long text in memory.
 */
const longRowMinLength = 16_384;

/** Estimated memory of an object from the service, in characters for each character of its JSON. */
const objectMemoryFactor = 4;

// Number of steps between two reads of the clock. Reading it costs more than most steps, and single steps are short,
// because those that create large values are accounted for first.
const templateStepsBetweenTimeChecks = 64;

/** Counts the resources that rendering a template uses. Throws when a limit is exceeded. */
export class TemplateBudget {
  /** Log of the changes that the current statement has made. */
  readonly undoLog = new UndoLog((steps) => this.countSteps(steps));
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
  #stepCount = 0;
  #nextTimeCheck = templateStepsBetweenTimeChecks;
  #loopSteps = 0;
  #outputBytes = 0;
  #allocatedSize = 0;
  #depth = 0;

  constructor(limits: TemplateLimits, clock: WorkClock) {
    this.#limits = limits;
    this.#timeoutMs = limits.timeoutMs;
    this.#clock = clock;
    this.resumeClock();
  }

  /** Counts steps of work before they run. A step takes as long as processing a few dozen characters. */
  countSteps(steps = 1): void {
    this.#stepCount += steps;
    if (this.#stepCount < this.#nextTimeCheck) return;
    this.#nextTimeCheck = this.#stepCount + templateStepsBetweenTimeChecks;
    this.#checkTime();
  }

  /** Counts iterations of a loop before they run. */
  countIterations(rounds = 1): void {
    this.#loopSteps += rounds;
    const { maxLoopSteps } = this.#limits;
    if (this.#loopSteps > maxLoopSteps) {
      throw new TemplateLimitError('steps', `The template takes more than ${maxLoopSteps} loop steps`);
    }
    this.countSteps();
  }

  /** Counts the memory of a new value. */
  allocate(size: number): void {
    this.#allocatedSize += size;
    const { maxAllocatedSize } = this.#limits;
    if (!(this.#allocatedSize <= maxAllocatedSize)) {
      throw new TemplateLimitError('memory', `The template makes values of more than ${maxAllocatedSize} characters`);
    }
    this.countSteps(1 + size / 64);
  }

  /** Counts the steps of iterating over a value. Their number is proportional to the length of the text or list. */
  countIterationOver(value: unknown): void {
    if (typeof value === 'string' || Array.isArray(value)) this.countSteps(1 + value.length / 64);
  }

  /**
   * Counts the steps of moving list items by one place, as an insertion before the items does. Returns the number of
   * steps.
   */
  countItemMoves(items: number): number {
    const steps = 1 + items / 64;
    this.countSteps(steps);
    return steps;
  }

  /** Counts the steps of searching a text for another. In the worst case the texts are compared at every position. */
  countTextSearch(text: string, part: string): void {
    this.countSteps(1 + text.length / 64);
    if (part.length > 16) this.allocate((text.length * part.length) / 64);
  }

  /** Counts output of the template before it is written. */
  countOutput(text: string): void {
    this.#outputBytes += Buffer.byteLength(text);
    const { maxOutputBytes } = this.#limits;
    if (this.#outputBytes > maxOutputBytes) {
      throw new TemplateLimitError('output', `The template writes more than ${maxOutputBytes} bytes`);
    }
  }

  /** Runs a function one nesting level deeper. Throws if the template is nested too deeply. */
  runNested<T>(work: () => T): T {
    this.enterLevel();
    const result = work();
    this.leaveLevel();
    return result;
  }

  /** Current nesting level of the template. The level is reset when an evaluation is aborted. */
  get depth(): number {
    return this.#depth;
  }

  set depth(depth: number) {
    this.#depth = depth;
  }

  /**
   * Enters a nesting level. Throws if the template is nested too deeply. An error ends the rendering, so the level is
   * not left after an error.
   */
  enterLevel(): void {
    this.#depth += 1;
    if (this.#depth <= this.#limits.maxDepth) return;
    throw new TemplateLimitError('depth', `The template is nested more than ${this.#limits.maxDepth} levels deep`);
  }

  /** Leaves a nesting level of the template. */
  leaveLevel(): void {
    this.#depth -= 1;
  }

  /** Checks the time limit before the result is returned. Throws if the time is used up. */
  checkTimeLimit(): void {
    this.#checkTime();
  }

  /** Milliseconds since rendering started or last continued after a pause. */
  get elapsedMs(): number {
    return this.#clock.nowMs() - this.#startMs;
  }

  /** Stops measuring time, before rendering pauses. */
  pauseClock(): void {
    this.#usedMs += this.#workedMs;
  }

  /** Continues to measure time, after rendering has paused. */
  resumeClock(): void {
    this.#startMs = this.#clock.nowMs();
    this.#startProcessorMs = this.#clock.processorMs();
    this.#checkAtMs = this.#startMs + this.#remainingMs(0);
  }

  /** Starts a row of a lazy list, given the length of its JSON. A length of 0 ends the last row. */
  beginListRow(length: number): void {
    const { rowMs, maxTimeoutMs } = this.#limits;
    if (length > 0 && this.#timeoutMs < maxTimeoutMs) this.#timeoutMs = Math.min(maxTimeoutMs, this.#timeoutMs + rowMs);
    this.#rowLength = length;
    this.#isRowRetained = false;
  }

  /**
   * Counts the memory of a value that remains stored after its row of a lazy list. Other values of a row are freed with
   * it.
   */
  countRetainedValue(value: unknown): void {
    if (this.#rowLength === 0 || value === null || typeof value === 'number' || typeof value === 'boolean') return;
    if (typeof value === 'string' && this.#rowLength < longRowMinLength) this.allocate(value.length);
    else {
      this.#hasRetained = true;
      if (this.#isRowRetained) return;
      this.#isRowRetained = true;
      this.allocate(this.#rowLength * objectMemoryFactor);
    }
  }

  /** Returns true if the template has stored an object of a row since the last call. */
  takeRetainedFlag(): boolean {
    const hasRetained = this.#hasRetained;
    this.#hasRetained = false;
    return hasRetained;
  }

  /**
   * Throws if the time is used up. The work of a thread takes no longer than the clock shows, so that the slower
   * processor clock is read only when the limit can be reached.
   */
  #checkTime(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs <= this.#checkAtMs) return;
    const workedMs = this.#workedMs;
    const { maxMsBetweenPauses } = this.#limits;
    if (this.#usedMs + workedMs > this.#timeoutMs) throw createTimeLimitError(this.#timeoutMs);
    if (workedMs > maxMsBetweenPauses) throw createTimeLimitError(maxMsBetweenPauses);
    this.#checkAtMs = nowMs + this.#remainingMs(workedMs);
  }

  /**
   * Processor time since rendering started or last continued after a pause, in milliseconds. While other processes use
   * the processor, only the clock advances. While other threads work, the time of a process can advance faster than the
   * clock.
   */
  get #workedMs(): number {
    return Math.min(this.elapsedMs, this.#clock.processorMs() - this.#startProcessorMs);
  }

  #remainingMs(workedMs: number): number {
    return Math.min(this.#timeoutMs - this.#usedMs, this.#limits.maxMsBetweenPauses) - workedMs;
  }
}

function createTimeLimitError(limitMs: number): Error {
  return new TemplateLimitError('time', `The template takes longer than ${Math.round(limitMs)} ms`);
}
