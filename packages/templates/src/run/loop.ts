import { TemplateRuntimeError } from '../errors.js';
import { isEqual } from '../values/compare.js';
import type { Budget } from '../budget.js';
import { Callable, Members, Undefined, type Value } from '../values/value.js';

/** What the name `loop` stands for within a loop. */
export class Loop {
  index = 0;
  #last: Value | undefined;

  constructor(
    private readonly items: readonly Value[],
    private readonly depth: number,
    private readonly budget: Budget,
    private readonly again: ((items: Value) => Value) | null,
  ) {}

  /** As templates see it: members, and where the loop is recursive something to call with the items further down. */
  asValue(): Members {
    const { again } = this;
    const call = again === null ? null : new Callable('loop', ({ positional: [items = null] }) => again(items));
    return new Members('LoopContext', (name) => this.#member(name), null, call);
  }

  #member(name: string): Value | undefined {
    const { index, items } = this;
    if (name === 'index') return index + 1;
    if (name === 'index0') return index;
    if (name === 'revindex') return items.length - index;
    if (name === 'revindex0') return items.length - index - 1;
    if (name === 'first') return index === 0;
    if (name === 'last') return index === items.length - 1;
    if (name === 'length') return items.length;
    if (name === 'depth') return this.depth + 1;
    if (name === 'depth0') return this.depth;
    if (name === 'previtem') return this.#neighbour(index - 1, 'previous');
    if (name === 'nextitem') return this.#neighbour(index + 1, 'next');
    if (name === 'cycle') return new Callable(name, ({ positional }) => this.#cycle(positional));
    return name === 'changed' ? new Callable(name, ({ positional }) => this.#changed([...positional])) : undefined;
  }

  #neighbour(index: number, which: string): Value {
    const item = this.items[index];
    return item === undefined ? new Undefined(`there is no ${which} item`) : item;
  }

  #cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw new TemplateRuntimeError('no items for cycling given');
    return values[this.index % values.length] ?? null;
  }

  #changed(values: Value): boolean {
    const changed = this.#last === undefined || !isEqual(this.#last, values, this.budget);
    this.#last = values;
    return changed;
  }
}
