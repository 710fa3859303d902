import type { TemplateResourceCounter } from './template-budget.js';
import type { LazyListRows, LazyListRowsRequest, TemplateRenderingSteps } from './run/rendering-steps.js';
import { convertEngineErrors, createTemplateBudget, renderTemplateInSteps, type TemplateOptions } from './template.js';
import { PendingLoad } from './values/pending-load.js';

/** Options of {@link TemplateRendering}: those of the template, and the time until a pause. */
export interface TemplateRenderingOptions extends TemplateOptions {
  /** Processor time in milliseconds after which the rendering pauses at the end of a loop iteration. */
  readonly pauseAfterMs: number;
}

export interface TemplateRenderingStepResult {
  /** Text that was rendered since the last step. */
  readonly text: string;
  /**
   * Request for rows of a lazy list that the rendering needs to continue; null if the rendering only pauses or is
   * complete.
   */
  readonly requested: LazyListRowsRequest | null;
  /** Load that the service must run before the next step of the rendering; null if no load is needed. */
  readonly load: PendingLoad | null;
  readonly isDone: boolean;
}

/**
 * Renders a template in several steps, between which other work can run. The rendering reads lazy lists in parts, and
 * loads related objects when the template needs the objects.
 */
export class TemplateRendering {
  readonly #budget: TemplateResourceCounter;
  readonly #steps: TemplateRenderingSteps<void>;
  #pieces: string[] = [];

  /** @param context as for `renderTemplate`; it may contain `LazyList`s */
  constructor(template: string, context: Readonly<Record<string, unknown>>, options: TemplateRenderingOptions) {
    this.#budget = createTemplateBudget(options);
    const write = (text: string): void => void this.#pieces.push(text);
    this.#steps = renderTemplateInSteps(template, context, { ...options, budget: this.#budget, write });
  }

  /**
   * Renders the template until rows or a load are needed, or a pause is due. Returns the rendered text since the last
   * step.
   *
   * @param rows rows that the last step requested
   * @throws TemplateError under the conditions of `renderTemplate`
   */
  renderNextPart(rows?: LazyListRows): TemplateRenderingStepResult {
    return convertEngineErrors(() => {
      this.#budget.resumeRenderingClock();
      const step = this.#steps.next(rows);
      this.#budget.pauseRenderingClock();
      const text = this.#pieces.join('');
      this.#pieces = [];
      const wanted = step.done === true ? null : step.value;
      const isLoad = wanted instanceof PendingLoad;
      return { text, requested: isLoad ? null : wanted, load: isLoad ? wanted : null, isDone: step.done === true };
    });
  }
}
