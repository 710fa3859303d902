import { TemplateRuntimeError } from '../template-errors.js';
import { areEqualTemplateValues } from '../values/compare-values.js';
import type { TemplateResourceCounter } from '../template-budget.js';
import {
  CallableTemplateValue,
  ValueWithComputedMembers,
  UndefinedTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';

export interface TemplateLoopItems {
  /** Number of the loop's items; null if the number is unknown before the end of the loop. */
  readonly length: number | null;
  /** Returns the item of a template loop at an index. The index must be near the index of the current item. */
  itemAt(index: number): TemplateValue | undefined;
}

/** Returns the loop items for a list in memory. */
export function createLoopItemsOfList(items: readonly TemplateValue[]): TemplateLoopItems {
  return { length: items.length, itemAt: (index) => items[index] };
}

/** Provides the variable `loop`, which templates can use inside a loop. */
export class TemplateLoopState {
  index = 0;
  #lastChangedValue: TemplateValue | undefined;

  constructor(
    private readonly items: TemplateLoopItems,
    private readonly depth: number,
    private readonly budget: TemplateResourceCounter,
    private readonly runRecursively: ((items: TemplateValue) => TemplateValue) | null,
  ) {}

  /**
   * Returns the value of `loop` for templates. In a recursive loop, templates can call the value with the items of the
   * next level.
   */
  toLoopVariableValue(): ValueWithComputedMembers {
    const { runRecursively } = this;
    const call =
      runRecursively === null
        ? null
        : new CallableTemplateValue('loop', ({ positional: [items = null] }) => runRecursively(items));
    return new ValueWithComputedMembers('LoopContext', (name) => this.#findMember(name), null, call);
  }

  #findMember(name: string): TemplateValue | undefined {
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
    if (name === 'previtem') return this.#neighbouringItem(index - 1, 'previous');
    if (name === 'nextitem') return this.#neighbouringItem(index + 1, 'next');
    if (name === 'cycle') return new CallableTemplateValue(name, ({ positional }) => this.#cycleValues(positional));
    return name === 'changed'
      ? new CallableTemplateValue(name, ({ positional }) => this.#hasChanged([...positional]))
      : undefined;
  }

  get #length(): number {
    const { length } = this.items;
    if (length !== null) return length;
    throw new TemplateRuntimeError('A loop with a condition over a list that is read in parts does not know its end');
  }

  #neighbouringItem(index: number, which: string): TemplateValue {
    if (this.items.length === null) return this.#length;
    const item = this.items.itemAt(index);
    return item === undefined ? new UndefinedTemplateValue(`there is no ${which} item`) : item;
  }

  #cycleValues(values: readonly TemplateValue[]): TemplateValue {
    if (values.length === 0) throw new TemplateRuntimeError('no items for cycling given');
    return values[this.index % values.length] ?? null;
  }

  #hasChanged(values: TemplateValue): boolean {
    const changed =
      this.#lastChangedValue === undefined || !areEqualTemplateValues(this.#lastChangedValue, values, this.budget);
    const before = this.#lastChangedValue;
    this.budget.undoLog.recordChange(() => void (this.#lastChangedValue = before));
    this.#lastChangedValue = values;
    return changed;
  }
}
