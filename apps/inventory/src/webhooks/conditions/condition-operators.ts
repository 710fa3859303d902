import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import { InvalidConditionsError, UndecidableConditionError } from './condition-errors.js';
import { getJsonKind, type JsonValue, type JsonKind } from './condition-json.js';

/**
 * Function that tests the value at the path of a condition.
 *
 * @throws UndecidableConditionError if the values cannot be compared
 */
export type ConditionTest = (actual: JsonValue) => boolean;

interface OperatorDefinition {
  /** Types of JSON values that the operator accepts in the member `value` of a condition. */
  readonly accepts: readonly JsonKind[];
  /**
   * Compiles the operator with the condition's value to a test. The test is reused for every object.
   *
   * @throws InvalidConditionsError if the value cannot be used
   */
  prepare(expected: JsonValue): ConditionTest;
}

// Limits the size of the compiled program.
const maxConditionPatternLength = 1000;

/**
 * Operators of event rule conditions (docs/contract/inventory.md 5.6), in the order in which error messages list them.
 */
export const conditionOperators = {
  eq: { accepts: ['string', 'number', 'boolean', 'null', 'list'], prepare: prepareEqualsTest },
  gt: createOrderingOperator((actual, expected) => actual > expected),
  gte: createOrderingOperator((actual, expected) => actual >= expected),
  lt: createOrderingOperator((actual, expected) => actual < expected),
  lte: createOrderingOperator((actual, expected) => actual <= expected),
  in: { accepts: ['list'], prepare: prepareIsInTest },
  contains: { accepts: ['string', 'number', 'boolean', 'list'], prepare: prepareContainsTest },
  regex: { accepts: ['string'], prepare: prepareRegularExpressionTest },
} as const satisfies Record<string, OperatorDefinition>;

/** Name of an operator of event rule conditions. */
export type ConditionOperator = keyof typeof conditionOperators;

/** Returns true if a text is the name of an operator of event rule conditions. */
export function isConditionOperator(name: string): name is ConditionOperator {
  return Object.hasOwn(conditionOperators, name);
}

function prepareEqualsTest(expected: JsonValue): ConditionTest {
  return (actual) => isDeepStrictEqual(actual, expected);
}

function createOrderingOperator(holds: (actual: number, expected: number) => boolean): OperatorDefinition {
  return {
    accepts: ['number'],
    prepare: (expected) => (actual) => {
      if (typeof actual !== 'number' || typeof expected !== 'number') throw createIncomparableError(actual, expected);
      return holds(actual, expected);
    },
  };
}

function prepareIsInTest(expected: JsonValue): ConditionTest {
  return (actual) => Array.isArray(expected) && expected.some((item) => isDeepStrictEqual(item, actual));
}

function prepareContainsTest(expected: JsonValue): ConditionTest {
  return (actual) => {
    if (Array.isArray(actual)) return actual.some((item) => isDeepStrictEqual(item, expected));
    if (typeof actual === 'string' && typeof expected === 'string') return actual.includes(expected);
    throw createIncomparableError(actual, expected);
  };
}

/**
 * Returns a test that matches texts with a regular expression, by the library RE2. The time of RE2 grows only linearly
 * with the length of the text. Therefore no event rule can delay the deliveries of other rules. RE2 does not support
 * back references.
 */
function prepareRegularExpressionTest(expected: JsonValue): ConditionTest {
  const pattern = String(expected);
  if (pattern.length > maxConditionPatternLength) {
    throw new InvalidConditionsError(`A regular expression may have at most ${maxConditionPatternLength} characters.`);
  }
  const compiled = compileConditionPattern(pattern);
  return (actual) => {
    if (typeof actual !== 'string') throw createIncomparableError(actual, expected);
    // Matches at the start of the text only, and need not reach its end.
    return compiled.matcher(actual).lookingAt();
  };
}

function compileConditionPattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new InvalidConditionsError(`Invalid regular expression: ${error instanceof Error ? error.message : pattern}`);
  }
}

function createIncomparableError(actual: JsonValue, expected: JsonValue): UndecidableConditionError {
  return new UndecidableConditionError(`A ${getJsonKind(actual)} cannot be compared with a ${getJsonKind(expected)}`);
}
