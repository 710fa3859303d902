import { TemplateRuntimeError } from '../errors.js';
import { itemsOf } from '../values/compare.js';
import type { Budget } from '../budget.js';
import { Members, type Value } from '../values/value.js';
import type { Target } from '../language/syntax-tree.js';
import type { TemplateFrame } from './template-frame.js';

/** Variables of a template with their values. Assignments in an inner scope do not affect the outer one. */
export class Scope {
  readonly #values = new Map<string, Value>();

  /** Template whose statements have these variables; null for functions of the language. */
  readonly frame: TemplateFrame | null;

  constructor(
    private readonly outer: Scope | null = null,
    frame: TemplateFrame | null = null,
  ) {
    this.frame = frame ?? outer?.frame ?? null;
  }

  /** Returns the value of a variable in this scope alone. */
  own(name: string): Value | undefined {
    return this.#values.get(name);
  }

  /** Returns the value of a variable in this scope or the nearest outer one. */
  find(name: string): Value | undefined {
    const own = this.#values.get(name);
    if (own !== undefined) return own;
    let { outer } = this;
    while (outer !== null && !outer.#values.has(name)) outer = outer.outer;
    return outer === null ? undefined : outer.#values.get(name);
  }

  /** Assigns a value to a variable in this scope. */
  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  /** Assigns a value to a parsed target, such as a name or several. */
  assign(target: Target, value: Value, budget: Budget): void {
    if (target.kind === 'name') this.set(target.name, value);
    else if (target.kind === 'member') this.#assignMember(target, value, budget);
    else this.#assignAll(target.targets, itemsOf(value, budget), budget);
  }

  #assignMember({ of, name }: { of: string; name: string }, value: Value, budget: Budget): void {
    const namespace = this.find(of);
    if (!(namespace instanceof Members) || namespace.assign === null) {
      throw new TemplateRuntimeError('cannot assign attribute on non-namespace object');
    }
    budget.retain(value);
    namespace.assign(name, value);
  }

  #assignAll(targets: readonly Target[], values: readonly Value[], budget: Budget): void {
    if (targets.length !== values.length) {
      throw new TemplateRuntimeError(`cannot unpack ${values.length} values into ${targets.length} names`);
    }
    for (const [index, target] of targets.entries()) this.assign(target, values[index] ?? null, budget);
  }
}
