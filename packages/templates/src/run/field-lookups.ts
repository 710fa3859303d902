import type { TemplateResourceCounter } from '../template-budget.js';
import { FieldError, TemplateRuntimeError } from '../template-errors.js';
import {
  compareTemplateValues,
  getStoredObjectIdentity,
  areEqualTemplateValues,
  isSameStoredObject,
  isTruthyTemplateValue,
  listIterableItems,
  toNumberOrNull,
} from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import { toPlainValue, TemplateObject, UndefinedTemplateValue, type TemplateValue } from '../values/template-value.js';

/**
 * Function that compares a field value of an object with the expected value of a condition. Returns true if the
 * condition is met.
 */
type FieldValueComparison = (found: TemplateValue, expected: TemplateValue, budget: TemplateResourceCounter) => boolean;

const createTextFieldComparison =
  (holds: (text: string, part: string) => boolean, ignoresCase = false): FieldValueComparison =>
  (found, expected, budget) => {
    if (toPlainValue(found) === null) return false;
    const [text, part] = [templateValueToText(found, budget), templateValueToText(expected, budget)];
    budget.countTextSearch(text, part);
    return ignoresCase ? holds(text.toLowerCase(), part.toLowerCase()) : holds(text, part);
  };

const createOrderFieldComparison =
  (holds: (order: number) => boolean): FieldValueComparison =>
  (found, expected, budget) =>
    toPlainValue(found) !== null && holds(compareTemplateValues(found, expected, budget));

const [greaterOrEqualLookup, lessOrEqualLookup] = [
  createOrderFieldComparison((order) => order >= 0),
  createOrderFieldComparison((order) => order <= 0),
];

const isFieldValueInRange: FieldValueComparison = (found, expected, budget) => {
  const [from = null, to = null] = listIterableItems(expected, budget);
  return greaterOrEqualLookup(found, from, budget) && lessOrEqualLookup(found, to, budget);
};

/**
 * Comparison functions for conditions on field values, by the name of the lookup (such as `startswith`). The names have
 * the same meaning as in Django.
 */
const fieldComparisonByLookupName: ReadonlyMap<string, FieldValueComparison> = new Map<string, FieldValueComparison>([
  ['exact', isExpectedFieldValue],
  ['iexact', createTextFieldComparison((text, part) => text === part, true)],
  ['contains', createTextFieldComparison((text, part) => text.includes(part))],
  ['icontains', createTextFieldComparison((text, part) => text.includes(part), true)],
  ['startswith', createTextFieldComparison((text, part) => text.startsWith(part))],
  ['istartswith', createTextFieldComparison((text, part) => text.startsWith(part), true)],
  ['endswith', createTextFieldComparison((text, part) => text.endsWith(part))],
  ['iendswith', createTextFieldComparison((text, part) => text.endsWith(part), true)],
  ['gt', createOrderFieldComparison((order) => order > 0)],
  ['gte', greaterOrEqualLookup],
  ['lt', createOrderFieldComparison((order) => order < 0)],
  ['lte', lessOrEqualLookup],
  ['range', isFieldValueInRange],
  [
    'in',
    (found, expected, budget) =>
      listIterableItems(expected, budget).some((one) => isExpectedFieldValue(found, one, budget)),
  ],
  ['isnull', (found, expected) => (toPlainValue(found) === null) === isTruthyTemplateValue(expected)],
]);

/**
 * Names of lookups of the reference server that match patterns. The lookups are rejected, because matching a pattern
 * could take long.
 */
const unsupportedLookupNames = new Set(['regex', 'iregex']);

/** A parsed condition on objects: the field names of the path to a value, and the function that tests the value. */
export interface FieldCondition {
  readonly names: readonly string[];
  readonly isMet: (found: TemplateValue) => boolean;
}

/**
 * Parses a condition such as `site__name__startswith`, with its expected value. A lookup (the last part) whose name
 * begins with `net_` compares network addresses.
 *
 * @throws FieldError for a lookup with a pattern
 */
export function parseFieldCondition(
  condition: string,
  expected: TemplateValue,
  budget: TemplateResourceCounter,
): FieldCondition {
  const parts = condition.split('__');
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && unsupportedLookupNames.has(last))
    throw new FieldError(`Lookups with patterns are not supported: ${last}`);
  const lookup = parts.length > 1 ? findFieldComparison(last) : undefined;
  const found = lookup ?? isExpectedFieldValue;
  return {
    names: lookup === undefined ? parts : parts.slice(0, -1),
    isMet: (value) => found(value, expected, budget),
  };
}

function findFieldComparison(name: string): FieldValueComparison | undefined {
  if (!name.startsWith('net_')) return fieldComparisonByLookupName.get(name);
  return (found, expected, budget) =>
    found instanceof TemplateObject && found.compare(name, templateValueToText(expected, budget));
}

/**
 * Returns true if a found value equals an expected value. An object equals another object with the same type and id,
 * and also equals its own id.
 */
function isExpectedFieldValue(found: TemplateValue, expected: TemplateValue, budget: TemplateResourceCounter): boolean {
  const same = isSameStoredObject(found, expected);
  if (same !== null) return same;
  const [id, other] = [getObjectId(found), getObjectId(expected)];
  if (id !== null && other !== null) return id === other;
  if (id !== null && (toNumberOrNull(expected) === id || expected === String(id))) return true;
  if (toPlainValue(found) === null || toPlainValue(expected) === null)
    return toPlainValue(found) === toPlainValue(expected);
  return areEqualTemplateValues(found, expected, budget);
}

function getObjectId(value: TemplateValue): number | null {
  const id = value instanceof TemplateObject ? (value.fields.entries.get('id') ?? null) : null;
  return typeof id === 'number' ? id : null;
}

/**
 * Compares two field values for the sort order of `order_by`. Numbers within texts are compared by value, and null
 * sorts last.
 */
export function compareFieldValuesNaturally(
  left: TemplateValue,
  right: TemplateValue,
  budget: TemplateResourceCounter,
): number {
  budget.countSteps();
  const [a, b] = [toPlainValue(left), toPlainValue(right)];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // Values of choices are not natural text, and addresses have an order that suits them.
  if (typeof a === 'string' && typeof b === 'string' && hasNaturalOrder(left) && hasNaturalOrder(right)) {
    budget.countSteps(Math.min(a.length, b.length) / 8);
    return (
      naturalCollator.compare(a, b) ||
      naturalCollator.compare(getStoredObjectIdentity(left) ?? '', getStoredObjectIdentity(right) ?? '')
    );
  }
  if (a instanceof UndefinedTemplateValue || b instanceof UndefinedTemplateValue)
    throw new TemplateRuntimeError('Undefined values have no order');
  return compareTemplateValues(left, right, budget);
}

function hasNaturalOrder(value: TemplateValue): boolean {
  return !(value instanceof TemplateObject) || value.identity !== null;
}

const naturalCollator = new Intl.Collator('en', { numeric: true });
