import { TemplateRuntimeError } from '../template-errors.js';
import { areEqualTemplateValues, listIterableItems, toTemplateDictKey } from '../values/compare-values.js';
import { TemplateDictValue, type TemplateDictKey, type TemplateValue } from '../values/template-value.js';
import type { BoundTemplateArguments } from './bound-arguments.js';
import { createTemplateMethod, type TemplateValueMethod, type TemplateValueMethods } from './filter-runtime.js';

type TemplateListMethod = TemplateValueMethod<TemplateValue[]>;
type TemplateDictMethod = TemplateValueMethod<TemplateDictValue>;

function findListItemIndex(items: readonly TemplateValue[], given: BoundTemplateArguments): number {
  return items.findIndex((item) => {
    given.budget.countIterations();
    return areEqualTemplateValues(item, given.requireArgument('value'), given.budget);
  });
}

function requireListItemFound(index: number): number {
  if (index === -1) throw new TemplateRuntimeError('The value is not in the list');
  return index;
}

function runChangeAndReturnNull(change: () => void): null {
  change();
  return null;
}

/** Methods of lists that templates can call. The names and results equal the methods of Python lists. */
export const templateListMethods: TemplateValueMethods<TemplateValue[]> = new Map<string, TemplateListMethod>([
  [
    'append',
    createTemplateMethod('value', (items, given) =>
      runChangeAndReturnNull(() => appendListItems(items, [given.requireArgument('value')], given)),
    ),
  ],
  [
    'extend',
    createTemplateMethod('values', (items, given) =>
      runChangeAndReturnNull(() =>
        appendListItems(items, listIterableItems(given.requireArgument('values'), given.budget), given),
      ),
    ),
  ],
  [
    'insert',
    createTemplateMethod('index value', (items, given) => runChangeAndReturnNull(() => insertListItem(items, given))),
  ],
  [
    'remove',
    createTemplateMethod('value', (items, given) =>
      runChangeAndReturnNull(() =>
        removeListItemAt(items, requireListItemFound(findListItemIndex(items, given)), given),
      ),
    ),
  ],
  ['pop', createTemplateMethod('index', (items, given) => popListItem(items, given))],
  ['clear', createTemplateMethod('', (items, given) => runChangeAndReturnNull(() => clearTemplateList(items, given)))],
  [
    'reverse',
    createTemplateMethod('', (items, given) => runChangeAndReturnNull(() => reverseTemplateList(items, given))),
  ],
  ['copy', createTemplateMethod('', (items, given) => copyTemplateList(items, given))],
  ['index', createTemplateMethod('value', (items, given) => requireListItemFound(findListItemIndex(items, given)))],
  ['count', createTemplateMethod('value', (items, given) => countEqualListItems(items, given))],
]);

