import type { Budget } from '../budget.js';
import type { Arguments, Value } from '../values/value.js';
import type { BoundArguments } from './bound-arguments.js';

/** Functions and limits that filters and tests may use. */
export interface Runtime {
  readonly budget: Budget;
  /** Applies a filter by name. The filter `map` uses it. */
  filter(name: string, value: Value, given: Arguments): Value;
  /** Evaluates a template test (`is defined`, for example), given its name. The filter `select` uses it. */
  test(name: string, value: Value, given: Arguments): boolean;
  /** Returns the value of `value.name` or `value[name]`. */
  member(value: Value, name: Value): Value;
}

/** A filter: its function, and the names of the parameters after the value. */
export interface Filter {
  readonly parameters: readonly string[];
  apply(value: Value, given: BoundArguments, runtime: Runtime): Value;
}

/** A filter that accepts any arguments. */
export interface OpenFilter {
  readonly parameters: null;
  apply(value: Value, given: Arguments, runtime: Runtime): Value;
}

/** A test: its function, and the names of the parameters after the value. */
export interface Test {
  readonly parameters: readonly string[];
  holds(value: Value, given: BoundArguments, runtime: Runtime): boolean;
}

/** A method of a type of values: its function, and the names of its parameters. */
export interface Method<T> {
  readonly parameters: readonly string[];
  call(self: T, given: BoundArguments): Value;
}

/** Methods by name. It is a Map, so that no name finds an inherited property. */
export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** Creates a filter from its parameter names, separated by spaces. */
export function filter(parameters: string, apply: Filter['apply']): Filter {
  return { parameters: names(parameters), apply };
}

/** Creates a method from its parameter names, separated by spaces. */
export function method<T>(parameters: string, call: Method<T>['call']): Method<T> {
  return { parameters: names(parameters), call };
}

/** Creates a test from its parameter names, separated by spaces. */
export function test(parameters: string, holds: Test['holds']): Test {
  return { parameters: names(parameters), holds };
}

function names(parameters: string): readonly string[] {
  return parameters === '' ? [] : parameters.split(' ');
}
