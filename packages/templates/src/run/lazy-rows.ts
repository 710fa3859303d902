import type { TemplateResourceCounter } from '../template-budget.js';
import { toTemplateValue, type LazyList, type TemplateValue } from '../values/template-value.js';
import type { TemplateLoopItems } from './loop-state.js';
import type { TemplateRenderingSteps } from './rendering-steps.js';

/** A row of a lazy list (a list that is read in parts), with the length of the row's JSON in characters. */
interface LazyListRow {
  readonly item: TemplateValue;
  readonly length: number;
}

/** Rows of a {@link LazyList} near the current row of a template loop. Only these rows are in memory. */
export class LoadedLazyListRows implements TemplateLoopItems {
  readonly length: number | null;
  #start = 0;
  #rows: LazyListRow[] = [];

  /** @param isFiltered true for a loop with a condition, whose length is unknown before its end */
  constructor(
    private readonly list: LazyList,
    private readonly budget: TemplateResourceCounter,
    isFiltered: boolean,
  ) {
    this.length = isFiltered ? null : list.length;
  }

  /** Reads rows of the lazy list until the row at `index` and the row after it are in memory. */
  *readRowAndNext(index: number): TemplateRenderingSteps<void> {
    const requested = Math.min(index + 1, this.list.length - 1);
    while (requested >= this.#start + this.#rows.length) {
      const from = this.#start + this.#rows.length;
      const more = yield { list: this.list, from, isRetained: this.budget.readAndClearRetainedFlag() };
      if (more === undefined || more.items.length === 0) throw new Error('No rows were given for a list');
      // Retains the last two rows: the current and the previous one.
      const kept = this.#rows.slice(-2);
      this.#start = from - kept.length;
      this.#rows = [
        ...kept,
        ...more.items.map((item, at) => ({ item: toTemplateValue(item), length: more.lengths[at] ?? 0 })),
      ];
    }
  }

  itemAt(index: number): TemplateValue | undefined {
    return this.#rows[index - this.#start]?.item;
  }

  /** Returns a row of the lazy list. {@link readRowAndNext} must have read the row before. */
  getLoadedRowAt(index: number): LazyListRow {
    return this.#rows[index - this.#start] ?? { item: null, length: 0 };
  }
}
