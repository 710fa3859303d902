import { PendingLoad, DataNotLoadedError } from '../values/pending-load.js';
import type { LazyList } from '../values/template-value.js';

/** Rows of a lazy list (a list that is read in parts) that the service has read. */
export interface LazyListRows {
  /** Rows of the lazy list: JSON values, or `TemplateObject`s for objects of the service. */
  readonly items: readonly unknown[];
  /** Lengths of the rows' JSON in characters, in the order of the rows. */
  readonly lengths: readonly number[];
}

/** Request of a rendering for rows of a lazy list, starting at an index. The service must return at least one row. */
export interface LazyListRowsRequest {
  readonly list: LazyList;
  readonly from: number;
  /**
   * True if the template has stored an object since the last request: a row, or an object that is reachable from a row.
   */
  readonly isRetained: boolean;
}

/**
 * A rendering in progress. The generator yields a request when the rendering needs rows, a load that the caller must
 * run, or null when the rendering can pause.
 */
export type TemplateRenderingSteps<T> = Generator<
  LazyListRowsRequest | PendingLoad | null,
  T,
  LazyListRows | undefined
>;

/**
 * Runs a rendering to its end without pauses.
 *
 * @throws TemplateRuntimeError if the rendering requests rows
 * @throws DataNotLoadedError if the rendering needs data that is not loaded
 */
export function renderWithoutPauses<T>(steps: TemplateRenderingSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value instanceof PendingLoad) throw new DataNotLoadedError(step.value);
    if (step.value !== null) throw step.value.list.wholeListError();
  }
}
