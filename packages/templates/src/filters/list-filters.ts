import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { calculateBinaryOperation } from '../values/arithmetic.js';
import {
  compareTemplateValues,
  getStoredObjectIdentity,
  isTruthyTemplateValue,
  listIterableItems,
  toTemplateDictKey,
} from '../values/compare-values.js';
import { listDictEntryPairs } from '../run/collection-methods.js';
import { templateValueToText } from '../values/value-to-text.js';
import {
  TemplateDictValue,
  TemplateGroupByResult,
  isTemplateList,
  toPlainValue,
  TemplateObject,
  UndefinedTemplateValue,
  type TemplateDictKey,
  type TemplateValue,
} from '../values/template-value.js';
import type { BoundTemplateArguments } from '../run/bound-arguments.js';
import {
  createTemplateFilter,
  type TemplateFilter,
  type VariadicTemplateFilter,
  type TemplateFilterRuntime,
} from '../run/filter-runtime.js';

/** Returns the items over which a template loop would iterate, in a new list. */
function listIterableItemsInCopy(value: TemplateValue, { budget }: TemplateFilterRuntime): TemplateValue[] {
  const items = listIterableItems(value, budget);
  budget.countIterations(items.length);
  budget.countAllocatedMemory(items.length * 4);
  return [...items];
}

/**
 * Returns the value of an item at an attribute path such as `a.b`. A number in the path is a list index. Returns an
 * undefined value for a missing attribute.
 */
function getAttributeAtPath(
  item: TemplateValue,
  path: TemplateValue,
  runtime: TemplateFilterRuntime,
  otherwise: TemplateValue = null,
): TemplateValue {
  const parts = typeof path === 'number' ? [path] : splitAttributePath(path, '.', runtime);
  let found = item;
  for (const part of parts) {
    found = runtime.memberOf(found, typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part);
    if (found instanceof UndefinedTemplateValue && otherwise !== null) return otherwise;
  }
  return found;
}

/**
 * Splits an attribute path such as `a.b` into names. Each call counts against the work limit of the template, because a
 * filter makes one call for each item.
 */
function splitAttributePath(path: TemplateValue, separator: string, { budget }: TemplateFilterRuntime): string[] {
  const text = templateValueToText(path, budget);
  budget.countSteps(1 + text.length / 4);
  return text.split(separator);
}

function createSortKeyOfValue(
  value: TemplateValue,
  caseSensitive: boolean,
  { budget }: TemplateFilterRuntime,
): TemplateValue {
  const one = toPlainValue(value);
  budget.countIterationOver(one);
  if (typeof one !== 'string') return one;
  const isObject = value instanceof TemplateObject;
  if (caseSensitive) return isObject ? value : one;
  budget.countAllocatedMemory(one.length);
  const text = one.toLowerCase();
  return isObject ? value.withText(text) : text;
}

function sortItemsByKey(
  items: readonly TemplateValue[],
  keyFor: (item: TemplateValue) => TemplateValue,
  { reverse, caseSensitive }: { reverse: boolean; caseSensitive: boolean },
  runtime: TemplateFilterRuntime,
): TemplateValue[] {
  const { budget } = runtime;
  const keyed = items.map((item) => ({ item, key: createSortKeysOfAttributes(keyFor(item), caseSensitive, runtime) }));
  const sign = reverse ? -1 : 1;
  return keyed.toSorted((a, b) => sign * compareTemplateValues(a.key, b.key, budget)).map(({ item }) => item);
}

function createSortKeysOfAttributes(
  key: TemplateValue,
  caseSensitive: boolean,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const one = (part: TemplateValue): TemplateValue => createSortKeyOfValue(part, caseSensitive, runtime);
  return isTemplateList(key) ? key.map(one) : one(key);
}

function applySortFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const paths = given.findArgument('attribute') === null ? null : given.findArgument('attribute');
  const keyFor =
    paths === null
      ? (item: TemplateValue): TemplateValue => item
      : (item: TemplateValue): TemplateValue => listAttributeValues(item, paths, runtime);
  const options = {
    reverse: given.getBooleanArgument('reverse', false),
    caseSensitive: given.getBooleanArgument('case_sensitive', false),
  };
  return sortItemsByKey(listIterableItemsInCopy(value, runtime), keyFor, options, runtime);
}

