import type { LazyList } from '../values/value.js';

/** Rows of a list that is read in parts. */
export interface Rows {
  /** JSON, or objects of the service as `TemplateObject`s. */
  readonly items: readonly unknown[];
  /** Length of the JSON text of each item. */
  readonly lengths: readonly number[];
}

/** A request for rows of a list from an index on. The caller gives at least one. */
export interface RowsRequest {
  readonly list: LazyList;
  readonly from: number;
}

/** A rendering that yields requests for rows, and null where it may pause. */
export type Steps<T> = Generator<RowsRequest | null, T, Rows | undefined>;

/**
 * Runs steps to their end without a pause.
 *
 * @throws TemplateRuntimeError when they need rows
 */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== null) throw step.value.list.refusal();
  }
}
