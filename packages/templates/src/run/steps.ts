import type { LazyList } from '../values/value.js';

/** Rows of a lazy list. */
export interface Rows {
  /** JSON values, or objects of the service as `TemplateObject`s. */
  readonly items: readonly unknown[];
  /** Length of the JSON text of each item. */
  readonly lengths: readonly number[];
}

/** A request for rows of a list from an index on. The caller must return at least one row. */
export interface RowsRequest {
  readonly list: LazyList;
  readonly from: number;
}

/** A rendering that yields requests for rows, and null where it can pause. */
export type Steps<T> = Generator<RowsRequest | null, T, Rows | undefined>;

/**
 * Runs steps to their end without a pause.
 *
 * @throws TemplateRuntimeError if they request rows
 */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== null) throw step.value.list.refusal();
  }
}
