import type { TemplateBudget } from '../template-budget.js';
import type { CallArguments, TemplateValue } from '../values/template-value.js';
import type { BoundArguments } from './bound-arguments.js';

/** Functions and limits of a rendering that template filters and tests may use. */
export interface FilterRuntime {
  readonly budget: TemplateBudget;
  /** Applies the template filter with the given name to a value, and returns the result. Used by the filter `map`. */
  applyFilter(name: string, value: TemplateValue, given: CallArguments): TemplateValue;
  /**
   * Evaluates the template test with the given name (such as `defined`) for a value, and returns the result. Used by
   * the filter `select`.
   */
  applyTest(name: string, value: TemplateValue, given: CallArguments): boolean;
  /**
   * Returns the text of a value, marked as safe text that is printed without escaping. In templates without escaping,
   * returns the value unchanged.
   */
  markSafe(value: TemplateValue): TemplateValue;
  /** Returns the result of `value.name` or `value[name]` in a template. */
  memberOf(value: TemplateValue, name: TemplateValue): TemplateValue;
}

/** A template filter: its function, and the names of the function's parameters after the filtered value. */
export interface TemplateFilter {
  readonly parameters: readonly string[];
  apply(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue;
}

/** A template filter that accepts any arguments. */
export interface VariadicFilter {
  readonly parameters: null;
  apply(value: TemplateValue, given: CallArguments, runtime: FilterRuntime): TemplateValue;
}

/** A template test: its function, and the names of the function's parameters after the tested value. */
export interface TemplateTest {
  readonly parameters: readonly string[];
  isMet(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): boolean;
}

/** A method that templates can call on a type of values: its function, and the names of the method's parameters. */
export interface ValueMethod<T> {
  readonly parameters: readonly string[];
  call(self: T, given: BoundArguments): TemplateValue;
}

/**
 * Methods of a type of template values, by name. The type is a Map, so that the lookup of a name never returns an
 * inherited property of an object.
 */
export type ValueMethods<T> = ReadonlyMap<string, ValueMethod<T>>;

/** Creates a template filter from its function and its parameter names, which are separated by spaces. */
export function createFilter(parameters: string, apply: TemplateFilter['apply']): TemplateFilter {
  return { parameters: splitParameterNames(parameters), apply };
}

/**
 * Creates a method that templates can call from its function and its parameter names, which are separated by spaces.
 */
export function createMethod<T>(parameters: string, call: ValueMethod<T>['call']): ValueMethod<T> {
  return { parameters: splitParameterNames(parameters), call };
}

/** Creates a template test from its function and its parameter names, which are separated by spaces. */
export function createTest(parameters: string, holds: TemplateTest['isMet']): TemplateTest {
  return { parameters: splitParameterNames(parameters), isMet: holds };
}

function splitParameterNames(parameters: string): readonly string[] {
  return parameters === '' ? [] : parameters.split(' ');
}
