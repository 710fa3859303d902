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
  ['remove', method('value', (items, given) => changed(() => cut(items, indexFound(indexOf(items, given)), 1, given)))],
  ['pop', method('index', (items, given) => pop(items, given))],
  ['clear', method('', (items, given) => changed(() => cut(items, 0, items.length, given)))],
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

/** Removes items. Returns the removed ones. */
function cut(items: Value[], index: number, count: number, { budget }: BoundArguments): readonly Value[] {
  const start = index < 0 ? Math.max(0, items.length + index) : index;
  const removed = items.splice(start, count);
  budget.changes.add(() => {
    const rest = items.splice(start);
    for (const item of [...removed, ...rest]) items.push(item);
  });
  return removed;
}

function reverse(items: Value[], { budget }: BoundArguments): void {
  items.reverse();
  budget.changes.add(() => void items.reverse());
}

function insert(items: Value[], given: BoundArguments): void {
  given.budget.allocate(1);
  given.budget.retain(given.get('value'));
  const index = given.integer('index', 0);
  const start = Math.min(items.length, index < 0 ? Math.max(0, items.length + index) : index);
  items.splice(start, 0, given.get('value'));
  given.budget.changes.add(() => void items.splice(start, 1));
}

function pop(items: Value[], given: BoundArguments): Value {
  const [taken] = cut(items, given.integer('index', -1), 1, given);
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

function store({ entries }: Dict, key: Key, value: Value, { budget }: BoundArguments): void {
  budget.retain(key);
  budget.retain(value);
  const before = entries.get(key);
  entries.set(key, value);
  budget.changes.add(() => (before === undefined ? void entries.delete(key) : void entries.set(key, before)));
}

function clear({ entries }: Dict, { budget }: BoundArguments): void {
  const before = [...entries];
  entries.clear();
  budget.changes.add(() => {
    for (const [key, value] of before) entries.set(key, value);
  });
}

function popEntry(dict: Dict, given: BoundArguments): Value {
  const key = keyOf(given.get('key'));
  const value = dict.entries.get(key);
  removeEntry(dict, key, given);
  if (value === undefined && !given.has('default')) throw new TemplateRuntimeError(`There is no key ${String(key)}`);
  return value === undefined ? given.find('default') : value;
}

/** Removes an entry. Undoing it also restores the order of the entries after it. */
function removeEntry({ entries }: Dict, key: Key, { budget }: BoundArguments): void {
  if (!entries.has(key)) return;
  const before = [...entries];
  budget.allocate(before.length);
  entries.delete(key);
  budget.changes.add(() => {
    entries.clear();
    for (const [name, value] of before) entries.set(name, value);
  });
}
