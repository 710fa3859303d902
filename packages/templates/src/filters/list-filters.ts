import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import { calculate } from '../values/arithmetic.js';
import { compare, identityOf, isTrue, itemsOf, keyOf } from '../values/compare.js';
import { pairsOf } from '../run/collection-methods.js';
import { textOf } from '../values/text.js';
import { Dict, Group, isList, plain, TemplateObject, Undefined, type Key, type Value } from '../values/value.js';
import type { BoundArguments } from '../run/bound-arguments.js';
import { filter, type Filter, type OpenFilter, type Runtime } from '../run/runtime.js';

/** Returns the items that a loop over a value iterates over, as a new list. */
function listOf(value: Value, { budget }: Runtime): Value[] {
  const items = itemsOf(value, budget);
  budget.loop(items.length);
  budget.allocate(items.length * 4);
  return [...items];
}

/**
 * Returns the attribute of an item at a path such as `a.b`, in which a number is an index. Missing attributes are
 * undefined.
 */
function attributeOf(item: Value, path: Value, runtime: Runtime, otherwise: Value = null): Value {
  const parts = typeof path === 'number' ? [path] : partsOf(path, '.', runtime);
  let found = item;
  for (const part of parts) {
    found = runtime.member(found, typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part);
    if (found instanceof Undefined && otherwise !== null) return otherwise;
  }
  return found;
}

/** Splits an attribute path into names. The work is counted at each call, because there is one for each item. */
function partsOf(path: Value, separator: string, { budget }: Runtime): string[] {
  const text = textOf(path, budget);
  budget.tick(1 + text.length / 4);
  return text.split(separator);
}

function sortable(value: Value, caseSensitive: boolean, { budget }: Runtime): Value {
  const one = plain(value);
  budget.weigh(one);
  if (typeof one !== 'string') return one;
  const isObject = value instanceof TemplateObject;
  if (caseSensitive) return isObject ? value : one;
  budget.allocate(one.length);
  const text = one.toLowerCase();
  return isObject ? value.withText(text) : text;
}

function sorted(
  items: readonly Value[],
  keyFor: (item: Value) => Value,
  { reverse, caseSensitive }: { reverse: boolean; caseSensitive: boolean },
  runtime: Runtime,
): Value[] {
  const { budget } = runtime;
  const keyed = items.map((item) => ({ item, key: sortableAll(keyFor(item), caseSensitive, runtime) }));
  const sign = reverse ? -1 : 1;
  return keyed.toSorted((a, b) => sign * compare(a.key, b.key, budget)).map(({ item }) => item);
}

function sortableAll(key: Value, caseSensitive: boolean, runtime: Runtime): Value {
  const one = (part: Value): Value => sortable(part, caseSensitive, runtime);
  return isList(key) ? key.map(one) : one(key);
}

function sort(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const paths = given.find('attribute') === null ? null : given.find('attribute');
  const keyFor = paths === null ? (item: Value): Value => item : (item: Value): Value => keys(item, paths, runtime);
  const options = { reverse: given.flag('reverse', false), caseSensitive: given.flag('case_sensitive', false) };
  return sorted(listOf(value, runtime), keyFor, options, runtime);
}

// Returns the values of several attributes, separated by commas, in their order.
function keys(item: Value, paths: Value, runtime: Runtime): Value {
  const all = typeof paths === 'number' ? [paths] : partsOf(paths, ',', runtime);
  const values = all.map((path) => attributeOf(item, path, runtime));
  return values.length === 1 ? (values[0] ?? null) : values;
}

function dictsort(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const dict = dictOf(value);
  const by = given.text('by', 'key') === 'value' ? 1 : 0;
  const options = { reverse: given.flag('reverse', false), caseSensitive: given.flag('case_sensitive', false) };
  return sorted(listOf(pairsOf(dict), runtime), (pair) => (isList(pair) ? (pair[by] ?? null) : null), options, runtime);
}

function dictOf(value: Value): Dict {
  if (value instanceof Dict) return value;
  if (value instanceof TemplateObject) return value.fields;
  if (value instanceof Undefined) throw new UndefinedError(value.reason);
  throw new TemplateRuntimeError('Can only get item pairs from a mapping.');
}

