import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import { InvalidConditionsError, UndecidableConditionError } from './errors.js';
import { kindOf, type Json, type JsonKind } from './json.js';

/**
 * Function that tests the value at the path of a condition.
 *
 * @throws UndecidableConditionError if the values cannot be compared
 */
export type Test = (actual: Json) => boolean;

interface OperatorDefinition {
  /** Types of the condition's `value` that the operator accepts. */
  readonly accepts: readonly JsonKind[];
  /**
   * Compiles the operator with the condition's value. The test is reused for every object.
   *
   * @throws InvalidConditionsError if the value cannot be used
   */
  prepare(expected: Json): Test;
}

// Limits the size of the compiled program.
const longestPattern = 1000;

/**
 * Operators of event rule conditions (docs/contract/inventory.md 5.6), in the order in which error messages list them.
 */
export const operators = {
  eq: { accepts: ['string', 'number', 'boolean', 'null', 'list'], prepare: equals },
  gt: ordering((actual, expected) => actual > expected),
  gte: ordering((actual, expected) => actual >= expected),
  lt: ordering((actual, expected) => actual < expected),
  lte: ordering((actual, expected) => actual <= expected),
  in: { accepts: ['list'], prepare: isIn },
  contains: { accepts: ['string', 'number', 'boolean', 'list'], prepare: contains },
  regex: { accepts: ['string'], prepare: matches },
} as const satisfies Record<string, OperatorDefinition>;

/** Name of an operator of event rule conditions. */
export type Operator = keyof typeof operators;

/** Returns true for the name of an operator of event rule conditions. */
export function isOperator(name: string): name is Operator {
  return Object.hasOwn(operators, name);
}

function equals(expected: Json): Test {
  return (actual) => isDeepStrictEqual(actual, expected);
}

function ordering(holds: (actual: number, expected: number) => boolean): OperatorDefinition {
  return {
    accepts: ['number'],
    prepare: (expected) => (actual) => {
      if (typeof actual !== 'number' || typeof expected !== 'number') throw incomparable(actual, expected);
      return holds(actual, expected);
    },
  };
}

function isIn(expected: Json): Test {
  return (actual) => Array.isArray(expected) && expected.some((item) => isDeepStrictEqual(item, actual));
}

function contains(expected: Json): Test {
  return (actual) => {
    if (Array.isArray(actual)) return actual.some((item) => isDeepStrictEqual(item, expected));
    if (typeof actual === 'string' && typeof expected === 'string') return actual.includes(expected);
    throw incomparable(actual, expected);
  };
}

/**
 * Prepares a test by a regular expression. RE2 takes time linear in the length of the text whatever the expression, so
 * that no rule can delay deliveries of others. It does not support back references.
 */
function matches(expected: Json): Test {
  const pattern = String(expected);
  if (pattern.length > longestPattern) {
    throw new InvalidConditionsError(`A regular expression may have at most ${longestPattern} characters.`);
  }
  const compiled = compilePattern(pattern);
  return (actual) => {
    if (typeof actual !== 'string') throw incomparable(actual, expected);
    // Matches at the start of the text only, and need not reach its end.
    return compiled.matcher(actual).lookingAt();
  };
}

function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new InvalidConditionsError(`Invalid regular expression: ${error instanceof Error ? error.message : pattern}`);
  }
}

function incomparable(actual: Json, expected: Json): UndecidableConditionError {
  return new UndecidableConditionError(`A ${kindOf(actual)} cannot be compared with a ${kindOf(expected)}`);
}
