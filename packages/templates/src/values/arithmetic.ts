import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { toNumberOrNull } from './compare-values.js';
import { formatTextByPercentDirectives } from './percent-format.js';
import {
  FloatValue,
  isTemplateList,
  toPlainValue,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateValue,
} from './template-value.js';

/** Binary operators of templates, except comparison operators. */
export type TemplateArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

const numberCalculationByOperator: Readonly<Record<TemplateArithmeticOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  '%': (a, b) => a - b * Math.floor(a / b),
  '**': (a, b) => a ** b,
};

/**
 * Returns the result of a binary operator with the semantics of Python. `+` also concatenates texts and lists, `*` also
 * repeats texts and lists, and `%` also formats texts.
 */
export function calculateBinaryOperation(
  operator: TemplateArithmeticOperator,
  left: TemplateValue,
  right: TemplateValue,
  budget: TemplateResourceCounter,
): TemplateValue {
  const [a, b] = [toPlainValue(left), toPlainValue(right)];
  for (const one of [a, b]) if (one instanceof UndefinedTemplateValue) throw new UndefinedError(one.reason);
  const [x, y] = [toNumberOrNull(a), toNumberOrNull(b)];
  if (x !== null && y !== null)
    return calculateNumberOperation(operator, x, y, a instanceof FloatValue || b instanceof FloatValue);
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return concatenateTexts(a, b, budget);
    if (isTemplateList(a) && isTemplateList(b)) return concatenateLists(a, b, budget);
  }
  if (operator === '*' && y !== null && !(b instanceof FloatValue)) {
    const repetition = repeatTextOrList(a, y, budget);
    if (repetition !== null) return repetition;
  }
  if (operator === '*' && x !== null && !(a instanceof FloatValue)) {
    const repetition = repeatTextOrList(b, x, budget);
    if (repetition !== null) return repetition;
  }
  if (operator === '%' && typeof a === 'string') return formatTextByPercentDirectives(a, right, budget);
  throw new TemplateRuntimeError(
    `unsupported operand type(s) for ${operator}: '${getPythonTypeName(left)}' and '${getPythonTypeName(right)}'`,
  );
}

function calculateNumberOperation(
  operator: TemplateArithmeticOperator,
  x: number,
  y: number,
  float: boolean,
): TemplateValue {
  if ((operator === '/' || operator === '//' || operator === '%') && y === 0) {
    throw new TemplateRuntimeError('division by zero');
  }
  const result = numberCalculationByOperator[operator](x, y);
  if (!Number.isFinite(result)) throw new TemplateRuntimeError('The result is too large');
  return float || operator === '/' || !Number.isInteger(result) ? new FloatValue(result) : result;
}

/** Concatenates two texts, counts the memory of the result, and returns the result. */
function concatenateTexts(a: string, b: string, budget: TemplateResourceCounter): string {
  budget.countAllocatedMemory(a.length + b.length);
  return a + b;
}

function concatenateLists(
  a: readonly TemplateValue[],
  b: readonly TemplateValue[],
  budget: TemplateResourceCounter,
): TemplateValue {
  budget.countAllocatedMemory((a.length + b.length) * 4);
  return [...a, ...b];
}

function repeatTextOrList(value: TemplateValue, times: number, budget: TemplateResourceCounter): TemplateValue | null {
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    budget.countAllocatedMemory(value.length * count);
    return value.repeat(value === '' ? 0 : count);
  }
  if (!isTemplateList(value)) return null;
  budget.countAllocatedMemory(value.length * count * 4);
  return Array.from({ length: value.length * count }, (_, index) => value[index % value.length] ?? null);
}

/** Returns the result of a unary `-` or `+` operator in a template. */
export function applyUnarySign(sign: '-' | '+', value: TemplateValue): TemplateValue {
  const one = toPlainValue(value);
  if (one instanceof UndefinedTemplateValue) throw new UndefinedError(one.reason);
  const number = toNumberOrNull(one);
  if (number === null)
    throw new TemplateRuntimeError(`bad operand type for unary ${sign}: '${getPythonTypeName(one)}'`);
  const result = sign === '-' ? -number : number;
  return one instanceof FloatValue ? new FloatValue(result) : result;
}
