import type { TemplateBudget } from './template-budget.js';
import type { LazyListRows, LazyListRequest, RenderingSteps } from './run/rendering-steps.js';
import { convertEngineErrors, createBudget, renderInSteps, type TemplateOptions } from './template.js';
import { PendingLoad } from './values/pending-load.js';

/** Options for {@link TemplateRendering}. */
export interface RenderingOptions extends TemplateOptions {
  /** Processor time in milliseconds after which rendering pauses at the end of an iteration of a loop. */
  readonly pauseAfterMs: number;
}

/** Result of one step of a rendering. */
export interface RenderedPart {
  /** Text rendered since the last step. */
  readonly text: string;
  /** Rows that rendering needs to continue; null if it only pauses or is complete. */
  readonly requested: LazyListRequest | null;
  /** Work that the service must do before the next step; null for none. */
  readonly load: PendingLoad | null;
  readonly isDone: boolean;
}

/**
 * Renders a template in several steps, between which other work can run. Lazy lists are read in parts, and related
 * objects are loaded.
 */
export class TemplateRendering {
  readonly #budget: TemplateBudget;
  readonly #steps: RenderingSteps<void>;
  #pieces: string[] = [];

  /** @param context as for `renderTemplate`; it may contain `LazyList`s */
  constructor(template: string, context: Readonly<Record<string, unknown>>, options: RenderingOptions) {
    this.#budget = createBudget(options);
    const write = (text: string): void => void this.#pieces.push(text);
    this.#steps = renderInSteps(template, context, { ...options, budget: this.#budget, write });
  }

  /**
   * Renders until rows or a load are needed or it is time for a pause.
   *
   * @param rows rows that the last step requested
   * @throws TemplateError like `renderTemplate`
   */
  renderNextPart(rows?: LazyListRows): RenderedPart {
    return convertEngineErrors(() => {
      this.#budget.resumeClock();
      const step = this.#steps.next(rows);
      this.#budget.pauseClock();
      const text = this.#pieces.join('');
      this.#pieces = [];
      const wanted = step.done === true ? null : step.value;
      const isLoad = wanted instanceof PendingLoad;
      return { text, requested: isLoad ? null : wanted, load: isLoad ? wanted : null, isDone: step.done === true };
    });
  }
}
