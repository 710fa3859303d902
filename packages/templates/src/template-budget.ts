import { TemplateLimitError } from './template-errors.js';
import { TemplateValueUndoLog } from './undo-log-of-values.js';
import type { RenderingWorkClock } from './rendering-work-clock.js';

/** Limits of the rendering of one template. */
export interface TemplateLimits {
  /** Maximum processor time for parsing and rendering a template, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Additional processor time for each row that a loop over a lazy list (a list read in parts) begins, in milliseconds.
   */
  readonly rowMs: number;
  /**
   * Maximum processor time for rendering a template, including the additional time for rows of lazy lists, in
   * milliseconds.
   */
  readonly maxTimeoutMs: number;
  /**
   * Maximum processor time between two pauses of a rendering, in milliseconds. Applies to renderings that can pause.
   */
  readonly maxMsBetweenPauses: number;
  /** Maximum size of the rendered text, in UTF-8 bytes. */
  readonly maxOutputBytes: number;
  /** Maximum number of iterations of all loops of a template together, including loops in filters. */
  readonly maxLoopSteps: number;
  /**
   * Maximum total size of all values that a template creates, in characters and list items. Values that are not written
   * to the output count too.
   */
  readonly maxAllocatedSize: number;
  /** Maximum nesting depth of expressions, blocks and macros. */
  readonly maxDepth: number;
}

/**
 * Default limits of the rendering of a template: 100 ms of processor time, 1 MiB of output, and matching values for the
 * other limits.
 */
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
 * Minimum length of a long row of a lazy list, in characters of JSON. If a template stores a part of a long row, the
 * part counts as much memory as the whole row. A short part can keep a long text in memory.
 */
const longLazyRowMinLength = 16_384;

/**
 * Factor for the estimated memory of an object from the service: memory in characters per character of the object's
 * JSON.
 */
const templateObjectMemoryFactor = 4;

// Number of steps between two reads of the clock. Reading it costs more than most steps, and single steps are short,
// because those that create large values are accounted for first.
const templateStepsBetweenTimeChecks = 64;

/** Counts the resources that the rendering of a template uses. Throws an error when a limit is exceeded. */
export class TemplateResourceCounter {
  /** Log of the changes that the current template statement has made to values. */
  readonly undoLog = new TemplateValueUndoLog((steps) => this.countSteps(steps));
  readonly #limits: TemplateLimits;
  readonly #clock: RenderingWorkClock;
  #startMs = 0;
  #startProcessorMs = 0;
  /** Earliest time at which the time limit of the rendering can be exceeded, in milliseconds of the clock. */
  #checkAtMs = 0;
  #usedMs = 0;
  #timeoutMs: number;
  /** Length of the current row's JSON in a loop over a lazy list, in characters; 0 outside a loop over a lazy list. */
  #rowLength = 0;
  #isRowRetained = false;
  #hasRetained = false;
  #stepCount = 0;
  #nextTimeCheck = templateStepsBetweenTimeChecks;
  #loopSteps = 0;
  #outputBytes = 0;
  #allocatedSize = 0;
  #depth = 0;

  constructor(limits: TemplateLimits, clock: RenderingWorkClock) {
    this.#limits = limits;
    this.#timeoutMs = limits.timeoutMs;
    this.#clock = clock;
    this.resumeRenderingClock();
  }

