import type { Budget } from '../budget.js';
import type { Arguments, Value } from '../values/value.js';
import type { BoundArguments } from './bound-arguments.js';

/** Functions and limits that filters and tests may use. */
export interface Runtime {
  readonly budget: Budget;
  /** Applies the template filter with a name. The filter `map` uses it. */
  filter(name: string, value: Value, given: Arguments): Value;
  /** Evaluates a template test (`is defined`, for example), given its name. The filter `select` uses it. */
  test(name: string, value: Value, given: Arguments): boolean;
  /** Returns a value as a text that is not escaped where it is printed, in templates that escape. */
  safe(value: Value): Value;
  /** Returns the value of `value.name` or `value[name]` in a template. */
  member(value: Value, name: Value): Value;
}

/** A template filter: its function, and the names of the parameters after the value. */
export interface Filter {
  readonly parameters: readonly string[];
  apply(value: Value, given: BoundArguments, runtime: Runtime): Value;
}

/** A template filter that accepts any arguments. */
export interface OpenFilter {
  readonly parameters: null;
  apply(value: Value, given: Arguments, runtime: Runtime): Value;
}

/** A template test: its function, and the names of the parameters after the value. */
export interface Test {
  readonly parameters: readonly string[];
  holds(value: Value, given: BoundArguments, runtime: Runtime): boolean;
}

/** A method that templates can call on a type of values: its function, and the names of its parameters. */
export interface Method<T> {
  readonly parameters: readonly string[];
  call(self: T, given: BoundArguments): Value;
}

/** Methods of a type of values by name. It is a Map, so that no name finds an inherited property. */
export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** Creates a template filter from its parameter names, separated by spaces. */
export function filter(parameters: string, apply: Filter['apply']): Filter {
  return { parameters: names(parameters), apply };
}

/** Creates a method for templates from its parameter names, separated by spaces. */
export function method<T>(parameters: string, call: Method<T>['call']): Method<T> {
  return { parameters: names(parameters), call };
}

/** Creates a template test from its parameter names, separated by spaces. */
export function test(parameters: string, holds: Test['holds']): Test {
  return { parameters: names(parameters), holds };
}

function names(parameters: string): readonly string[] {
  return parameters === '' ? [] : parameters.split(' ');
}
