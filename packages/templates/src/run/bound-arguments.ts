import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError } from '../template-errors.js';
import { isTruthyTemplateValue, toNumberOrNull } from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import { UndefinedTemplateValue, type TemplateCallArguments, type TemplateValue } from '../values/template-value.js';

/** Arguments of a call in a template, by parameter name. An argument may have been passed by position or by name. */
export class BoundTemplateArguments {
  readonly #values = new Map<string, TemplateValue>();

  /**
   * Assigns the arguments of a call to the parameters of the called function.
   *
   * @throws TemplateRuntimeError for an argument for which the function has no parameter
   */
  constructor(
    private readonly callee: string,
    parameters: readonly string[],
    { positional, named }: TemplateCallArguments,
    readonly budget: TemplateResourceCounter,
  ) {
    if (positional.length > parameters.length) {
      throw new TemplateRuntimeError(`${callee} takes at most ${parameters.length} arguments`);
    }
    for (const [index, value] of positional.entries()) {
      budget.countIterationOver(value);
      this.#values.set(parameters[index] ?? '', value);
    }
    for (const [name, value] of named) {
      if (!parameters.includes(name)) {
        throw new TemplateRuntimeError(`${callee} got an unexpected keyword argument '${name}'`);
      }
      budget.countIterationOver(value);
      this.#values.set(name, value);
    }
  }

  /** Returns the value that a template passed for a parameter, or null if the template passed no value. */
  findArgument(name: string): TemplateValue {
    return this.#values.get(name) ?? null;
  }

  /** Returns true if the template passed an argument for a parameter. */
  hasArgument(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns the argument that a template passed for a required parameter. */
  requireArgument(name: string): TemplateValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new TemplateRuntimeError(`${this.callee} misses the argument '${name}'`);
    return value;
  }

  /** Returns the argument of a parameter, converted to text. Returns `otherwise` if the template passed no argument. */
  getTextArgument(name: string, otherwise: string): string {
    const value = this.#values.get(name);
    return value === undefined || value === null ? otherwise : templateValueToText(value, this.budget);
  }

  /** Returns the argument of a parameter as an integer. Returns `otherwise` if the template passed no argument. */
  getIntegerArgument(name: string, otherwise: number): number {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return otherwise;
    const number = toNumberOrNull(value);
    if (number === null || !Number.isSafeInteger(Math.trunc(number))) {
      throw new TemplateRuntimeError(`${this.callee} takes a number as '${name}'`);
    }
    return Math.trunc(number);
  }

  /**
   * Returns the argument of a parameter as a boolean, by Python's rules of truth. Returns `otherwise` if the template
   * passed no argument.
   */
  getBooleanArgument(name: string, otherwise: boolean): boolean {
    const value = this.#values.get(name);
    return value === undefined || value instanceof UndefinedTemplateValue ? otherwise : isTruthyTemplateValue(value);
  }
}
