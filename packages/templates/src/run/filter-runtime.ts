import type { TemplateResourceCounter } from '../template-budget.js';
import type { TemplateCallArguments, TemplateValue } from '../values/template-value.js';
import type { BoundTemplateArguments } from './bound-arguments.js';

/** Functions and limits of a rendering that template filters and tests may use. */
export interface TemplateFilterRuntime {
  readonly budget: TemplateResourceCounter;
  /** Applies the template filter with the given name to a value, and returns the result. Used by the filter `map`. */
  applyFilter(name: string, value: TemplateValue, given: TemplateCallArguments): TemplateValue;
  /**
   * Evaluates the template test with the given name (such as `defined`) for a value, and returns the result. Used by
   * the filter `select`.
   */
  applyTest(name: string, value: TemplateValue, given: TemplateCallArguments): boolean;
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
  apply(value: TemplateValue, given: BoundTemplateArguments, runtime: TemplateFilterRuntime): TemplateValue;
}

/** A template filter that accepts any arguments. */
export interface VariadicTemplateFilter {
  readonly parameters: null;
  apply(value: TemplateValue, given: TemplateCallArguments, runtime: TemplateFilterRuntime): TemplateValue;
}

/** A template test: its function, and the names of the function's parameters after the tested value. */
export interface TemplateTest {
  readonly parameters: readonly string[];
  isMet(value: TemplateValue, given: BoundTemplateArguments, runtime: TemplateFilterRuntime): boolean;
}

/** A method that templates can call on a type of values: its function, and the names of the method's parameters. */
export interface TemplateValueMethod<T> {
  readonly parameters: readonly string[];
  call(self: T, given: BoundTemplateArguments): TemplateValue;
}

/**
 * Methods of a type of template values, by name. The type is a Map, so that the lookup of a name never returns an
 * inherited property of an object.
 */
export type TemplateValueMethods<T> = ReadonlyMap<string, TemplateValueMethod<T>>;

/** Creates a template filter from its function and parameter names, which are separated by spaces. */
export function createTemplateFilter(parameters: string, apply: TemplateFilter['apply']): TemplateFilter {
  return { parameters: splitParameterNames(parameters), apply };
}

/** Creates a method that templates can call from its function and parameter names, which are separated by spaces. */
export function createTemplateMethod<T>(
  parameters: string,
  call: TemplateValueMethod<T>['call'],
): TemplateValueMethod<T> {
  return { parameters: splitParameterNames(parameters), call };
}

/** Creates a template test from its function and parameter names, which are separated by spaces. */
export function createTemplateTest(parameters: string, holds: TemplateTest['isMet']): TemplateTest {
  return { parameters: splitParameterNames(parameters), isMet: holds };
}

function splitParameterNames(parameters: string): readonly string[] {
  return parameters === '' ? [] : parameters.split(' ');
}
