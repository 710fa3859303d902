import { TemplateRuntimeError } from '../errors.js';
import { isEqual, itemsOf, keyOf } from '../values/compare.js';
import { Dict, type Key, type Value } from '../values/value.js';
import type { BoundArguments } from './bound-arguments.js';
import { method, type Method, type Methods } from './runtime.js';

type ListMethod = Method<Value[]>;
type DictMethod = Method<Dict>;

function indexOf(items: readonly Value[], given: BoundArguments): number {
  return items.findIndex((item) => {
    given.budget.loop();
    return isEqual(item, given.get('value'), given.budget);
  });
}

function indexFound(index: number): number {
  if (index === -1) throw new TemplateRuntimeError('The value is not in the list');
  return index;
}

function changed(change: () => void): null {
  change();
  return null;
}

/** Methods of lists in templates, with the names and results of Python. */
export const listMethods: Methods<Value[]> = new Map<string, ListMethod>([
  ['append', method('value', (items, given) => changed(() => add(items, [given.get('value')], given)))],
  [
    'extend',
    method('values', (items, given) => changed(() => add(items, itemsOf(given.get('values'), given.budget), given))),
  ],
  ['insert', method('index value', (items, given) => changed(() => insert(items, given)))],
  ['remove', method('value', (items, given) => changed(() => cut(items, indexFound(indexOf(items, given)), given)))],
  ['pop', method('index', (items, given) => pop(items, given))],
  ['clear', method('', (items, given) => changed(() => clearList(items, given)))],
  ['reverse', method('', (items, given) => changed(() => reverse(items, given)))],
  ['copy', method('', (items, given) => copied(items, given))],
  ['index', method('value', (items, given) => indexFound(indexOf(items, given)))],
  ['count', method('value', (items, given) => count(items, given))],
]);

function add(items: Value[], more: readonly Value[], { budget }: BoundArguments): void {
  budget.allocate(more.length * 4);
  for (const item of more) budget.retain(item);
  // Copied first, because a list may be extended by itself.
  const copy = more.slice();
  const { length } = items;
  for (const item of copy) items.push(item);
  budget.changes.add(() => void (items.length = length));
}

/** Removes an item. Returns it, or undefined if there is none at the index. */
function cut(items: Value[], index: number, { budget }: BoundArguments): Value | undefined {
  const start = index < 0 ? items.length + index : index;
  if (start < 0 || start >= items.length) return undefined;
  const steps = budget.shift(items.length - start);
  const [removed = null] = items.splice(start, 1);
  budget.changes.add(() => void items.splice(start, 0, removed), steps);
  return removed;
}

function clearList(items: Value[], { budget }: BoundArguments): void {
  const steps = budget.shift(items.length);
  const removed = items.splice(0);
  budget.changes.add(() => {
    for (const item of removed) items.push(item);
  }, steps);
}

function reverse(items: Value[], { budget }: BoundArguments): void {
  const steps = budget.shift(items.length);
  items.reverse();
  budget.changes.add(() => void items.reverse(), steps);
}

function insert(items: Value[], given: BoundArguments): void {
  const { budget } = given;
  budget.allocate(1);
  budget.retain(given.get('value'));
  const index = given.integer('index', 0);
  const start = Math.min(items.length, index < 0 ? Math.max(0, items.length + index) : index);
  const steps = budget.shift(items.length - start);
  items.splice(start, 0, given.get('value'));
  budget.changes.add(() => void items.splice(start, 1), steps);
}

function pop(items: Value[], given: BoundArguments): Value {
  const taken = cut(items, given.integer('index', -1), given);
  if (taken === undefined) throw new TemplateRuntimeError('pop index out of range');
  return taken;
}

function copied(items: readonly Value[], { budget }: BoundArguments): Value {
  budget.allocate(items.length * 4);
  return [...items];
}

// Without an argument, returns the number of items, as querysets of the reference server do.
function count(items: readonly Value[], given: BoundArguments): number {
  if (!given.has('value')) return items.length;
  return items.filter((item) => {
    given.budget.loop();
    return isEqual(item, given.get('value'), given.budget);
  }).length;
}

/** Methods of dictionaries in templates, with the names and results of Python. */
export const dictMethods: Methods<Dict> = new Map<string, DictMethod>([
  ['get', method('key default', (dict, given) => entryOr(dict, given))],
  ['keys', method('', ({ entries }, given) => counted(entries, given, () => [...entries.keys()]))],
  ['values', method('', ({ entries }, given) => counted(entries, given, () => [...entries.values()]))],
  ['items', method('', (dict, given) => counted(dict.entries, given, () => pairsOf(dict)))],
  ['copy', method('', ({ entries }, given) => counted(entries, given, () => new Dict([...entries])))],
  ['update', method('other', (dict, given) => changed(() => update(dict, given)))],
  ['setdefault', method('key default', (dict, given) => setDefault(dict, given))],
  ['pop', method('key default', (dict, given) => popEntry(dict, given))],
  ['clear', method('', (dict, given) => changed(() => clear(dict, given)))],
]);

/** Returns the entries of a dictionary as lists of key and value. */
export function pairsOf({ entries }: Dict): Value[] {
  return [...entries].map(([key, value]) => [key, value]);
}

/** Runs a function that copies all entries of a dictionary. Counts their memory and steps before. */
function counted<T>({ size }: Dict['entries'], { budget }: BoundArguments, make: () => T): T {
  budget.allocate(size * 4);
  budget.tick(size);
  return make();
}

function update(dict: Dict, given: BoundArguments): void {
  const other = given.get('other');
  if (!(other instanceof Dict)) throw new TemplateRuntimeError('update takes a dictionary');
  counted(other.entries, given, () => {
    for (const [key, value] of other.entries) store(dict, key, value, given);
  });
}

function entryOr({ entries }: Dict, given: BoundArguments): Value {
  const value = entries.get(keyOf(given.get('key')));
  return value === undefined ? given.find('default') : value;
}

function setDefault(dict: Dict, given: BoundArguments): Value {
  const key = keyOf(given.get('key'));
  const value = entryOr(dict, given);
  given.budget.allocate(1);
  store(dict, key, value, given);
  return value;
}

function store(dict: Dict, key: Key, value: Value, { budget }: BoundArguments): void {
  budget.retain(key);
  budget.retain(value);
  budget.changes.add(dict.set(key, value));
}

function clear(dict: Dict, { budget }: BoundArguments): void {
  const { size } = dict.entries;
  budget.allocate(size * 4);
  budget.changes.add(dict.clear(), 1 + size / 8);
}

function popEntry(dict: Dict, given: BoundArguments): Value {
  const key = keyOf(given.get('key'));
  const value = dict.entries.get(key);
  if (value === undefined) {
    if (given.has('default')) return given.get('default');
    throw new TemplateRuntimeError(`There is no key ${String(key)}`);
  }
  const { budget } = given;
  if (!dict.isNumbered) budget.allocate(dict.entries.size * 4);
  budget.changes.add(dict.remove(key));
  return value;
}
