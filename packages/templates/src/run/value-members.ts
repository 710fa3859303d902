import type { TemplateBudget } from '../template-budget.js';
import { SecurityError, TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { toDictKey, toNumber } from '../values/compare-values.js';
import { toText } from '../values/value-to-text.js';
import {
  type CallArguments,
  CallableValue,
  DictValue,
  GroupValue,
  isTemplateList,
  LazyList,
  ComputedMembers,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedValue,
  type TemplateValue,
  RelatedList,
} from '../values/template-value.js';
import { BoundArguments } from './bound-arguments.js';
import { dictMethods, listMethods } from './collection-methods.js';
import { isRelatedMethod, findRelatedMethod, findUnsafeMethod } from './related-list-methods.js';
import type { ValueMethods } from './filter-runtime.js';
import { formatText, textMethods } from './text-methods.js';

/**
 * Returns the value of `value.name` in a template. A method takes precedence over a dictionary entry with the same
 * name.
 */
export function getValueMember(value: TemplateValue, name: string, budget: TemplateBudget): TemplateValue {
  const one = requireDefined(value);
  const found = findMethod(one, name, budget);
  const entry = found === undefined ? findEntry(one, name, budget) : found;
  return entry === undefined ? createUndefinedMember(one, name, budget) : entry;
}

/**
 * Returns the value of `value[key]` in a template. A dictionary entry takes precedence over a method with the same
 * name.
 */
export function getValueItem(value: TemplateValue, key: TemplateValue, budget: TemplateBudget): TemplateValue {
  const one = requireDefined(value);
  const text = toPlainValue(key);
  if (one instanceof DictValue || one instanceof TemplateObject) {
    const entry =
      one instanceof DictValue
        ? one.entries.get(toDictKey(key))
        : typeof text === 'string'
          ? one.member(text)
          : undefined;
    if (entry !== undefined) return entry;
  }
  const index = toNumber(key);
  const items = toPlainValue(one);
  if (one instanceof LazyList && index !== null) {
    if (index === 0) return one.first;
    throw one.wholeListError();
  }
  if (index !== null && (isTemplateList(items) || typeof items === 'string')) return getItemAtIndex(items, index);
  if (typeof text !== 'string') return createUndefinedMember(one, toText(key, budget), budget);
  const entry = findEntry(one, text, budget);
  const found = entry === undefined ? findMethod(one, text, budget) : entry;
  return found === undefined ? createUndefinedMember(one, text, budget) : found;
}

// Accessing a member of an undefined value is an error.
function requireDefined(value: TemplateValue): TemplateValue {
  if (value instanceof UndefinedValue) throw new UndefinedError(value.reason);
  return value;
}

function getItemAtIndex(items: readonly TemplateValue[] | string, index: number): TemplateValue {
  const found = items.at(index);
  return found === undefined ? new UndefinedValue(`${getPythonTypeName(items)} object has no element ${index}`) : found;
}

function findEntry(value: TemplateValue, name: string, budget: TemplateBudget): TemplateValue | undefined {
  if (value instanceof DictValue) return value.entries.get(name);
  if (value instanceof TemplateObject) {
    const member = value.member(name);
    return member === undefined ? findTextMethod(value, name, budget) : member;
  }
  if (value instanceof GroupValue) return name === 'grouper' ? value.grouper : name === 'list' ? value.list : undefined;
  return value instanceof ComputedMembers ? value.find(name) : undefined;
}

/**
 * Returns a text method of an object that is a text. For other objects, returns a method that throws an error, or
 * undefined.
 */
function findTextMethod(value: TemplateObject, name: string, budget: TemplateBudget): TemplateValue | undefined {
  if (value.isText && typeof value.scalar === 'string') return findMethod(value.scalar, name, budget);
  return value.typeName === null ? undefined : findUnsafeMethod(name);
}

function findMethod(value: TemplateValue, name: string, budget: TemplateBudget): TemplateValue | undefined {
  if (value instanceof TemplateObject) return undefined;
  if (value instanceof RelatedList) {
    return findRelatedMethod(value, name, { budget, member: (of, member) => getValueMember(of, member, budget) });
  }
  if (typeof value === 'string') {
    if (name === 'format') return new CallableValue(name, (given) => formatText(value, given, budget));
    return bindMethod(textMethods, value, name, budget);
  }
  // Lists are created by templates or copied for them, so changing one does not change data of the service.
  if (isTemplateList(value))
    return bindMethod(listMethods, value as TemplateValue[], name, budget) ?? findListMethod(value, name);
  if (value instanceof LazyList) return findLazyListMethod(value, name);
  return value instanceof DictValue ? bindMethod(dictMethods, value, name, budget) : undefined;
}

function findLazyListMethod(list: LazyList, name: string): TemplateValue | undefined {
  if (name === 'all') return new CallableValue(name, () => list);
  if (name === 'first') return new CallableValue(name, () => list.first);
  if (name === 'count') return new CallableValue(name, () => list.length);
  if (name === 'exists') return new CallableValue(name, () => list.length > 0);
  if (!isRelatedMethod(name)) return undefined;
  return new CallableValue(name, () => {
    throw list.wholeListError();
  });
}

// Templates written for a list of stored objects may call `all()`.
function findListMethod(items: readonly TemplateValue[], name: string): TemplateValue | undefined {
  return name === 'all' ? new CallableValue(name, () => items) : undefined;
}

function bindMethod<T>(
  methods: ValueMethods<T>,
  self: T,
  name: string,
  budget: TemplateBudget,
): TemplateValue | undefined {
  const found = methods.get(name);
  if (found === undefined) return undefined;
  return new CallableValue(name, (given: CallArguments) => {
    // The result of a text method is about as long as the text.
    if (typeof self === 'string') budget.allocate(self.length * 4);
    return found.call(self, new BoundArguments(`${name}()`, found.parameters, given, budget));
  });
}

// In Python such names could lead out of the sandbox. They do not exist here, but accessing one is reported as an
// error.
function createUndefinedMember(value: TemplateValue, name: string, budget: TemplateBudget): TemplateValue {
  if (name.startsWith('_') || forbiddenNames.has(name)) {
    throw new SecurityError(`access to attribute '${name}' of '${getPythonTypeName(value)}' object is unsafe.`);
  }
  budget.allocate(name.length);
  const kind = value === null ? 'None' : `'${getPythonTypeName(value)} object'`;
  return new UndefinedValue(
    `${kind} has no attribute '${name}'`,
    `no such element: ${kind.replaceAll("'", '')}['${name}']`,
  );
}

const forbiddenNames = new Set(['constructor', 'prototype', 'mro', 'func_globals', 'gi_frame', 'f_globals']);

/** Returns the value of `value[from:to:step]` in a template. */
export function sliceValue(
  value: TemplateValue,
  bounds: readonly (number | null)[],
  budget: TemplateBudget,
): TemplateValue {
  const one = toPlainValue(requireDefined(value));
  if (one instanceof LazyList) throw one.wholeListError();
  if (typeof one !== 'string' && !isTemplateList(one)) {
    throw new TemplateRuntimeError(`'${getPythonTypeName(one)}' object cannot be sliced`);
  }
  const [from = null, to = null, every = null] = bounds;
  const step = every ?? 1;
  if (step === 0) throw new TemplateRuntimeError('slice step cannot be zero');
  budget.allocate(typeof one === 'string' ? one.length * 8 : one.length);
  const items = typeof one === 'string' ? Array.from(one) : one;
  const indexes: number[] = [];
  const { start, end } = sliceRange(items.length, { from, to, step });
  for (let index = start; step > 0 ? index < end : index > end; index += step) indexes.push(index);
  if (value instanceof RelatedList && every === null) return value.selectItems(indexes);
  const picked = indexes.map((index) => items[index] ?? null);
  return typeof one === 'string' ? picked.join('') : picked;
}

function sliceRange(
  length: number,
  { from, to, step }: { from: number | null; to: number | null; step: number },
): { start: number; end: number } {
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clamped = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + length : bound, lowest), highest);
  const start = from === null ? (step > 0 ? lowest : highest) : clamped(from);
  const end = to === null ? (step > 0 ? highest : lowest) : clamped(to);
  return { start, end };
}
