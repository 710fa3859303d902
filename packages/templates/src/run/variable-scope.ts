import { TemplateRuntimeError } from '../template-errors.js';
import { listIterableItems } from '../values/compare-values.js';
import type { TemplateResourceCounter } from '../template-budget.js';
import { ValueWithComputedMembers, type TemplateValue } from '../values/template-value.js';
import type { AssignmentTarget } from '../language/syntax-tree.js';
import type { TemplateExecutionState } from './template-frame.js';

/** Variables of a template with their values. Assignments in an inner scope do not affect the outer scope. */
export class TemplateVariableScope {
  readonly #values = new Map<string, TemplateValue>();

  /** Template whose statements have the variables of this scope; null for the scope of the language's functions. */
  readonly frame: TemplateExecutionState | null;

  constructor(
    private readonly outer: TemplateVariableScope | null = null,
    frame: TemplateExecutionState | null = null,
  ) {
    this.frame = frame ?? outer?.frame ?? null;
  }

  /**
   * Returns the value of a variable in this scope, without its outer scopes. Returns undefined if this scope has no
   * such variable.
   */
  findVariableInThisScope(name: string): TemplateValue | undefined {
    return this.#values.get(name);
  }

  /**
   * Returns the value of a variable in this scope or the nearest outer scope that has the variable. Returns undefined
   * if no scope has the variable.
   */
  findVariable(name: string): TemplateValue | undefined {
    const own = this.#values.get(name);
    if (own !== undefined) return own;
    let { outer } = this;
    while (outer !== null && !outer.#values.has(name)) outer = outer.outer;
    return outer === null ? undefined : outer.#values.get(name);
  }

  /** Assigns a value to a variable in this scope, without its outer scopes. */
  setVariable(name: string, value: TemplateValue): void {
    this.#values.set(name, value);
  }

  /** Assigns a value to a parsed assignment target. The target is a name, several names, or a member of a namespace. */
  assignToTarget(target: AssignmentTarget, value: TemplateValue, budget: TemplateResourceCounter): void {
    if (target.kind === 'name') this.setVariable(target.name, value);
    else if (target.kind === 'member') this.#assignMember(target, value, budget);
    else this.#assignAll(target.targets, listIterableItems(value, budget), budget);
  }

  #assignMember(
    { of, name }: { of: string; name: string },
    value: TemplateValue,
    budget: TemplateResourceCounter,
  ): void {
    const namespace = this.findVariable(of);
    if (!(namespace instanceof ValueWithComputedMembers) || namespace.assign === null) {
      throw new TemplateRuntimeError('cannot assign attribute on non-namespace object');
    }
    budget.countRetainedValue(value);
    namespace.assign(name, value);
  }

  #assignAll(
    targets: readonly AssignmentTarget[],
    values: readonly TemplateValue[],
    budget: TemplateResourceCounter,
  ): void {
    if (targets.length !== values.length) {
      throw new TemplateRuntimeError(`cannot unpack ${values.length} values into ${targets.length} names`);
    }
    for (const [index, target] of targets.entries()) this.assignToTarget(target, values[index] ?? null, budget);
  }
}
