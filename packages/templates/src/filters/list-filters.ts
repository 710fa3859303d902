import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { calculateBinaryOperation } from '../values/arithmetic.js';
import {
  compareValues,
  getStoredIdentity,
  isTruthyValue,
  listIterableItems,
  toDictKey,
} from '../values/compare-values.js';
import { listEntryPairs } from '../run/collection-methods.js';
import { toText } from '../values/value-to-text.js';
import {
  DictValue,
  GroupValue,
  isTemplateList,
  toPlainValue,
  TemplateObject,
  UndefinedValue,
  type DictKey,
  type TemplateValue,
} from '../values/template-value.js';
import type { BoundArguments } from '../run/bound-arguments.js';
import { createFilter, type TemplateFilter, type VariadicFilter, type FilterRuntime } from '../run/filter-runtime.js';

/** Returns the items over which a template loop would iterate, in a new list. */
function toItemList(value: TemplateValue, { budget }: FilterRuntime): TemplateValue[] {
  const items = listIterableItems(value, budget);
  budget.countIterations(items.length);
  budget.allocate(items.length * 4);
  return [...items];
}

/**
 * Returns the value of an item at an attribute path such as `a.b`. A number in the path is a list index. Returns an
 * undefined value for a missing attribute.
 */
function attributeAtPath(
  item: TemplateValue,
  path: TemplateValue,
  runtime: FilterRuntime,
  otherwise: TemplateValue = null,
): TemplateValue {
  const parts = typeof path === 'number' ? [path] : splitAttributePath(path, '.', runtime);
  let found = item;
  for (const part of parts) {
    found = runtime.memberOf(found, typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part);
    if (found instanceof UndefinedValue && otherwise !== null) return otherwise;
  }
  return found;
}

/**
 * Splits an attribute path such as `a.b` into names. Each call counts against the work limit of the template, because a
 * filter makes one call for each item.
 */
function splitAttributePath(path: TemplateValue, separator: string, { budget }: FilterRuntime): string[] {
  const text = toText(path, budget);
  budget.countSteps(1 + text.length / 4);
  return text.split(separator);
}

function toSortKey(value: TemplateValue, caseSensitive: boolean, { budget }: FilterRuntime): TemplateValue {
  const one = toPlainValue(value);
  budget.countIterationOver(one);
  if (typeof one !== 'string') return one;
  const isObject = value instanceof TemplateObject;
  if (caseSensitive) return isObject ? value : one;
  budget.allocate(one.length);
  const text = one.toLowerCase();
  return isObject ? value.withText(text) : text;
}

function sortItemsByKey(
  items: readonly TemplateValue[],
  keyFor: (item: TemplateValue) => TemplateValue,
  { reverse, caseSensitive }: { reverse: boolean; caseSensitive: boolean },
  runtime: FilterRuntime,
): TemplateValue[] {
  const { budget } = runtime;
  const keyed = items.map((item) => ({ item, key: toSortKeys(keyFor(item), caseSensitive, runtime) }));
  const sign = reverse ? -1 : 1;
  return keyed.toSorted((a, b) => sign * compareValues(a.key, b.key, budget)).map(({ item }) => item);
}

function toSortKeys(key: TemplateValue, caseSensitive: boolean, runtime: FilterRuntime): TemplateValue {
  const one = (part: TemplateValue): TemplateValue => toSortKey(part, caseSensitive, runtime);
  return isTemplateList(key) ? key.map(one) : one(key);
}

function sortFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const paths = given.findArgument('attribute') === null ? null : given.findArgument('attribute');
  const keyFor =
    paths === null
      ? (item: TemplateValue): TemplateValue => item
      : (item: TemplateValue): TemplateValue => attributeValues(item, paths, runtime);
  const options = {
    reverse: given.booleanArgument('reverse', false),
    caseSensitive: given.booleanArgument('case_sensitive', false),
  };
  return sortItemsByKey(toItemList(value, runtime), keyFor, options, runtime);
}

// Returns the values of several attributes, separated by commas, in their order.
function attributeValues(item: TemplateValue, paths: TemplateValue, runtime: FilterRuntime): TemplateValue {
  const all = typeof paths === 'number' ? [paths] : splitAttributePath(paths, ',', runtime);
  const values = all.map((path) => attributeAtPath(item, path, runtime));
  return values.length === 1 ? (values[0] ?? null) : values;
}

function dictSortFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const dict = toDict(value);
  const by = given.textArgument('by', 'key') === 'value' ? 1 : 0;
  const options = {
    reverse: given.booleanArgument('reverse', false),
    caseSensitive: given.booleanArgument('case_sensitive', false),
  };
  return sortItemsByKey(
    toItemList(listEntryPairs(dict), runtime),
    (pair) => (isTemplateList(pair) ? (pair[by] ?? null) : null),
    options,
    runtime,
  );
}

function toDict(value: TemplateValue): DictValue {
  if (value instanceof DictValue) return value;
  if (value instanceof TemplateObject) return value.fields;
  if (value instanceof UndefinedValue) throw new UndefinedError(value.reason);
  throw new TemplateRuntimeError('Can only get item pairs from a mapping.');
}

function uniqueFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const path = given.findArgument('attribute');
  const seen = new Set<DictKey>();
  return toItemList(value, runtime).filter((item) => {
    const one = path === null ? item : attributeAtPath(item, path, runtime);
    const key =
      getStoredIdentity(one) ?? toDictKey(toSortKey(one, given.booleanArgument('case_sensitive', false), runtime));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function createExtremeFilter(sign: 1 | -1): TemplateFilter {
  return createFilter('case_sensitive attribute', (value, given, runtime) => {
    const path = given.findArgument('attribute');
    const keyFor = (item: TemplateValue): TemplateValue =>
      toSortKey(
        path === null ? item : attributeAtPath(item, path, runtime),
        given.booleanArgument('case_sensitive', false),
        runtime,
      );
    let best: { item: TemplateValue; key: TemplateValue } | null = null;
    for (const item of toItemList(value, runtime)) {
      const key = keyFor(item);
      if (best === null || sign * compareValues(key, best.key, runtime.budget) > 0) best = { item, key };
    }
    return best === null ? new UndefinedValue('No aggregated item, sequence was empty.') : best.item;
  });
}

function sumFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const path = given.findArgument('attribute');
  const start: TemplateValue = given.hasArgument('start') ? given.requireArgument('start') : 0;
  return toItemList(value, runtime).reduce(
    (total, item) =>
      calculateBinaryOperation('+', total, path === null ? item : attributeAtPath(item, path, runtime), runtime.budget),
    start,
  );
}

function groupByFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const path = given.requireArgument('attribute');
  const otherwise = given.hasArgument('default') ? given.requireArgument('default') : null;
  const caseSensitive = given.booleanArgument('case_sensitive', false);
  const keyFor = (item: TemplateValue): TemplateValue => attributeAtPath(item, path, runtime, otherwise);
  const groups: { key: TemplateValue; first: TemplateValue; items: TemplateValue[] }[] = [];
  for (const item of sortItemsByKey(toItemList(value, runtime), keyFor, { reverse: false, caseSensitive }, runtime)) {
    const key = toSortKey(keyFor(item), caseSensitive, runtime);
    const last = groups.at(-1);
    if (last !== undefined && compareValues(last.key, key, runtime.budget) === 0) last.items.push(item);
    else groups.push({ key, first: keyFor(item), items: [item] });
  }
  return groups.map(({ first, items }) => new GroupValue(first, items));
}

function batchFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const size = Math.max(1, given.integerArgument('linecount', 1));
  const items = toItemList(value, runtime);
  const rows: TemplateValue[][] = [];
  for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size));
  const last = rows.at(-1);
  if (last !== undefined && given.findArgument('fill_with') !== null) {
    runtime.budget.allocate(size);
    while (last.length < size) last.push(given.findArgument('fill_with'));
  }
  return rows;
}

function sliceFilter(value: TemplateValue, given: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const count = Math.max(1, given.integerArgument('slices', 1));
  runtime.budget.allocate(count);
  const items = toItemList(value, runtime);
  const [size, more] = [Math.floor(items.length / count), items.length % count];
  return Array.from({ length: count }, (_, index) => {
    const start = index * size + Math.min(index, more);
    const column = items.slice(start, start + size + (index < more ? 1 : 0));
    return index >= more && more > 0 && given.findArgument('fill_with') !== null
      ? [...column, given.findArgument('fill_with')]
      : column;
  });
}

const mapFilter: VariadicFilter = {
  parameters: null,
  apply(value, { positional, named }, runtime) {
    const path = named.get('attribute');
    if (path !== undefined) {
      const otherwise = named.get('default') ?? null;
      return toItemList(value, runtime).map((item) => attributeAtPath(item, path, runtime, otherwise));
    }
    const [name, ...rest] = positional;
    if (typeof name !== 'string') throw new TemplateRuntimeError('map requires a filter argument');
    return toItemList(value, runtime).map((item) => runtime.applyFilter(name, item, { positional: rest, named }));
  },
};

function createSelectFilter(keepsMatches: boolean, byAttribute: boolean): VariadicFilter {
  return {
    parameters: null,
    apply(value, { positional, named }, runtime) {
      const [path, ...others] = byAttribute ? positional : [null, ...positional];
      if (path === undefined) throw new TemplateRuntimeError('Missing parameter for attribute name');
      const [name, ...rest] = others;
      const holds = (one: TemplateValue): boolean =>
        typeof name === 'string' ? runtime.applyTest(name, one, { positional: rest, named }) : isTruthyValue(one);
      return toItemList(value, runtime).filter(
        (item) => holds(byAttribute ? attributeAtPath(item, path, runtime) : item) === keepsMatches,
      );
    },
  };
}

function reverseFilter(value: TemplateValue, _: BoundArguments, runtime: FilterRuntime): TemplateValue {
  const backwards = toItemList(value, runtime).toReversed();
  return typeof toPlainValue(value) === 'string' ? backwards.join('') : backwards;
}

/** Template filters for lists and dictionaries, with their names. */
export const listFilters: readonly (readonly [string, TemplateFilter | VariadicFilter])[] = [
  ['batch', createFilter('linecount fill_with', batchFilter)],
  ['dictsort', createFilter('case_sensitive by reverse', dictSortFilter)],
  ['groupby', createFilter('attribute default case_sensitive', groupByFilter)],
  [
    'items',
    createFilter('', (value, _, runtime) =>
      value instanceof UndefinedValue ? [] : toItemList(listEntryPairs(toDict(value)), runtime),
    ),
  ],
  ['list', createFilter('', (value, _, runtime) => toItemList(value, runtime))],
  ['map', mapFilter],
  ['max', createExtremeFilter(1)],
  ['min', createExtremeFilter(-1)],
  ['reject', createSelectFilter(false, false)],
  ['rejectattr', createSelectFilter(false, true)],
  ['reverse', createFilter('', reverseFilter)],
  ['select', createSelectFilter(true, false)],
  ['selectattr', createSelectFilter(true, true)],
  ['slice', createFilter('slices fill_with', sliceFilter)],
  ['sort', createFilter('reverse case_sensitive attribute', sortFilter)],
  ['sum', createFilter('attribute start', sumFilter)],
  ['unique', createFilter('case_sensitive attribute', uniqueFilter)],
];
