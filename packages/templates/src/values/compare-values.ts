import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import {
  TemplateDictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateDictKey,
  type TemplateValue,
} from './template-value.js';

/**
 * Returns true for a template value that counts as true in Python. Empty values, zero, null and undefined count as
 * false.
 */
export function isTruthyTemplateValue(value: TemplateValue): boolean {
  const one = toPlainValue(value);
  if (one instanceof UndefinedTemplateValue || one === null) return false;
  if (one instanceof FloatValue) return one.value !== 0;
  if (isTemplateList(one)) return one.length > 0;
  if (one instanceof TemplateDictValue) return one.entries.size > 0;
  return typeof one === 'object' ? true : Boolean(one);
}

/**
 * Returns true if two template values are the same stored object. Returns false for two different stored objects, and
 * null if a value is not a stored object.
 */
export function isSameStoredObject(left: TemplateValue, right: TemplateValue): boolean | null {
  const [one, other] = [getStoredObjectIdentity(left), getStoredObjectIdentity(right)];
  return one === null || other === null ? null : one === other;
}

/**
 * Returns the type and id of a stored object as one text. Returns null for a template value that is not a stored
 * object.
 */
export function getStoredObjectIdentity(value: TemplateValue): string | null {
  return value instanceof TemplateObject ? value.identity : null;
}

/**
 * Returns true for equal template values. Lists and dictionaries are compared by content, and stored objects by type
 * and id.
 */
export function areEqualTemplateValues(
  left: TemplateValue,
  right: TemplateValue,
  budget: TemplateResourceCounter,
): boolean {
  budget.countSteps();
  const isSame = isSameStoredObject(left, right);
  if (isSame !== null) return isSame;
  const [a, b] = [toPlainValue(left), toPlainValue(right)];
  const [x, y] = [toNumberOrNull(a), toNumberOrNull(b)];
  if (x !== null && y !== null) return x === y;
  if (a instanceof UndefinedTemplateValue || b instanceof UndefinedTemplateValue)
    return a instanceof UndefinedTemplateValue && b instanceof UndefinedTemplateValue;
  if (isTemplateList(a) && isTemplateList(b)) {
    if (a.length !== b.length) return false;
    return budget.runOneLevelDeeper(() =>
      a.every((item, index) => areEqualTemplateValues(item, b[index] ?? null, budget)),
    );
  }
  if (a instanceof TemplateDictValue && b instanceof TemplateDictValue) return haveDictsEqualEntries(a, b, budget);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) budget.countSteps(a.length / 64);
  return a === b;
}

function haveDictsEqualEntries(a: TemplateDictValue, b: TemplateDictValue, budget: TemplateResourceCounter): boolean {
  if (a.entries.size !== b.entries.size) return false;
  return budget.runOneLevelDeeper(() =>
    [...a.entries].every(([key, item]) => {
      const other = b.entries.get(key);
      return other !== undefined && areEqualTemplateValues(item, other, budget);
    }),
  );
}

/**
 * Compares two template values for sorting. Returns a negative number if the left value sorts first, and a positive
 * number if the right value sorts first.
 *
 * @throws TemplateRuntimeError for incomparable values
 */
export function compareTemplateValues(
  left: TemplateValue,
  right: TemplateValue,
  budget: TemplateResourceCounter,
): number {
  budget.countSteps();
  const [a, b] = [toPlainValue(left), toPlainValue(right)];
  for (const one of [a, b]) if (one instanceof UndefinedTemplateValue) throw new UndefinedError(one.reason);
  const [x, y] = [toNumberOrNull(a), toNumberOrNull(b)];
  if (x !== null && y !== null) return x - y;
  if (typeof a === 'string' && typeof b === 'string') {
    budget.countSteps(Math.min(a.length, b.length) / 64);
    const found = compareTexts(...getComparableSortKeys([left, a], [right, b]));
    const [one, other] = [getStoredObjectIdentity(left), getStoredObjectIdentity(right)];
    // Different objects with equal texts have an order, so that groups of them stay apart.
    return found !== 0 || one === null || other === null ? found : compareTexts(one, other);
  }
  if (isTemplateList(a) && isTemplateList(b)) return budget.runOneLevelDeeper(() => compareLists(a, b, budget));
  throw new TemplateRuntimeError(
    `'<' not supported between instances of '${getPythonTypeName(left)}' and '${getPythonTypeName(right)}'`,
  );
}

