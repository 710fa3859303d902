import type { Budget } from '../budget.js';
import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import { numberOf } from './compare.js';
import { formatPercent } from './percent-format.js';
import { Float, isList, plain, typeName, Undefined, type Value } from './value.js';

/** Binary operators of templates except comparisons. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

const operations: Readonly<Record<ArithmeticOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  '%': (a, b) => a - b * Math.floor(a / b),
  '**': (a, b) => a ** b,
};

/**
 * Returns the result of a binary operator as in Python: `+` also concatenates texts and lists, `*` also repeats them,
 * and `%` also formats texts.
 */
export function calculate(operator: ArithmeticOperator, left: Value, right: Value, budget: Budget): Value {
  const [a, b] = [plain(left), plain(right)];
  for (const one of [a, b]) if (one instanceof Undefined) throw new UndefinedError(one.reason);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return calculateNumbers(operator, x, y, a instanceof Float || b instanceof Float);
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return joined(a, b, budget);
    if (isList(a) && isList(b)) return joinedLists(a, b, budget);
  }
  if (operator === '*' && y !== null && !(b instanceof Float)) {
    const repetition = repeated(a, y, budget);
    if (repetition !== null) return repetition;
  }
  if (operator === '*' && x !== null && !(a instanceof Float)) {
    const repetition = repeated(b, x, budget);
    if (repetition !== null) return repetition;
  }
  if (operator === '%' && typeof a === 'string') return formatPercent(a, right, budget);
  throw new TemplateRuntimeError(
    `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function calculateNumbers(operator: ArithmeticOperator, x: number, y: number, float: boolean): Value {
  if ((operator === '/' || operator === '//' || operator === '%') && y === 0) {
    throw new TemplateRuntimeError('division by zero');
  }
  const result = operations[operator](x, y);
  if (!Number.isFinite(result)) throw new TemplateRuntimeError('The result is too large');
  return float || operator === '/' || !Number.isInteger(result) ? new Float(result) : result;
}

/** Concatenates two texts and counts the memory of the result. */
function joined(a: string, b: string, budget: Budget): string {
  budget.allocate(a.length + b.length);
  return a + b;
}

function joinedLists(a: readonly Value[], b: readonly Value[], budget: Budget): Value {
  budget.allocate((a.length + b.length) * 4);
  return [...a, ...b];
}

function repeated(value: Value, times: number, budget: Budget): Value | null {
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    budget.allocate(value.length * count);
    return value.repeat(value === '' ? 0 : count);
  }
  if (!isList(value)) return null;
  budget.allocate(value.length * count * 4);
  return Array.from({ length: value.length * count }, (_, index) => value[index % value.length] ?? null);
}

/** Returns the result of a unary `-` or `+`. */
export function signed(sign: '-' | '+', value: Value): Value {
  const one = plain(value);
  if (one instanceof Undefined) throw new UndefinedError(one.reason);
  const number = numberOf(one);
  if (number === null) throw new TemplateRuntimeError(`bad operand type for unary ${sign}: '${typeName(one)}'`);
  const result = sign === '-' ? -number : number;
  return one instanceof Float ? new Float(result) : result;
}
