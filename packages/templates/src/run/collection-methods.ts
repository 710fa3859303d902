import { TemplateRuntimeError } from '../template-errors.js';
import { areEqualValues, listIterableItems, toDictKey } from '../values/compare-values.js';
import { DictValue, type DictKey, type TemplateValue } from '../values/template-value.js';
import type { BoundArguments } from './bound-arguments.js';
import { createMethod, type ValueMethod, type ValueMethods } from './filter-runtime.js';

type ListMethod = ValueMethod<TemplateValue[]>;
type DictMethod = ValueMethod<DictValue>;

function findItemIndex(items: readonly TemplateValue[], given: BoundArguments): number {
  return items.findIndex((item) => {
    given.budget.countIterations();
    return areEqualValues(item, given.requireArgument('value'), given.budget);
  });
}

function requireFoundIndex(index: number): number {
  if (index === -1) throw new TemplateRuntimeError('The value is not in the list');
  return index;
}

function runAndReturnNull(change: () => void): null {
  change();
  return null;
}

/** Methods of lists that templates can call. The names and results equal the methods of Python lists. */
export const listMethods: ValueMethods<TemplateValue[]> = new Map<string, ListMethod>([
  [
    'append',
    createMethod('value', (items, given) =>
      runAndReturnNull(() => appendItems(items, [given.requireArgument('value')], given)),
    ),
  ],
  [
    'extend',
    createMethod('values', (items, given) =>
      runAndReturnNull(() =>
        appendItems(items, listIterableItems(given.requireArgument('values'), given.budget), given),
      ),
    ),
  ],
  ['insert', createMethod('index value', (items, given) => runAndReturnNull(() => insertItem(items, given)))],
  [
    'remove',
    createMethod('value', (items, given) =>
      runAndReturnNull(() => removeItemAt(items, requireFoundIndex(findItemIndex(items, given)), given)),
    ),
  ],
  ['pop', createMethod('index', (items, given) => popItem(items, given))],
  ['clear', createMethod('', (items, given) => runAndReturnNull(() => clearList(items, given)))],
  ['reverse', createMethod('', (items, given) => runAndReturnNull(() => reverseList(items, given)))],
  ['copy', createMethod('', (items, given) => copyList(items, given))],
  ['index', createMethod('value', (items, given) => requireFoundIndex(findItemIndex(items, given)))],
  ['count', createMethod('value', (items, given) => countItems(items, given))],
]);

function appendItems(items: TemplateValue[], more: readonly TemplateValue[], { budget }: BoundArguments): void {
  budget.allocate(more.length * 4);
  for (const item of more) budget.countRetainedValue(item);
  // Copied first, because a list may be extended by itself.
  const copy = more.slice();
  const { length } = items;
  for (const item of copy) items.push(item);
  budget.undoLog.recordChange(() => void (items.length = length));
}

/**
 * Removes the item at an index from a list. Returns the removed item, or undefined if the list has no item at the
 * index.
 */
function removeItemAt(items: TemplateValue[], index: number, { budget }: BoundArguments): TemplateValue | undefined {
  const start = index < 0 ? items.length + index : index;
  if (start < 0 || start >= items.length) return undefined;
  const steps = budget.countItemMoves(items.length - start);
  const [removed = null] = items.splice(start, 1);
  budget.undoLog.recordChange(() => void items.splice(start, 0, removed), steps);
  return removed;
}

function clearList(items: TemplateValue[], { budget }: BoundArguments): void {
  const steps = budget.countItemMoves(items.length);
  const removed = items.splice(0);
  budget.undoLog.recordChange(() => {
    for (const item of removed) items.push(item);
  }, steps);
}

function reverseList(items: TemplateValue[], { budget }: BoundArguments): void {
  const steps = budget.countItemMoves(items.length);
  items.reverse();
  budget.undoLog.recordChange(() => void items.reverse(), steps);
}

function insertItem(items: TemplateValue[], given: BoundArguments): void {
  const { budget } = given;
  budget.allocate(1);
  budget.countRetainedValue(given.requireArgument('value'));
  const index = given.integerArgument('index', 0);
  const start = Math.min(items.length, index < 0 ? Math.max(0, items.length + index) : index);
  const steps = budget.countItemMoves(items.length - start);
  items.splice(start, 0, given.requireArgument('value'));
  budget.undoLog.recordChange(() => void items.splice(start, 1), steps);
}