function appendListItems(
  items: TemplateValue[],
  more: readonly TemplateValue[],
  { budget }: BoundTemplateArguments,
): void {
  budget.countAllocatedMemory(more.length * 4);
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
function removeListItemAt(
  items: TemplateValue[],
  index: number,
  { budget }: BoundTemplateArguments,
): TemplateValue | undefined {
  const start = index < 0 ? items.length + index : index;
  if (start < 0 || start >= items.length) return undefined;
  const steps = budget.countItemMoves(items.length - start);
  const [removed = null] = items.splice(start, 1);
  budget.undoLog.recordChange(() => void items.splice(start, 0, removed), steps);
  return removed;
}

function clearTemplateList(items: TemplateValue[], { budget }: BoundTemplateArguments): void {
  const steps = budget.countItemMoves(items.length);
  const removed = items.splice(0);
  budget.undoLog.recordChange(() => {
    for (const item of removed) items.push(item);
  }, steps);
}

function reverseTemplateList(items: TemplateValue[], { budget }: BoundTemplateArguments): void {
  const steps = budget.countItemMoves(items.length);
  items.reverse();
  budget.undoLog.recordChange(() => void items.reverse(), steps);
}

function insertListItem(items: TemplateValue[], given: BoundTemplateArguments): void {
  const { budget } = given;
  budget.countAllocatedMemory(1);
  budget.countRetainedValue(given.requireArgument('value'));
  const index = given.getIntegerArgument('index', 0);
  const start = Math.min(items.length, index < 0 ? Math.max(0, items.length + index) : index);
  const steps = budget.countItemMoves(items.length - start);
  items.splice(start, 0, given.requireArgument('value'));
  budget.undoLog.recordChange(() => void items.splice(start, 1), steps);
}

function popListItem(items: TemplateValue[], given: BoundTemplateArguments): TemplateValue {
  const taken = removeListItemAt(items, given.getIntegerArgument('index', -1), given);
  if (taken === undefined) throw new TemplateRuntimeError('pop index out of range');
  return taken;
}

function copyTemplateList(items: readonly TemplateValue[], { budget }: BoundTemplateArguments): TemplateValue {
  budget.countAllocatedMemory(items.length * 4);
  return [...items];
}

// Without an argument, returns the number of items, as querysets of the reference server do.
function countEqualListItems(items: readonly TemplateValue[], given: BoundTemplateArguments): number {
  if (!given.hasArgument('value')) return items.length;
  return items.filter((item) => {
    given.budget.countIterations();
    return areEqualTemplateValues(item, given.requireArgument('value'), given.budget);
  }).length;
}

/** Methods of dictionaries that templates can call. The names and results equal the methods of Python dictionaries. */
export const templateDictMethods: TemplateValueMethods<TemplateDictValue> = new Map<string, TemplateDictMethod>([
  ['get', createTemplateMethod('key default', (dict, given) => findDictEntryOrDefault(dict, given))],
  [
    'keys',
    createTemplateMethod('', ({ entries }, given) =>
      countAndCopyDictEntries(entries, given, () => [...entries.keys()]),
    ),
  ],
  [
    'values',
    createTemplateMethod('', ({ entries }, given) =>
      countAndCopyDictEntries(entries, given, () => [...entries.values()]),
    ),
  ],
  [
    'items',
    createTemplateMethod('', (dict, given) =>
      countAndCopyDictEntries(dict.entries, given, () => listDictEntryPairs(dict)),
    ),
  ],
  [
    'copy',
    createTemplateMethod('', ({ entries }, given) =>
      countAndCopyDictEntries(entries, given, () => new TemplateDictValue([...entries])),
    ),
  ],
  [
    'update',
    createTemplateMethod('other', (dict, given) => runChangeAndReturnNull(() => updateTemplateDict(dict, given))),
  ],
  ['setdefault', createTemplateMethod('key default', (dict, given) => setDictEntryDefault(dict, given))],
  ['pop', createTemplateMethod('key default', (dict, given) => popDictEntry(dict, given))],
  ['clear', createTemplateMethod('', (dict, given) => runChangeAndReturnNull(() => clearTemplateDict(dict, given)))],
]);

/** Returns the entries of a template dictionary. Each entry is a list of the key and the value. */
export function listDictEntryPairs({ entries }: TemplateDictValue): TemplateValue[] {
  return [...entries].map(([key, value]) => [key, value]);
}

/**
 * Runs a function that copies all entries of a template dictionary. Before, counts the memory and the steps of the copy
 * against the limits of the template.
 */
function countAndCopyDictEntries<T>(
  { size }: TemplateDictValue['entries'],
  { budget }: BoundTemplateArguments,
  make: () => T,
): T {
  budget.countAllocatedMemory(size * 4);
  budget.countSteps(size);
  return make();
}

function updateTemplateDict(dict: TemplateDictValue, given: BoundTemplateArguments): void {
  const other = given.requireArgument('other');
  if (!(other instanceof TemplateDictValue)) throw new TemplateRuntimeError('update takes a dictionary');
  countAndCopyDictEntries(other.entries, given, () => {
    for (const [key, value] of other.entries) setDictEntry(dict, key, value, given);
  });
}

function findDictEntryOrDefault({ entries }: TemplateDictValue, given: BoundTemplateArguments): TemplateValue {
  const value = entries.get(toTemplateDictKey(given.requireArgument('key')));
  return value === undefined ? given.findArgument('default') : value;
}

function setDictEntryDefault(dict: TemplateDictValue, given: BoundTemplateArguments): TemplateValue {
  const key = toTemplateDictKey(given.requireArgument('key'));
  const value = findDictEntryOrDefault(dict, given);
  given.budget.countAllocatedMemory(1);
  setDictEntry(dict, key, value, given);
  return value;
}

function setDictEntry(
  dict: TemplateDictValue,
  key: TemplateDictKey,
  value: TemplateValue,
  { budget }: BoundTemplateArguments,
): void {
  budget.countRetainedValue(key);
  budget.countRetainedValue(value);
  budget.undoLog.recordChange(dict.putEntry(key, value));
}

function clearTemplateDict(dict: TemplateDictValue, { budget }: BoundTemplateArguments): void {
  const { size } = dict.entries;
  budget.countAllocatedMemory(size * 4);
  budget.undoLog.recordChange(dict.removeAllEntries(), 1 + size / 8);
}

function popDictEntry(dict: TemplateDictValue, given: BoundTemplateArguments): TemplateValue {
  const key = toTemplateDictKey(given.requireArgument('key'));
  const value = dict.entries.get(key);
  if (value === undefined) {
    if (given.hasArgument('default')) return given.requireArgument('default');
    throw new TemplateRuntimeError(`There is no key ${String(key)}`);
  }
  const { budget } = given;
  if (!dict.hasNumberedEntries) budget.countAllocatedMemory(dict.entries.size * 4);
  budget.undoLog.recordChange(dict.deleteEntry(key));
  return value;
}
