import { compareValues, containsValue, areEqualValues, toNumber } from '../values/compare-values.js';
import { toText } from '../values/value-to-text.js';
import {
  CallableValue,
  DictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  UndefinedValue,
  type TemplateValue,
} from '../values/template-value.js';
import { createTest, type TemplateTest } from '../run/filter-runtime.js';

const createPlainValueTest = (holds: (value: TemplateValue) => boolean): TemplateTest =>
  createTest('', (value) => holds(toPlainValue(value)));

const createOrderTest = (holds: (order: number) => boolean): TemplateTest =>
  createTest('other', (value, given, { budget }) =>
    holds(compareValues(value, given.requireArgument('other'), budget)),
  );

const equalTest = createTest('other', (value, given, { budget }) =>
  areEqualValues(value, given.requireArgument('other'), budget),
);
const unequalTest = createTest(
  'other',
  (value, given, { budget }) => !areEqualValues(value, given.requireArgument('other'), budget),
);

const divisibleTest = createTest('num', (value, given) => {
  const [number, by] = [toNumber(value), given.integerArgument('num', 1)];
  return number !== null && by !== 0 && number % by === 0;
});

function isTemplateInteger(value: TemplateValue): boolean {
  return typeof value === 'number';
}

function isTemplateText(value: TemplateValue): value is string {
  return typeof value === 'string';
}

function isTemplateIterable(value: TemplateValue): boolean {
  return isTemplateText(value) || isTemplateList(value) || value instanceof DictValue || value instanceof LazyList;
}

const greaterTest = createOrderTest((order) => order > 0);
const greaterOrEqualTest = createOrderTest((order) => order >= 0);
const lessTest = createOrderTest((order) => order < 0);
const lessOrEqualTest = createOrderTest((order) => order <= 0);

/** Jinja's template tests, such as `is defined`, by name. */
export const templateTests: ReadonlyMap<string, TemplateTest> = new Map<string, TemplateTest>([
  ['boolean', createPlainValueTest((value) => typeof value === 'boolean')],
  ['callable', createPlainValueTest((value) => value instanceof CallableValue)],
  ['defined', createTest('', (value) => !(value instanceof UndefinedValue))],
  ['divisibleby', divisibleTest],
  ['eq', equalTest],
  ['equalto', equalTest],
  ['==', equalTest],
  ['ne', unequalTest],
  ['!=', unequalTest],
  ['even', createPlainValueTest((value) => (toNumber(value) ?? Number.NaN) % 2 === 0)],
  ['odd', createPlainValueTest((value) => Math.abs((toNumber(value) ?? Number.NaN) % 2) === 1)],
  ['false', createPlainValueTest((value) => value === false)],
  ['true', createPlainValueTest((value) => value === true)],
  ['none', createPlainValueTest((value) => value === null)],
  ['float', createPlainValueTest((value) => value instanceof FloatValue)],
  ['integer', createPlainValueTest(isTemplateInteger)],
  ['number', createPlainValueTest((value) => toNumber(value) !== null)],
  ['ge', greaterOrEqualTest],
  ['>=', greaterOrEqualTest],
  ['gt', greaterTest],
  ['greaterthan', greaterTest],
  ['>', greaterTest],
  ['le', lessOrEqualTest],
  ['<=', lessOrEqualTest],
  ['lt', lessTest],
  ['lessthan', lessTest],
  ['<', lessTest],
  ['in', createTest('seq', (value, given, { budget }) => containsValue(given.requireArgument('seq'), value, budget))],
  ['iterable', createPlainValueTest(isTemplateIterable)],
  ['sequence', createPlainValueTest(isTemplateIterable)],
  ['mapping', createTest('', (value) => value instanceof DictValue)],
  ['lower', createTest('', (value, _, { budget }) => hasLetterCase(toText(value, budget), 'lower'))],
  ['upper', createTest('', (value, _, { budget }) => hasLetterCase(toText(value, budget), 'upper'))],
  ['sameas', equalTest],
  ['string', createPlainValueTest(isTemplateText)],
  ['undefined', createTest('', (value) => value instanceof UndefinedValue)],
]);

function hasLetterCase(text: string, letterCase: 'lower' | 'upper'): boolean {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower !== upper && text === (letterCase === 'lower' ? lower : upper);
}
