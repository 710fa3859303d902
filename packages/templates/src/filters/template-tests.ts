import {
  compareTemplateValues,
  containerContainsValue,
  areEqualTemplateValues,
  toNumberOrNull,
} from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import {
  CallableTemplateValue,
  TemplateDictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  UndefinedTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';
import { createTemplateTest, type TemplateTest } from '../run/filter-runtime.js';

const createTemplateValueTest = (holds: (value: TemplateValue) => boolean): TemplateTest =>
  createTemplateTest('', (value) => holds(toPlainValue(value)));

const createTemplateOrderTest = (holds: (order: number) => boolean): TemplateTest =>
  createTemplateTest('other', (value, given, { budget }) =>
    holds(compareTemplateValues(value, given.requireArgument('other'), budget)),
  );

const templateEqualityTest = createTemplateTest('other', (value, given, { budget }) =>
  areEqualTemplateValues(value, given.requireArgument('other'), budget),
);
const templateInequalityTest = createTemplateTest(
  'other',
  (value, given, { budget }) => !areEqualTemplateValues(value, given.requireArgument('other'), budget),
);

const templateDivisibilityTest = createTemplateTest('num', (value, given) => {
  const [number, by] = [toNumberOrNull(value), given.getIntegerArgument('num', 1)];
  return number !== null && by !== 0 && number % by === 0;
});

function isTemplateInteger(value: TemplateValue): boolean {
  return typeof value === 'number';
}

function isTemplateText(value: TemplateValue): value is string {
  return typeof value === 'string';
}

function isTemplateIterable(value: TemplateValue): boolean {
  return (
    isTemplateText(value) || isTemplateList(value) || value instanceof TemplateDictValue || value instanceof LazyList
  );
}

const templateGreaterThanTest = createTemplateOrderTest((order) => order > 0);
const templateGreaterOrEqualTest = createTemplateOrderTest((order) => order >= 0);
const templateLessThanTest = createTemplateOrderTest((order) => order < 0);
const templateLessOrEqualTest = createTemplateOrderTest((order) => order <= 0);

/** Jinja's template tests, such as `is defined`, by name. */
export const templateTests: ReadonlyMap<string, TemplateTest> = new Map<string, TemplateTest>([
  ['boolean', createTemplateValueTest((value) => typeof value === 'boolean')],
  ['callable', createTemplateValueTest((value) => value instanceof CallableTemplateValue)],
  ['defined', createTemplateTest('', (value) => !(value instanceof UndefinedTemplateValue))],
  ['divisibleby', templateDivisibilityTest],
  ['eq', templateEqualityTest],
  ['equalto', templateEqualityTest],
  ['==', templateEqualityTest],
  ['ne', templateInequalityTest],
  ['!=', templateInequalityTest],
  ['even', createTemplateValueTest((value) => (toNumberOrNull(value) ?? Number.NaN) % 2 === 0)],
  ['odd', createTemplateValueTest((value) => Math.abs((toNumberOrNull(value) ?? Number.NaN) % 2) === 1)],
  ['false', createTemplateValueTest((value) => value === false)],
  ['true', createTemplateValueTest((value) => value === true)],
  ['none', createTemplateValueTest((value) => value === null)],
  ['float', createTemplateValueTest((value) => value instanceof FloatValue)],
  ['integer', createTemplateValueTest(isTemplateInteger)],
  ['number', createTemplateValueTest((value) => toNumberOrNull(value) !== null)],
  ['ge', templateGreaterOrEqualTest],
  ['>=', templateGreaterOrEqualTest],
  ['gt', templateGreaterThanTest],
  ['greaterthan', templateGreaterThanTest],
  ['>', templateGreaterThanTest],
  ['le', templateLessOrEqualTest],
  ['<=', templateLessOrEqualTest],
  ['lt', templateLessThanTest],
  ['lessthan', templateLessThanTest],
  ['<', templateLessThanTest],
  [
    'in',
    createTemplateTest('seq', (value, given, { budget }) =>
      containerContainsValue(given.requireArgument('seq'), value, budget),
    ),
  ],
  ['iterable', createTemplateValueTest(isTemplateIterable)],
  ['sequence', createTemplateValueTest(isTemplateIterable)],
  ['mapping', createTemplateTest('', (value) => value instanceof TemplateDictValue)],
  [
    'lower',
    createTemplateTest('', (value, _, { budget }) => hasLetterCase(templateValueToText(value, budget), 'lower')),
  ],
  [
    'upper',
    createTemplateTest('', (value, _, { budget }) => hasLetterCase(templateValueToText(value, budget), 'upper')),
  ],
  ['sameas', templateEqualityTest],
  ['string', createTemplateValueTest(isTemplateText)],
  ['undefined', createTemplateTest('', (value) => value instanceof UndefinedTemplateValue)],
]);

function hasLetterCase(text: string, letterCase: 'lower' | 'upper'): boolean {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower !== upper && text === (letterCase === 'lower' ? lower : upper);
}