function unique(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const path = given.find('attribute');
  const seen = new Set<Key>();
  return listOf(value, runtime).filter((item) => {
    const one = path === null ? item : attributeOf(item, path, runtime);
    const key = identityOf(one) ?? keyOf(sortable(one, given.flag('case_sensitive', false), runtime));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function extreme(sign: 1 | -1): Filter {
  return filter('case_sensitive attribute', (value, given, runtime) => {
    const path = given.find('attribute');
    const keyFor = (item: Value): Value =>
      sortable(path === null ? item : attributeOf(item, path, runtime), given.flag('case_sensitive', false), runtime);
    let best: { item: Value; key: Value } | null = null;
    for (const item of listOf(value, runtime)) {
      const key = keyFor(item);
      if (best === null || sign * compare(key, best.key, runtime.budget) > 0) best = { item, key };
    }
    return best === null ? new Undefined('No aggregated item, sequence was empty.') : best.item;
  });
}

function sum(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const path = given.find('attribute');
  const start: Value = given.has('start') ? given.get('start') : 0;
  return listOf(value, runtime).reduce(
    (total, item) => calculate('+', total, path === null ? item : attributeOf(item, path, runtime), runtime.budget),
    start,
  );
}

function groupby(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const path = given.get('attribute');
  const otherwise = given.has('default') ? given.get('default') : null;
  const caseSensitive = given.flag('case_sensitive', false);
  const keyFor = (item: Value): Value => attributeOf(item, path, runtime, otherwise);
  const groups: { key: Value; first: Value; items: Value[] }[] = [];
  for (const item of sorted(listOf(value, runtime), keyFor, { reverse: false, caseSensitive }, runtime)) {
    const key = sortable(keyFor(item), caseSensitive, runtime);
    const last = groups.at(-1);
    if (last !== undefined && compare(last.key, key, runtime.budget) === 0) last.items.push(item);
    else groups.push({ key, first: keyFor(item), items: [item] });
  }
  return groups.map(({ first, items }) => new Group(first, items));
}

function batch(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const size = Math.max(1, given.integer('linecount', 1));
  const items = listOf(value, runtime);
  const rows: Value[][] = [];
  for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size));
  const last = rows.at(-1);
  if (last !== undefined && given.find('fill_with') !== null) {
    runtime.budget.allocate(size);
    while (last.length < size) last.push(given.find('fill_with'));
  }
  return rows;
}

function columns(value: Value, given: BoundArguments, runtime: Runtime): Value {
  const count = Math.max(1, given.integer('slices', 1));
  runtime.budget.allocate(count);
  const items = listOf(value, runtime);
  const [size, more] = [Math.floor(items.length / count), items.length % count];
  return Array.from({ length: count }, (_, index) => {
    const start = index * size + Math.min(index, more);
    const column = items.slice(start, start + size + (index < more ? 1 : 0));
    return index >= more && more > 0 && given.find('fill_with') !== null
      ? [...column, given.find('fill_with')]
      : column;
  });
}

const map: OpenFilter = {
  parameters: null,
  apply(value, { positional, named }, runtime) {
    const path = named.get('attribute');
    if (path !== undefined) {
      const otherwise = named.get('default') ?? null;
      return listOf(value, runtime).map((item) => attributeOf(item, path, runtime, otherwise));
    }
    const [name, ...rest] = positional;
    if (typeof name !== 'string') throw new TemplateRuntimeError('map requires a filter argument');
    return listOf(value, runtime).map((item) => runtime.filter(name, item, { positional: rest, named }));
  },
};

function picking(keeps: boolean, byAttribute: boolean): OpenFilter {
  return {
    parameters: null,
    apply(value, { positional, named }, runtime) {
      const [path, ...others] = byAttribute ? positional : [null, ...positional];
      if (path === undefined) throw new TemplateRuntimeError('Missing parameter for attribute name');
      const [name, ...rest] = others;
      const holds = (one: Value): boolean =>
        typeof name === 'string' ? runtime.test(name, one, { positional: rest, named }) : isTrue(one);
      return listOf(value, runtime).filter(
        (item) => holds(byAttribute ? attributeOf(item, path, runtime) : item) === keeps,
      );
    },
  };
}

function reversed(value: Value, _: BoundArguments, runtime: Runtime): Value {
  const backwards = listOf(value, runtime).toReversed();
  return typeof plain(value) === 'string' ? backwards.join('') : backwards;
}

/** Template filters for lists and dictionaries. */
export const listFilters: readonly (readonly [string, Filter | OpenFilter])[] = [
  ['batch', filter('linecount fill_with', batch)],
  ['dictsort', filter('case_sensitive by reverse', dictsort)],
  ['groupby', filter('attribute default case_sensitive', groupby)],
  [
    'items',
    filter('', (value, _, runtime) => (value instanceof Undefined ? [] : listOf(pairsOf(dictOf(value)), runtime))),
  ],
  ['list', filter('', (value, _, runtime) => listOf(value, runtime))],
  ['map', map],
  ['max', extreme(1)],
  ['min', extreme(-1)],
  ['reject', picking(false, false)],
  ['rejectattr', picking(false, true)],
  ['reverse', filter('', reversed)],
  ['select', picking(true, false)],
  ['selectattr', picking(true, true)],
  ['slice', filter('slices fill_with', columns)],
  ['sort', filter('reverse case_sensitive attribute', sort)],
  ['sum', filter('attribute start', sum)],
  ['unique', filter('case_sensitive attribute', unique)],
];
