import type { TemplateBudget } from '../template-budget.js';
import { FieldError, TemplateRuntimeError } from '../template-errors.js';
import {
  compareValues,
  getStoredIdentity,
  areEqualValues,
  isSameObject,
  isTruthyValue,
  listIterableItems,
  toNumber,
} from '../values/compare-values.js';
import { toText } from '../values/value-to-text.js';
import { toPlainValue, TemplateObject, UndefinedValue, type TemplateValue } from '../values/template-value.js';

/**
 * Function that compares a field value of an object with the expected value of a condition. Returns true if the
 * condition is met.
 */
type FieldLookup = (found: TemplateValue, expected: TemplateValue, budget: TemplateBudget) => boolean;

const createTextLookup =
  (holds: (text: string, part: string) => boolean, ignoresCase = false): FieldLookup =>
  (found, expected, budget) => {
    if (toPlainValue(found) === null) return false;
    const [text, part] = [toText(found, budget), toText(expected, budget)];
    budget.countTextSearch(text, part);
    return ignoresCase ? holds(text.toLowerCase(), part.toLowerCase()) : holds(text, part);
  };

const createOrderLookup =
  (holds: (order: number) => boolean): FieldLookup =>
  (found, expected, budget) =>
    toPlainValue(found) !== null && holds(compareValues(found, expected, budget));

const [greaterOrEqualLookup, lessOrEqualLookup] = [
  createOrderLookup((order) => order >= 0),
  createOrderLookup((order) => order <= 0),
];

const rangeLookup: FieldLookup = (found, expected, budget) => {
  const [from = null, to = null] = listIterableItems(expected, budget);
  return greaterOrEqualLookup(found, from, budget) && lessOrEqualLookup(found, to, budget);
};

/**
 * Comparison functions for conditions on field values, by the name of the lookup (such as `startswith`). The names have
 * the same meaning as in Django.
 */
const lookupByName: ReadonlyMap<string, FieldLookup> = new Map<string, FieldLookup>([
  ['exact', isSameValue],
  ['iexact', createTextLookup((text, part) => text === part, true)],
  ['contains', createTextLookup((text, part) => text.includes(part))],
  ['icontains', createTextLookup((text, part) => text.includes(part), true)],
  ['startswith', createTextLookup((text, part) => text.startsWith(part))],
  ['istartswith', createTextLookup((text, part) => text.startsWith(part), true)],
  ['endswith', createTextLookup((text, part) => text.endsWith(part))],
  ['iendswith', createTextLookup((text, part) => text.endsWith(part), true)],
  ['gt', createOrderLookup((order) => order > 0)],
  ['gte', greaterOrEqualLookup],
  ['lt', createOrderLookup((order) => order < 0)],
  ['lte', lessOrEqualLookup],
  ['range', rangeLookup],
  [
    'in',
    (found, expected, budget) => listIterableItems(expected, budget).some((one) => isSameValue(found, one, budget)),
  ],
  ['isnull', (found, expected) => (toPlainValue(found) === null) === isTruthyValue(expected)],
]);

/**
 * Names of lookups of the reference server that match patterns. The lookups are rejected, because matching a pattern
 * could take long.
 */
const unsupportedLookups = new Set(['regex', 'iregex']);

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
export function parseCondition(condition: string, expected: TemplateValue, budget: TemplateBudget): FieldCondition {
  const parts = condition.split('__');
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && unsupportedLookups.has(last))
    throw new FieldError(`Lookups with patterns are not supported: ${last}`);
  const lookup = parts.length > 1 ? findLookup(last) : undefined;
  const found = lookup ?? isSameValue;
  return {
    names: lookup === undefined ? parts : parts.slice(0, -1),
    isMet: (value) => found(value, expected, budget),
  };
}

function findLookup(name: string): FieldLookup | undefined {
  if (!name.startsWith('net_')) return lookupByName.get(name);
  return (found, expected, budget) => found instanceof TemplateObject && found.compare(name, toText(expected, budget));
}

/**
 * Returns true if a found value equals an expected value. An object equals another object with the same type and id,
 * and also equals its own id.
 */
function isSameValue(found: TemplateValue, expected: TemplateValue, budget: TemplateBudget): boolean {
  const same = isSameObject(found, expected);
  if (same !== null) return same;
  const [id, other] = [getObjectId(found), getObjectId(expected)];
  if (id !== null && other !== null) return id === other;
  if (id !== null && (toNumber(expected) === id || expected === String(id))) return true;
  if (toPlainValue(found) === null || toPlainValue(expected) === null)
    return toPlainValue(found) === toPlainValue(expected);
  return areEqualValues(found, expected, budget);
}

function getObjectId(value: TemplateValue): number | null {
  const id = value instanceof TemplateObject ? (value.fields.entries.get('id') ?? null) : null;
  return typeof id === 'number' ? id : null;
}

/**
 * Compares two field values for the sort order of `order_by`. Numbers within texts are compared by value, and null
 * sorts last.
 */
export function compareNaturally(left: TemplateValue, right: TemplateValue, budget: TemplateBudget): number {
  budget.countSteps();
  const [a, b] = [toPlainValue(left), toPlainValue(right)];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // Values of choices are not natural text, and addresses have an order that suits them.
  if (typeof a === 'string' && typeof b === 'string' && hasNaturalOrder(left) && hasNaturalOrder(right)) {
    budget.countSteps(Math.min(a.length, b.length) / 8);
    return (
      naturalCollator.compare(a, b) ||
      naturalCollator.compare(getStoredIdentity(left) ?? '', getStoredIdentity(right) ?? '')
    );
  }
  if (a instanceof UndefinedValue || b instanceof UndefinedValue)
    throw new TemplateRuntimeError('Undefined values have no order');
  return compareValues(left, right, budget);
}

function hasNaturalOrder(value: TemplateValue): boolean {
  return !(value instanceof TemplateObject) || value.identity !== null;
}

const naturalCollator = new Intl.Collator('en', { numeric: true });
