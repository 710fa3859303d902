import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import { isTrue, itemsOf, numberOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { Dict, Float, isList, LazyList, plain, typeName, Undefined, type Value, RelatedList } from '../values/value.js';
import type { BoundArguments } from '../run/bound-arguments.js';
import { filter, type Filter } from '../run/runtime.js';

const defaulted = filter('default_value boolean', (value, given) => {
  const missing = value instanceof Undefined || (given.flag('boolean', false) && !isTrue(value));
  return missing ? (given.has('default_value') ? given.get('default_value') : '') : value;
});

const length = filter('', (value, _given, { budget }) => {
  if (value instanceof RelatedList) return value.length;
  const one = plain(value);
  if (typeof one === 'string' || isList(one) || one instanceof LazyList) return one.length;
  if (one instanceof Dict) return one.entries.size;
  if (one instanceof Undefined) return 0;
  throw new TemplateRuntimeError(`object of type '${typeName(one)}' has no len(): ${textOf(one, budget)}`);
});

function end(items: readonly Value[], which: 'first' | 'last'): Value {
  const item = items.at(which === 'first' ? 0 : -1);
  return item === undefined ? new Undefined(`No ${which} item, sequence was empty.`) : item;
}

function whole(value: Value, given: BoundArguments): Value {
  const otherwise = given.has('default') ? given.get('default') : 0;
  const number = numberOf(value);
  if (number !== null) return Number.isFinite(number) ? Math.trunc(number) : otherwise;
  const text = textOf(value, given.budget).trim().replaceAll('_', '').toLowerCase();
  return parsed(text, given.integer('base', 10)) ?? otherwise;
}

const prefixes = new Map([
  [16, '0x'],
  [8, '0o'],
  [2, '0b'],
]);

function parsed(text: string, base: number): number | null {
  if (text.length > 400) return null;
  if (base === 10) return /^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$/.test(text) ? finite(Math.trunc(Number(text))) : null;
  const [, sign = '', digits = ''] = /^([-+]?)([\da-z]+)$/.exec(text) ?? [];
  const prefix = prefixes.get(base) ?? '';
  const bare = prefix !== '' && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  const number = base >= 2 && base <= 36 ? Number.parseInt(bare, base) : Number.NaN;
  if (Number.isNaN(number) || ![...bare].every((digit) => !Number.isNaN(Number.parseInt(digit, base)))) return null;
  return finite(sign === '-' ? -number : number);
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

function floating(value: Value, given: BoundArguments): Value {
  const number = numberOf(value) ?? Number(textOf(value, given.budget).trim() || Number.NaN);
  if (Number.isNaN(number)) return given.has('default') ? given.get('default') : new Float(0);
  return new Float(number);
}

function rounded(value: Value, given: BoundArguments): Value {
  const number = required(value, 'round');
  const factor = 10 ** Math.max(-300, Math.min(300, given.integer('precision', 0)));
  const method = given.text('method', 'common');
  if (method === 'ceil') return new Float(Math.ceil(number * factor) / factor);
  if (method === 'floor') return new Float(Math.floor(number * factor) / factor);
  if (method !== 'common') throw new TemplateRuntimeError('method must be common, ceil or floor');
  return new Float(Number.isFinite(number * factor) ? halfToEven(number * factor) / factor : number);
}

// Rounds like Python: a number halfway between two integers becomes the even one.
function halfToEven(number: number): number {
  const down = Math.floor(number);
  if (number - down !== 0.5) return Math.round(number);
  return down % 2 === 0 ? down : down + 1;
}

function required(value: Value, name: string): number {
  if (value instanceof Undefined) throw new UndefinedError(value.reason);
  const number = numberOf(value);
  if (number === null) throw new TemplateRuntimeError(`${name} takes a number, not '${typeName(value)}'`);
  return number;
}

function absolute(value: Value): Value {
  const number = Math.abs(required(value, 'abs'));
  return plain(value) instanceof Float ? new Float(number) : number;
}

/** Template filters for single values, and for the first and last items of lists. */
export const valueFilters: readonly (readonly [string, Filter])[] = [
  ['abs', filter('', absolute)],
  ['attr', filter('name', (value, given, runtime) => runtime.member(value, given.text('name', '')))],
  ['count', length],
  ['d', defaulted],
  ['default', defaulted],
  [
    'first',
    filter('', (value, _, { budget }) =>
      value instanceof LazyList ? value.first : end(itemsOf(value, budget), 'first'),
    ),
  ],
  ['float', filter('default', floating)],
  ['int', filter('default base', whole)],
  ['last', filter('', (value, _, { budget }) => end(itemsOf(value, budget), 'last'))],
  ['length', length],
  ['round', filter('precision method', rounded)],
];
