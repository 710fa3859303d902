import { PendingLoad, LoadNeededError } from '../values/pending-load.js';
import type { LazyList } from '../values/template-value.js';

/** Rows of a lazy list that the service has read. */
export interface LazyListRows {
  /** The rows: JSON values, or objects of the service as `TemplateObject`s. */
  readonly items: readonly unknown[];
  /** Length of each row's JSON in characters. */
  readonly lengths: readonly number[];
}

/** Request for rows of a lazy list, starting at an index. The service must return at least one row. */
export interface LazyListRequest {
  readonly list: LazyList;
  readonly from: number;
  /** True if the template has stored an object since the last request: a row, or an object reached from one. */
  readonly isRetained: boolean;
}

/** A rendering in progress. It yields a request when it needs rows, a load to be run, and null when it can pause. */
export type RenderingSteps<T> = Generator<LazyListRequest | PendingLoad | null, T, LazyListRows | undefined>;

/**
 * Runs a rendering to its end without pauses.
 *
 * @throws TemplateRuntimeError if the rendering requests rows
 * @throws LoadNeededError if they need a load
 */
export function runWithoutPauses<T>(steps: RenderingSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value instanceof PendingLoad) throw new LoadNeededError(step.value);
    if (step.value !== null) throw step.value.list.wholeListError();
  }
}