function compareLists(
  a: readonly TemplateValue[],
  b: readonly TemplateValue[],
  budget: TemplateResourceCounter,
): number {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const found = compareTemplateValues(item, other, budget);
    if (found !== 0) return found;
  }
  return a.length - b.length;
}

/** Returns the sort keys of two template values with text forms. One of the two values may be a plain text. */
function getComparableSortKeys(
  [left, a]: readonly [TemplateValue, string],
  [right, b]: readonly [TemplateValue, string],
): [string, string] {
  const one = left instanceof TemplateObject ? left : null;
  const other = right instanceof TemplateObject ? right : null;
  const [x, y] = [(one ?? other)?.sortKey(a) ?? null, (other ?? one)?.sortKey(b) ?? null];
  return x === null || y === null ? [a, b] : [x, y];
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns a template value as a number; true is 1 and false is 0. Returns null for a value that is not a number. */
export function toNumberOrNull(value: TemplateValue): number | null {
  const one = toPlainValue(value);
  if (typeof one === 'number') return one;
  if (typeof one === 'boolean') return one ? 1 : 0;
  return one instanceof FloatValue ? one.value : null;
}

/** Returns true if a container (list, dictionary or text) contains the given element. */
export function containerContainsValue(
  container: TemplateValue,
  element: TemplateValue,
  budget: TemplateResourceCounter,
): boolean {
  const one = toPlainValue(container);
  if (one instanceof UndefinedTemplateValue) throw new UndefinedError(one.reason);
  if (typeof one === 'string') {
    const part = toPlainValue(element);
    if (typeof part === 'string') {
      budget.countTextSearch(one, part);
      return one.includes(part);
    }
    throw new TemplateRuntimeError(`'in <string>' requires string as left operand, not ${getPythonTypeName(part)}`);
  }
  if (one instanceof TemplateDictValue) return one.entries.has(toTemplateDictKey(element));
  if (one instanceof LazyList) throw one.wholeListError();
  if (!isTemplateList(one))
    throw new TemplateRuntimeError(`argument of type '${getPythonTypeName(one)}' is not iterable`);
  return one.some((item) => {
    budget.countIterations();
    return areEqualTemplateValues(item, element, budget);
  });
}

/**
 * Returns a template value as a dictionary key.
 *
 * @throws TemplateRuntimeError for a value that cannot be a dictionary key
 */
export function toTemplateDictKey(value: TemplateValue): TemplateDictKey {
  const one = toPlainValue(value);
  if (one instanceof FloatValue) return one.value;
  if (one instanceof UndefinedTemplateValue) throw new UndefinedError(one.reason);
  if (one === null || typeof one !== 'object') return one;
  throw new TemplateRuntimeError(`unhashable type: '${getPythonTypeName(one)}'`);
}

/**
 * Returns the items over which a template loop iterates: items of a list, keys of a dictionary, or characters of a
 * text.
 */
export function listIterableItems(value: TemplateValue, budget: TemplateResourceCounter): readonly TemplateValue[] {
  const one = toPlainValue(value);
  if (isTemplateList(one)) return one;
  if (one instanceof UndefinedTemplateValue) return [];
  if (one instanceof TemplateDictValue) {
    budget.countAllocatedMemory(one.entries.size);
    return [...one.entries.keys()];
  }
  if (typeof one === 'string') {
    budget.countAllocatedMemory(one.length * 8);
    return Array.from(one);
  }
  if (one instanceof LazyList) throw one.wholeListError();
  throw new TemplateRuntimeError(`'${getPythonTypeName(one)}' object is not iterable`);
}
