import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { isTruthyTemplateValue, listIterableItems, toNumberOrNull } from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import {
  TemplateDictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateValue,
  RelatedList,
} from '../values/template-value.js';
import type { BoundTemplateArguments } from '../run/bound-arguments.js';
import { createTemplateFilter, type TemplateFilter } from '../run/filter-runtime.js';

const defaultValueFilter = createTemplateFilter('default_value boolean', (value, given) => {
  const missing =
    value instanceof UndefinedTemplateValue ||
    (given.getBooleanArgument('boolean', false) && !isTruthyTemplateValue(value));
  return missing ? (given.hasArgument('default_value') ? given.requireArgument('default_value') : '') : value;
});

const valueLengthFilter = createTemplateFilter('', (value, _given, { budget }) => {
  if (value instanceof RelatedList) return value.length;
  const one = toPlainValue(value);
  if (typeof one === 'string' || isTemplateList(one) || one instanceof LazyList) return one.length;
  if (one instanceof TemplateDictValue) return one.entries.size;
  if (one instanceof UndefinedTemplateValue) return 0;
  throw new TemplateRuntimeError(
    `object of type '${getPythonTypeName(one)}' has no len(): ${templateValueToText(one, budget)}`,
  );
});

function getFirstOrLastItem(items: readonly TemplateValue[], which: 'first' | 'last'): TemplateValue {
  const item = items.at(which === 'first' ? 0 : -1);
  return item === undefined ? new UndefinedTemplateValue(`No ${which} item, sequence was empty.`) : item;
}

function convertToInteger(value: TemplateValue, given: BoundTemplateArguments): TemplateValue {
  const otherwise = given.hasArgument('default') ? given.requireArgument('default') : 0;
  const number = toNumberOrNull(value);
  if (number !== null) return Number.isFinite(number) ? Math.trunc(number) : otherwise;
  const text = templateValueToText(value, given.budget).trim().replaceAll('_', '').toLowerCase();
  return parseInteger(text, given.getIntegerArgument('base', 10)) ?? otherwise;
}

const integerPrefixByBase = new Map([
  [16, '0x'],
  [8, '0o'],
  [2, '0b'],
]);

function parseInteger(text: string, base: number): number | null {
  if (text.length > 400) return null;
  if (base === 10) return /^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$/.test(text) ? toFiniteOrNull(Math.trunc(Number(text))) : null;
  const [, sign = '', digits = ''] = /^([-+]?)([\da-z]+)$/.exec(text) ?? [];
  const prefix = integerPrefixByBase.get(base) ?? '';
  const bare = prefix !== '' && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  const number = base >= 2 && base <= 36 ? Number.parseInt(bare, base) : Number.NaN;
  if (Number.isNaN(number) || ![...bare].every((digit) => !Number.isNaN(Number.parseInt(digit, base)))) return null;
  return toFiniteOrNull(sign === '-' ? -number : number);
}

function toFiniteOrNull(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

function convertToFloat(value: TemplateValue, given: BoundTemplateArguments): TemplateValue {
  const number = toNumberOrNull(value) ?? Number(templateValueToText(value, given.budget).trim() || Number.NaN);
  if (Number.isNaN(number)) return given.hasArgument('default') ? given.requireArgument('default') : new FloatValue(0);
  return new FloatValue(number);
}

function roundToPrecision(value: TemplateValue, given: BoundTemplateArguments): TemplateValue {
  const number = requireNumericFilterValue(value, 'round');
  const factor = 10 ** Math.max(-300, Math.min(300, given.getIntegerArgument('precision', 0)));
  const method = given.getTextArgument('method', 'common');
  if (method === 'ceil') return new FloatValue(Math.ceil(number * factor) / factor);
  if (method === 'floor') return new FloatValue(Math.floor(number * factor) / factor);
  if (method !== 'common') throw new TemplateRuntimeError('method must be common, ceil or floor');
  return new FloatValue(Number.isFinite(number * factor) ? roundHalfToEven(number * factor) / factor : number);
}

// Rounds like Python: a number halfway between two integers becomes the even one.
function roundHalfToEven(number: number): number {
  const down = Math.floor(number);
  if (number - down !== 0.5) return Math.round(number);
  return down % 2 === 0 ? down : down + 1;
}

function requireNumericFilterValue(value: TemplateValue, name: string): number {
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  const number = toNumberOrNull(value);
  if (number === null) throw new TemplateRuntimeError(`${name} takes a number, not '${getPythonTypeName(value)}'`);
  return number;
}

function computeAbsoluteValue(value: TemplateValue): TemplateValue {
  const number = Math.abs(requireNumericFilterValue(value, 'abs'));
  return toPlainValue(value) instanceof FloatValue ? new FloatValue(number) : number;
}

/** Template filters for single values, and for the first and last items of lists. */
export const templateValueFilters: readonly (readonly [string, TemplateFilter])[] = [
  ['abs', createTemplateFilter('', computeAbsoluteValue)],
  [
    'attr',
    createTemplateFilter('name', (value, given, runtime) => runtime.memberOf(value, given.getTextArgument('name', ''))),
  ],
  ['count', valueLengthFilter],
  ['d', defaultValueFilter],
  ['default', defaultValueFilter],
  [
    'first',
    createTemplateFilter('', (value, _, { budget }) =>
      value instanceof LazyList ? value.first : getFirstOrLastItem(listIterableItems(value, budget), 'first'),
    ),
  ],
  ['float', createTemplateFilter('default', convertToFloat)],
  ['int', createTemplateFilter('default base', convertToInteger)],
  [
    'last',
    createTemplateFilter('', (value, _, { budget }) => getFirstOrLastItem(listIterableItems(value, budget), 'last')),
  ],
  ['length', valueLengthFilter],
  ['round', createTemplateFilter('precision method', roundToPrecision)],
];