// Returns the values of several attributes, separated by commas, in their order.
function listAttributeValues(item: TemplateValue, paths: TemplateValue, runtime: TemplateFilterRuntime): TemplateValue {
  const all = typeof paths === 'number' ? [paths] : splitAttributePath(paths, ',', runtime);
  const values = all.map((path) => getAttributeAtPath(item, path, runtime));
  return values.length === 1 ? (values[0] ?? null) : values;
}

function applyDictSortFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const dict = toTemplateDict(value);
  const by = given.getTextArgument('by', 'key') === 'value' ? 1 : 0;
  const options = {
    reverse: given.getBooleanArgument('reverse', false),
    caseSensitive: given.getBooleanArgument('case_sensitive', false),
  };
  return sortItemsByKey(
    listIterableItemsInCopy(listDictEntryPairs(dict), runtime),
    (pair) => (isTemplateList(pair) ? (pair[by] ?? null) : null),
    options,
    runtime,
  );
}

function toTemplateDict(value: TemplateValue): TemplateDictValue {
  if (value instanceof TemplateDictValue) return value;
  if (value instanceof TemplateObject) return value.fields;
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  throw new TemplateRuntimeError('Can only get item pairs from a mapping.');
}

function applyUniqueFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const path = given.findArgument('attribute');
  const seen = new Set<TemplateDictKey>();
  return listIterableItemsInCopy(value, runtime).filter((item) => {
    const one = path === null ? item : getAttributeAtPath(item, path, runtime);
    const key =
      getStoredObjectIdentity(one) ??
      toTemplateDictKey(createSortKeyOfValue(one, given.getBooleanArgument('case_sensitive', false), runtime));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function createMinOrMaxFilter(sign: 1 | -1): TemplateFilter {
  return createTemplateFilter('case_sensitive attribute', (value, given, runtime) => {
    const path = given.findArgument('attribute');
    const keyFor = (item: TemplateValue): TemplateValue =>
      createSortKeyOfValue(
        path === null ? item : getAttributeAtPath(item, path, runtime),
        given.getBooleanArgument('case_sensitive', false),
        runtime,
      );
    let best: { item: TemplateValue; key: TemplateValue } | null = null;
    for (const item of listIterableItemsInCopy(value, runtime)) {
      const key = keyFor(item);
      if (best === null || sign * compareTemplateValues(key, best.key, runtime.budget) > 0) best = { item, key };
    }
    return best === null ? new UndefinedTemplateValue('No aggregated item, sequence was empty.') : best.item;
  });
}

function applySumFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const path = given.findArgument('attribute');
  const start: TemplateValue = given.hasArgument('start') ? given.requireArgument('start') : 0;
  return listIterableItemsInCopy(value, runtime).reduce(
    (total, item) =>
      calculateBinaryOperation(
        '+',
        total,
        path === null ? item : getAttributeAtPath(item, path, runtime),
        runtime.budget,
      ),
    start,
  );
}

function applyGroupByFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const path = given.requireArgument('attribute');
  const otherwise = given.hasArgument('default') ? given.requireArgument('default') : null;
  const caseSensitive = given.getBooleanArgument('case_sensitive', false);
  const keyFor = (item: TemplateValue): TemplateValue => getAttributeAtPath(item, path, runtime, otherwise);
  const groups: { key: TemplateValue; first: TemplateValue; items: TemplateValue[] }[] = [];
  for (const item of sortItemsByKey(
    listIterableItemsInCopy(value, runtime),
    keyFor,
    { reverse: false, caseSensitive },
    runtime,
  )) {
    const key = createSortKeyOfValue(keyFor(item), caseSensitive, runtime);
    const last = groups.at(-1);
    if (last !== undefined && compareTemplateValues(last.key, key, runtime.budget) === 0) last.items.push(item);
    else groups.push({ key, first: keyFor(item), items: [item] });
  }
  return groups.map(({ first, items }) => new TemplateGroupByResult(first, items));
}

function applyBatchFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const size = Math.max(1, given.getIntegerArgument('linecount', 1));
  const items = listIterableItemsInCopy(value, runtime);
  const rows: TemplateValue[][] = [];
  for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size));
  const last = rows.at(-1);
  if (last !== undefined && given.findArgument('fill_with') !== null) {
    runtime.budget.countAllocatedMemory(size);
    while (last.length < size) last.push(given.findArgument('fill_with'));
  }
  return rows;
}

