import { fromHost, type LazyList, type Value } from '../values/value.js';
import type { LoopItems } from './loop.js';
import type { Steps } from './steps.js';

/** A row, and the length of its JSON text. */
interface Row {
  readonly item: Value;
  readonly length: number;
}

/** The rows of a {@link LazyList} around the current one. */
export class LazyRows implements LoopItems {
  readonly length: number | null;
  #start = 0;
  #rows: Row[] = [];

  /** @param isFiltered True for a loop with a condition, whose length is not known before its end. */
  constructor(
    private readonly list: LazyList,
    isFiltered: boolean,
  ) {
    this.length = isFiltered ? null : list.length;
  }

  /** Reads on until a row and the next one are there. */
  *load(index: number): Steps<void> {
    const wanted = Math.min(index + 1, this.list.length - 1);
    while (wanted >= this.#start + this.#rows.length) {
      const from = this.#start + this.#rows.length;
      const more = yield { list: this.list, from };
      if (more === undefined || more.items.length === 0) throw new Error('No rows were given for a list');
      // The current row and the one before stay.
      const kept = this.#rows.slice(-2);
      this.#start = from - kept.length;
      this.#rows = [
        ...kept,
        ...more.items.map((item, at) => ({ item: fromHost(item), length: more.lengths[at] ?? 0 })),
      ];
    }
  }

  at(index: number): Value | undefined {
    return this.#rows[index - this.#start]?.item;
  }

  /** A row that {@link load} has read. */
  rowAt(index: number): Row {
    return this.#rows[index - this.#start] ?? { item: null, length: 0 };
  }
}
