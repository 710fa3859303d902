import type { Budget } from './budget.js';
import type { Rows, RowsRequest, Steps } from './run/steps.js';
import { bounded, budgetOf, stepsOf, type TemplateOptions } from './template.js';

/** Options for {@link TemplateRendering}. */
export interface RenderingOptions extends TemplateOptions {
  /** Milliseconds of work after which the rendering pauses at the end of a round of a loop. */
  readonly pauseAfterMs: number;
}

/** A part of a rendering. */
export interface RenderedPart {
  /** The text since the last part. */
  readonly text: string;
  /** Rows that the rendering needs to go on; null when it only pauses, or is done. */
  readonly wanted: RowsRequest | null;
  readonly isDone: boolean;
}

/** Renders a template in parts: other work runs in between, and lists are read in parts. */
export class TemplateRendering {
  readonly #budget: Budget;
  readonly #steps: Steps<void>;
  #pieces: string[] = [];

  /** @param context As for `renderTemplate`, with `LazyList`s. */
  constructor(template: string, context: Readonly<Record<string, unknown>>, options: RenderingOptions) {
    this.#budget = budgetOf(options);
    const write = (text: string): void => void this.#pieces.push(text);
    this.#steps = stepsOf(template, context, { ...options, budget: this.#budget, write });
  }

  /**
   * Renders until rows are needed or a pause is due.
   *
   * @param rows The rows that the last part wanted.
   * @throws TemplateError as `renderTemplate` does
   */
  advance(rows?: Rows): RenderedPart {
    return bounded(() => {
      this.#budget.resume();
      const step = this.#steps.next(rows);
      this.#budget.pause();
      const text = this.#pieces.join('');
      this.#pieces = [];
      return { text, wanted: step.done === true ? null : step.value, isDone: step.done === true };
    });
  }
}