  /**
   * Counts steps of a rendering's work before the work runs. A step takes as long as processing a few dozen characters.
   * Throws if the time limit is exceeded.
   */
  countSteps(steps = 1): void {
    this.#stepCount += steps;
    if (this.#stepCount < this.#nextTimeCheck) return;
    this.#nextTimeCheck = this.#stepCount + templateStepsBetweenTimeChecks;
    this.#checkTime();
  }

  /** Counts iterations of a template loop before the iterations run. Throws if the limit of iterations is exceeded. */
  countIterations(rounds = 1): void {
    this.#loopSteps += rounds;
    const { maxLoopSteps } = this.#limits;
    if (this.#loopSteps > maxLoopSteps) {
      throw new TemplateLimitError('steps', `The template takes more than ${maxLoopSteps} loop steps`);
    }
    this.countSteps();
  }

  /**
   * Counts the memory of a new template value, in characters and list items. Throws if the memory limit is exceeded.
   */
  countAllocatedMemory(size: number): void {
    this.#allocatedSize += size;
    const { maxAllocatedSize } = this.#limits;
    if (!(this.#allocatedSize <= maxAllocatedSize)) {
      throw new TemplateLimitError('memory', `The template makes values of more than ${maxAllocatedSize} characters`);
    }
    this.countSteps(1 + size / 64);
  }

  /**
   * Counts the steps of an iteration over a template value. The number of steps is proportional to the length of the
   * text or list.
   */
  countIterationOver(value: unknown): void {
    if (typeof value === 'string' || Array.isArray(value)) this.countSteps(1 + value.length / 64);
  }

  /**
   * Counts the steps of moving list items by one place, which happens when an item is inserted before them. Returns the
   * number of steps.
   */
  countItemMoves(items: number): number {
    const steps = 1 + items / 64;
    this.countSteps(steps);
    return steps;
  }

  /**
   * Counts the steps of a search for one text in another text. The estimate for a long searched part is the worst case,
   * which compares the texts at every position.
   */
  countTextSearch(text: string, part: string): void {
    this.countSteps(1 + text.length / 64);
    if (part.length > 16) this.countAllocatedMemory((text.length * part.length) / 64);
  }

  /** Counts output of the template before the output is written. Throws if the output limit is exceeded. */
  countOutput(text: string): void {
    this.#outputBytes += Buffer.byteLength(text);
    const { maxOutputBytes } = this.#limits;
    if (this.#outputBytes > maxOutputBytes) {
      throw new TemplateLimitError('output', `The template writes more than ${maxOutputBytes} bytes`);
    }
  }

  /**
   * Runs a function one nesting level deeper, and returns the result of the function. Throws if the template is nested
   * too deeply.
   */
  runOneLevelDeeper<T>(work: () => T): T {
    this.enterNestingLevel();
    const result = work();
    this.leaveNestingLevel();
    return result;
  }

  /** Current nesting level of the template. The level is reset when an evaluation is aborted. */
  get nestingLevel(): number {
    return this.#depth;
  }

  set nestingLevel(depth: number) {
    this.#depth = depth;
  }

  /**
   * Enters a nesting level. Throws if the template is nested too deeply. After an error, the caller need not leave the
   * level, because the error ends the rendering.
   */
  enterNestingLevel(): void {
    this.#depth += 1;
    if (this.#depth <= this.#limits.maxDepth) return;
    throw new TemplateLimitError('depth', `The template is nested more than ${this.#limits.maxDepth} levels deep`);
  }

  /** Leaves a nesting level of the template. */
  leaveNestingLevel(): void {
    this.#depth -= 1;
  }

  /** Checks the time limit before the result of the rendering is returned. Throws if the time is used up. */
  checkTimeLimit(): void {
    this.#checkTime();
  }

  /** Time since the rendering started or last continued after a pause, in milliseconds. */
  get elapsedRenderingMs(): number {
    return this.#clock.nowMs() - this.#startMs;
  }

  /** Stops measuring the time of the rendering, before the rendering pauses. */
  pauseRenderingClock(): void {
    this.#usedMs += this.#workedMs;
  }

  /** Continues to measure the time of the rendering, after the rendering has paused. */
  resumeRenderingClock(): void {
    this.#startMs = this.#clock.nowMs();
    this.#startProcessorMs = this.#clock.processorMs();
    this.#checkAtMs = this.#startMs + this.#remainingMs(0);
  }

  /** Starts a row of a lazy list, given the length of the row's JSON in characters. A length of 0 ends the last row. */
  beginLazyListRow(length: number): void {
    const { rowMs, maxTimeoutMs } = this.#limits;
    if (length > 0 && this.#timeoutMs < maxTimeoutMs) this.#timeoutMs = Math.min(maxTimeoutMs, this.#timeoutMs + rowMs);
    this.#rowLength = length;
    this.#isRowRetained = false;
  }

  /**
   * Counts the memory of a value that the template stores beyond the loop iteration for its row of a lazy list. Other
   * values of the row are freed after the iteration.
   */
  countRetainedValue(value: unknown): void {
    if (this.#rowLength === 0 || value === null || typeof value === 'number' || typeof value === 'boolean') return;
    if (typeof value === 'string' && this.#rowLength < longLazyRowMinLength) this.countAllocatedMemory(value.length);
    else {
      this.#hasRetained = true;
      if (this.#isRowRetained) return;
      this.#isRowRetained = true;
      this.countAllocatedMemory(this.#rowLength * templateObjectMemoryFactor);
    }
  }

  /**
   * Returns true if the template has stored a part of a lazy list's row since the last call. Short texts, numbers and
   * booleans do not count. Each call resets the flag.
   */
  readAndClearRetainedFlag(): boolean {
    const hasRetained = this.#hasRetained;
    this.#hasRetained = false;
    return hasRetained;
  }

  /**
   * Throws if the processor time of the rendering is used up. Processor time never exceeds elapsed time. The processor
   * clock, which is slower to read, is therefore read only when the limit can be reached.
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
   * Processor time since the rendering started or last continued after a pause, in milliseconds. The value is the
   * smaller of the elapsed time and the processor time. While other processes use the processor, only the elapsed time
   * advances. While other threads work, the processor time of the process can advance faster than the elapsed time.
   */
  get #workedMs(): number {
    return Math.min(this.elapsedRenderingMs, this.#clock.processorMs() - this.#startProcessorMs);
  }

  #remainingMs(workedMs: number): number {
    return Math.min(this.#timeoutMs - this.#usedMs, this.#limits.maxMsBetweenPauses) - workedMs;
  }
}

function createTimeLimitError(limitMs: number): Error {
  return new TemplateLimitError('time', `The template takes longer than ${Math.round(limitMs)} ms`);
}
