import type { TemplateBudget } from '../template-budget.js';
import type { CallArguments, TemplateValue } from '../values/template-value.js';
import type { BoundArguments } from './bound-arguments.js';

/** Functions and limits that filters and tests may use. */
export interface FilterRuntime {
  readonly budget: TemplateBudget;
  /** Applies a template filter, given its name. The filter `map` uses this function. */
  applyFilter(name: string, value: TemplateValue, given: CallArguments): TemplateValue;
  /** Evaluates a template test, such as `is defined`, given its name. The filter `select` uses this function. */
  applyTest(name: string, value: TemplateValue, given: CallArguments): boolean;
  /**
   * Marks the text of a value as safe, so that it is printed without escaping. Returns the value unchanged in templates
   * without escaping.
   */
  markSafe(value: TemplateValue): TemplateValue;
  /** Returns the value of `value.name` or `value[name]` in a template. */
  memberOf(value: TemplateValue, name: TemplateValue): TemplateValue;
}

/** A template filter: its function, and the names of the parameters after the value. */
export interface TemplateFilter {
  readonly parameters: readonly string[];
  apply(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue;
}

/** A template filter that accepts any arguments. */
export interface VariadicFilter {
  readonly parameters: null;
  apply(value: TemplateValue, given: CallArguments, runtime: FilterRuntime): TemplateValue;
}

/** A template test: its function, and the names of the parameters after the value. */
export interface TemplateTest {
  readonly parameters: readonly string[];
  isMet(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): boolean;
}

/** A method that templates can call on a type of values: its function, and the names of its parameters. */
export interface ValueMethod<T> {
  readonly parameters: readonly string[];
  call(self: T, given: BoundArguments): TemplateValue;
}

/** Methods of a type of values by name. It is a Map, so that no name finds an inherited property. */
export type ValueMethods<T> = ReadonlyMap<string, ValueMethod<T>>;

/** Creates a template filter from its parameter names, separated by spaces. */
export function createFilter(parameters: string, apply: TemplateFilter['apply']): TemplateFilter {
  return { parameters: splitParameterNames(parameters), apply };
}

/** Creates a method for templates from its parameter names, separated by spaces. */
export function createMethod<T>(parameters: string, call: ValueMethod<T>['call']): ValueMethod<T> {
  return { parameters: splitParameterNames(parameters), call };
}

/** Creates a template test from its parameter names, separated by spaces. */
export function createTest(parameters: string, holds: TemplateTest['isMet']): TemplateTest {
  return { parameters: splitParameterNames(parameters), isMet: holds };
}

function splitParameterNames(parameters: string): readonly string[] {
  return parameters === '' ? [] : parameters.split(' ');
}