function applySliceFilter(
  value: TemplateValue,
  given: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const count = Math.max(1, given.getIntegerArgument('slices', 1));
  runtime.budget.countAllocatedMemory(count);
  const items = listIterableItemsInCopy(value, runtime);
  const [size, more] = [Math.floor(items.length / count), items.length % count];
  return Array.from({ length: count }, (_, index) => {
    const start = index * size + Math.min(index, more);
    const column = items.slice(start, start + size + (index < more ? 1 : 0));
    return index >= more && more > 0 && given.findArgument('fill_with') !== null
      ? [...column, given.findArgument('fill_with')]
      : column;
  });
}

const listMapFilter: VariadicTemplateFilter = {
  parameters: null,
  apply(value, { positional, named }, runtime) {
    const path = named.get('attribute');
    if (path !== undefined) {
      const otherwise = named.get('default') ?? null;
      return listIterableItemsInCopy(value, runtime).map((item) => getAttributeAtPath(item, path, runtime, otherwise));
    }
    const [name, ...rest] = positional;
    if (typeof name !== 'string') throw new TemplateRuntimeError('map requires a filter argument');
    return listIterableItemsInCopy(value, runtime).map((item) =>
      runtime.applyFilter(name, item, { positional: rest, named }),
    );
  },
};

function createSelectOrRejectFilter(keepsMatches: boolean, byAttribute: boolean): VariadicTemplateFilter {
  return {
    parameters: null,
    apply(value, { positional, named }, runtime) {
      const [path, ...others] = byAttribute ? positional : [null, ...positional];
      if (path === undefined) throw new TemplateRuntimeError('Missing parameter for attribute name');
      const [name, ...rest] = others;
      const holds = (one: TemplateValue): boolean =>
        typeof name === 'string'
          ? runtime.applyTest(name, one, { positional: rest, named })
          : isTruthyTemplateValue(one);
      return listIterableItemsInCopy(value, runtime).filter(
        (item) => holds(byAttribute ? getAttributeAtPath(item, path, runtime) : item) === keepsMatches,
      );
    },
  };
}

function applyReverseFilter(
  value: TemplateValue,
  _: BoundTemplateArguments,
  runtime: TemplateFilterRuntime,
): TemplateValue {
  const backwards = listIterableItemsInCopy(value, runtime).toReversed();
  return typeof toPlainValue(value) === 'string' ? backwards.join('') : backwards;
}

/** Template filters for lists and dictionaries, with their names. */
export const templateListFilters: readonly (readonly [string, TemplateFilter | VariadicTemplateFilter])[] = [
  ['batch', createTemplateFilter('linecount fill_with', applyBatchFilter)],
  ['dictsort', createTemplateFilter('case_sensitive by reverse', applyDictSortFilter)],
  ['groupby', createTemplateFilter('attribute default case_sensitive', applyGroupByFilter)],
  [
    'items',
    createTemplateFilter('', (value, _, runtime) =>
      value instanceof UndefinedTemplateValue
        ? []
        : listIterableItemsInCopy(listDictEntryPairs(toTemplateDict(value)), runtime),
    ),
  ],
  ['list', createTemplateFilter('', (value, _, runtime) => listIterableItemsInCopy(value, runtime))],
  ['map', listMapFilter],
  ['max', createMinOrMaxFilter(1)],
  ['min', createMinOrMaxFilter(-1)],
  ['reject', createSelectOrRejectFilter(false, false)],
  ['rejectattr', createSelectOrRejectFilter(false, true)],
  ['reverse', createTemplateFilter('', applyReverseFilter)],
  ['select', createSelectOrRejectFilter(true, false)],
  ['selectattr', createSelectOrRejectFilter(true, true)],
  ['slice', createTemplateFilter('slices fill_with', applySliceFilter)],
  ['sort', createTemplateFilter('reverse case_sensitive attribute', applySortFilter)],
  ['sum', createTemplateFilter('attribute start', applySumFilter)],
  ['unique', createTemplateFilter('case_sensitive attribute', applyUniqueFilter)],
];
