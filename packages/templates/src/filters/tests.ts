import { compare, contains, isEqual, numberOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { Callable, Dict, Float, isList, LazyList, plain, Undefined, type Value } from '../values/value.js';
import { test, type Test } from '../run/runtime.js';

const about = (holds: (value: Value) => boolean): Test => test('', (value) => holds(plain(value)));

const ordered = (holds: (order: number) => boolean): Test =>
  test('other', (value, given, { budget }) => holds(compare(value, given.get('other'), budget)));

const equal = test('other', (value, given, { budget }) => isEqual(value, given.get('other'), budget));
const unequal = test('other', (value, given, { budget }) => !isEqual(value, given.get('other'), budget));

const divisible = test('num', (value, given) => {
  const [number, by] = [numberOf(value), given.integer('num', 1)];
  return number !== null && by !== 0 && number % by === 0;
});

function isWhole(value: Value): boolean {
  return typeof value === 'number';
}

function isText(value: Value): value is string {
  return typeof value === 'string';
}

function isIterable(value: Value): boolean {
  return isText(value) || isList(value) || value instanceof Dict || value instanceof LazyList;
}

const greater = ordered((order) => order > 0);
const least = ordered((order) => order >= 0);
const less = ordered((order) => order < 0);
const most = ordered((order) => order <= 0);

/** Jinja's template tests, such as `is defined`, by name. */
export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['boolean', about((value) => typeof value === 'boolean')],
  ['callable', about((value) => value instanceof Callable)],
  ['defined', test('', (value) => !(value instanceof Undefined))],
  ['divisibleby', divisible],
  ['eq', equal],
  ['equalto', equal],
  ['==', equal],
  ['ne', unequal],
  ['!=', unequal],
  ['even', about((value) => (numberOf(value) ?? Number.NaN) % 2 === 0)],
  ['odd', about((value) => Math.abs((numberOf(value) ?? Number.NaN) % 2) === 1)],
  ['false', about((value) => value === false)],
  ['true', about((value) => value === true)],
  ['none', about((value) => value === null)],
  ['float', about((value) => value instanceof Float)],
  ['integer', about(isWhole)],
  ['number', about((value) => numberOf(value) !== null)],
  ['ge', least],
  ['>=', least],
  ['gt', greater],
  ['greaterthan', greater],
  ['>', greater],
  ['le', most],
  ['<=', most],
  ['lt', less],
  ['lessthan', less],
  ['<', less],
  ['in', test('seq', (value, given, { budget }) => contains(given.get('seq'), value, budget))],
  ['iterable', about(isIterable)],
  ['sequence', about(isIterable)],
  ['mapping', test('', (value) => value instanceof Dict)],
  ['lower', test('', (value, _, { budget }) => isCase(textOf(value, budget), 'lower'))],
  ['upper', test('', (value, _, { budget }) => isCase(textOf(value, budget), 'upper'))],
  ['sameas', equal],
  ['string', about(isText)],
  ['undefined', test('', (value) => value instanceof Undefined)],
]);

function isCase(text: string, letterCase: 'lower' | 'upper'): boolean {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower !== upper && text === (letterCase === 'lower' ? lower : upper);
}
