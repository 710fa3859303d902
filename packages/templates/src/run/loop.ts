import { TemplateRuntimeError } from '../errors.js';
import { isEqual } from '../values/compare.js';
import type { Budget } from '../budget.js';
import { Callable, Members, Undefined, type Value } from '../values/value.js';

/** The items that a template's loop runs over. */
export interface LoopItems {
  /** Number of the loop's items; null if it is not known before the end. */
  readonly length: number | null;
  /** Returns the loop's item at an index near the current one. */
  at(index: number): Value | undefined;
}

/** Returns the items of a list for a loop. */
export function listItems(items: readonly Value[]): LoopItems {
  return { length: items.length, at: (index) => items[index] };
}

/** Provides the variable `loop`, which templates can use inside a loop. */
export class Loop {
  index = 0;
  #last: Value | undefined;

  constructor(
    private readonly items: LoopItems,
    private readonly depth: number,
    private readonly budget: Budget,
    private readonly again: ((items: Value) => Value) | null,
  ) {}

  /**
   * Returns the value of `loop` for templates. In a recursive loop it can be called with the items of the next level.
   */
  asValue(): Members {
    const { again } = this;
    const call = again === null ? null : new Callable('loop', ({ positional: [items = null] }) => again(items));
    return new Members('LoopContext', (name) => this.#member(name), null, call);
  }

  #member(name: string): Value | undefined {
    const { index } = this;
    if (name === 'index') return index + 1;
    if (name === 'index0') return index;
    if (name === 'revindex') return this.#length - index;
    if (name === 'revindex0') return this.#length - index - 1;
    if (name === 'first') return index === 0;
    if (name === 'last') return index === this.#length - 1;
    if (name === 'length') return this.#length;
    if (name === 'depth') return this.depth + 1;
    if (name === 'depth0') return this.depth;
    if (name === 'previtem') return this.#neighbour(index - 1, 'previous');
    if (name === 'nextitem') return this.#neighbour(index + 1, 'next');
    if (name === 'cycle') return new Callable(name, ({ positional }) => this.#cycle(positional));
    return name === 'changed' ? new Callable(name, ({ positional }) => this.#changed([...positional])) : undefined;
  }

  get #length(): number {
    const { length } = this.items;
    if (length !== null) return length;
    throw new TemplateRuntimeError('A loop with a condition over a list that is read in parts does not know its end');
  }

  #neighbour(index: number, which: string): Value {
    if (this.items.length === null) return this.#length;
    const item = this.items.at(index);
    return item === undefined ? new Undefined(`there is no ${which} item`) : item;
  }

  #cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw new TemplateRuntimeError('no items for cycling given');
    return values[this.index % values.length] ?? null;
  }

  #changed(values: Value): boolean {
    const changed = this.#last === undefined || !isEqual(this.#last, values, this.budget);
    const before = this.#last;
    this.budget.changes.add(() => void (this.#last = before));
    this.#last = values;
    return changed;
  }
}