function popItem(items: TemplateValue[], given: BoundArguments): TemplateValue {
  const taken = removeItemAt(items, given.integerArgument('index', -1), given);
  if (taken === undefined) throw new TemplateRuntimeError('pop index out of range');
  return taken;
}

function copyList(items: readonly TemplateValue[], { budget }: BoundArguments): TemplateValue {
  budget.allocate(items.length * 4);
  return [...items];
}

// Without an argument, returns the number of items, as querysets of the reference server do.
function countItems(items: readonly TemplateValue[], given: BoundArguments): number {
  if (!given.hasArgument('value')) return items.length;
  return items.filter((item) => {
    given.budget.countIterations();
    return areEqualValues(item, given.requireArgument('value'), given.budget);
  }).length;
}

/** Methods of dictionaries that templates can call. The names and results equal the methods of Python dictionaries. */
export const dictMethods: ValueMethods<DictValue> = new Map<string, DictMethod>([
  ['get', createMethod('key default', (dict, given) => findEntryOrDefault(dict, given))],
  ['keys', createMethod('', ({ entries }, given) => countAndCopyEntries(entries, given, () => [...entries.keys()]))],
  [
    'values',
    createMethod('', ({ entries }, given) => countAndCopyEntries(entries, given, () => [...entries.values()])),
  ],
  ['items', createMethod('', (dict, given) => countAndCopyEntries(dict.entries, given, () => listEntryPairs(dict)))],
  [
    'copy',
    createMethod('', ({ entries }, given) => countAndCopyEntries(entries, given, () => new DictValue([...entries]))),
  ],
  ['update', createMethod('other', (dict, given) => runAndReturnNull(() => updateDict(dict, given)))],
  ['setdefault', createMethod('key default', (dict, given) => setDefaultEntry(dict, given))],
  ['pop', createMethod('key default', (dict, given) => popEntry(dict, given))],
  ['clear', createMethod('', (dict, given) => runAndReturnNull(() => clearDict(dict, given)))],
]);

/** Returns the entries of a template dictionary. Each entry is a list of the key and the value. */
export function listEntryPairs({ entries }: DictValue): TemplateValue[] {
  return [...entries].map(([key, value]) => [key, value]);
}

/**
 * Runs a function that copies all entries of a template dictionary. Before, counts the memory and the steps of the copy
 * against the limits of the template.
 */
function countAndCopyEntries<T>({ size }: DictValue['entries'], { budget }: BoundArguments, make: () => T): T {
  budget.allocate(size * 4);
  budget.countSteps(size);
  return make();
}

function updateDict(dict: DictValue, given: BoundArguments): void {
  const other = given.requireArgument('other');
  if (!(other instanceof DictValue)) throw new TemplateRuntimeError('update takes a dictionary');
  countAndCopyEntries(other.entries, given, () => {
    for (const [key, value] of other.entries) setEntry(dict, key, value, given);
  });
}

function findEntryOrDefault({ entries }: DictValue, given: BoundArguments): TemplateValue {
  const value = entries.get(toDictKey(given.requireArgument('key')));
  return value === undefined ? given.findArgument('default') : value;
}

function setDefaultEntry(dict: DictValue, given: BoundArguments): TemplateValue {
  const key = toDictKey(given.requireArgument('key'));
  const value = findEntryOrDefault(dict, given);
  given.budget.allocate(1);
  setEntry(dict, key, value, given);
  return value;
}

function setEntry(dict: DictValue, key: DictKey, value: TemplateValue, { budget }: BoundArguments): void {
  budget.countRetainedValue(key);
  budget.countRetainedValue(value);
  budget.undoLog.recordChange(dict.set(key, value));
}

function clearDict(dict: DictValue, { budget }: BoundArguments): void {
  const { size } = dict.entries;
  budget.allocate(size * 4);
  budget.undoLog.recordChange(dict.clear(), 1 + size / 8);
}

function popEntry(dict: DictValue, given: BoundArguments): TemplateValue {
  const key = toDictKey(given.requireArgument('key'));
  const value = dict.entries.get(key);
  if (value === undefined) {
    if (given.hasArgument('default')) return given.requireArgument('default');
    throw new TemplateRuntimeError(`There is no key ${String(key)}`);
  }
  const { budget } = given;
  if (!dict.isNumbered) budget.allocate(dict.entries.size * 4);
  budget.undoLog.recordChange(dict.remove(key));
  return value;
}
