import type { TemplateResourceCounter } from '../template-budget.js';
import { SecurityError, TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { toTemplateDictKey, toNumberOrNull } from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import {
  type TemplateCallArguments,
  CallableTemplateValue,
  TemplateDictValue,
  TemplateGroupByResult,
  isTemplateList,
  LazyList,
  ValueWithComputedMembers,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateValue,
  RelatedList,
} from '../values/template-value.js';
import { BoundTemplateArguments } from './bound-arguments.js';
import { templateDictMethods, templateListMethods } from './collection-methods.js';
import { isRelatedListMethodName, findRelatedListMethod, findForbiddenMethod } from './related-list-methods.js';
import type { TemplateValueMethods } from './filter-runtime.js';
import { formatText, templateTextMethods } from './text-methods.js';

/**
 * Returns the value of `value.name` in a template. A method takes precedence over a dictionary entry with the same
 * name.
 */
export function getTemplateValueMember(
  value: TemplateValue,
  name: string,
  budget: TemplateResourceCounter,
): TemplateValue {
  const one = requireDefinedValue(value);
  const found = findMethodOfValue(one, name, budget);
  const entry = found === undefined ? findDictEntry(one, name, budget) : found;
  return entry === undefined ? createUndefinedMember(one, name, budget) : entry;
}

/**
 * Returns the value of `value[key]` in a template. A dictionary entry takes precedence over a method with the same
 * name.
 */
export function getTemplateValueItem(
  value: TemplateValue,
  key: TemplateValue,
  budget: TemplateResourceCounter,
): TemplateValue {
  const one = requireDefinedValue(value);
  const text = toPlainValue(key);
  if (one instanceof TemplateDictValue || one instanceof TemplateObject) {
    const entry =
      one instanceof TemplateDictValue
        ? one.entries.get(toTemplateDictKey(key))
        : typeof text === 'string'
          ? one.member(text)
          : undefined;
    if (entry !== undefined) return entry;
  }
  const index = toNumberOrNull(key);
  const items = toPlainValue(one);
  if (one instanceof LazyList && index !== null) {
    if (index === 0) return one.first;
    throw one.wholeListError();
  }
  if (index !== null && (isTemplateList(items) || typeof items === 'string')) return getItemAtIndex(items, index);
  if (typeof text !== 'string') return createUndefinedMember(one, templateValueToText(key, budget), budget);
  const entry = findDictEntry(one, text, budget);
  const found = entry === undefined ? findMethodOfValue(one, text, budget) : entry;
  return found === undefined ? createUndefinedMember(one, text, budget) : found;
}

// Accessing a member of an undefined value is an error.
function requireDefinedValue(value: TemplateValue): TemplateValue {
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  return value;
}

function getItemAtIndex(items: readonly TemplateValue[] | string, index: number): TemplateValue {
  const found = items.at(index);
  return found === undefined
    ? new UndefinedTemplateValue(`${getPythonTypeName(items)} object has no element ${index}`)
    : found;
}

function findDictEntry(value: TemplateValue, name: string, budget: TemplateResourceCounter): TemplateValue | undefined {
  if (value instanceof TemplateDictValue) return value.entries.get(name);
  if (value instanceof TemplateObject) {
    const member = value.member(name);
    return member === undefined ? findMethodOfTextObject(value, name, budget) : member;
  }
  if (value instanceof TemplateGroupByResult)
    return name === 'grouper' ? value.grouper : name === 'list' ? value.list : undefined;
  return value instanceof ValueWithComputedMembers ? value.find(name) : undefined;
}

/**
 * Returns a text method of an object that is a text. For other objects, returns a method that throws an error, or
 * undefined.
 */
function findMethodOfTextObject(
  value: TemplateObject,
  name: string,
  budget: TemplateResourceCounter,
): TemplateValue | undefined {
  if (value.isText && typeof value.scalar === 'string') return findMethodOfValue(value.scalar, name, budget);
  return value.typeName === null ? undefined : findForbiddenMethod(name);
}

function findMethodOfValue(
  value: TemplateValue,
  name: string,
  budget: TemplateResourceCounter,
): TemplateValue | undefined {
  if (value instanceof TemplateObject) return undefined;
  if (value instanceof RelatedList) {
    return findRelatedListMethod(value, name, {
      budget,
      member: (of, member) => getTemplateValueMember(of, member, budget),
    });
  }
  if (typeof value === 'string') {
    if (name === 'format') return new CallableTemplateValue(name, (given) => formatText(value, given, budget));
    return bindMethodToValue(templateTextMethods, value, name, budget);
  }
  // Lists are created by templates or copied for them, so changing one does not change data of the service.
  if (isTemplateList(value))
    return (
      bindMethodToValue(templateListMethods, value as TemplateValue[], name, budget) ?? findMethodOfList(value, name)
    );
  if (value instanceof LazyList) return findMethodOfLazyList(value, name);
  return value instanceof TemplateDictValue ? bindMethodToValue(templateDictMethods, value, name, budget) : undefined;
}

function findMethodOfLazyList(list: LazyList, name: string): TemplateValue | undefined {
  if (name === 'all') return new CallableTemplateValue(name, () => list);
  if (name === 'first') return new CallableTemplateValue(name, () => list.first);
  if (name === 'count') return new CallableTemplateValue(name, () => list.length);
  if (name === 'exists') return new CallableTemplateValue(name, () => list.length > 0);
  if (!isRelatedListMethodName(name)) return undefined;
  return new CallableTemplateValue(name, () => {
    throw list.wholeListError();
  });
}

// Templates written for a list of stored objects may call `all()`.
function findMethodOfList(items: readonly TemplateValue[], name: string): TemplateValue | undefined {
  return name === 'all' ? new CallableTemplateValue(name, () => items) : undefined;
}

function bindMethodToValue<T>(
  methods: TemplateValueMethods<T>,
  self: T,
  name: string,
  budget: TemplateResourceCounter,
): TemplateValue | undefined {
  const found = methods.get(name);
  if (found === undefined) return undefined;
  return new CallableTemplateValue(name, (given: TemplateCallArguments) => {
    // The result of a text method is about as long as the text.
    if (typeof self === 'string') budget.countAllocatedMemory(self.length * 4);
    return found.call(self, new BoundTemplateArguments(`${name}()`, found.parameters, given, budget));
  });
}

// In Python such names could lead out of the sandbox. They do not exist here, but accessing one is reported as an
// error.
function createUndefinedMember(value: TemplateValue, name: string, budget: TemplateResourceCounter): TemplateValue {
  if (name.startsWith('_') || forbiddenMemberNames.has(name)) {
    throw new SecurityError(`access to attribute '${name}' of '${getPythonTypeName(value)}' object is unsafe.`);
  }
  budget.countAllocatedMemory(name.length);
  const kind = value === null ? 'None' : `'${getPythonTypeName(value)} object'`;
  return new UndefinedTemplateValue(
    `${kind} has no attribute '${name}'`,
    `no such element: ${kind.replaceAll("'", '')}['${name}']`,
  );
}

const forbiddenMemberNames = new Set(['constructor', 'prototype', 'mro', 'func_globals', 'gi_frame', 'f_globals']);

/** Returns the value of `value[from:to:step]` in a template. */
export function sliceTemplateValue(
  value: TemplateValue,
  bounds: readonly (number | null)[],
  budget: TemplateResourceCounter,
): TemplateValue {
  const one = toPlainValue(requireDefinedValue(value));
  if (one instanceof LazyList) throw one.wholeListError();
  if (typeof one !== 'string' && !isTemplateList(one)) {
    throw new TemplateRuntimeError(`'${getPythonTypeName(one)}' object cannot be sliced`);
  }
  const [from = null, to = null, every = null] = bounds;
  const step = every ?? 1;
  if (step === 0) throw new TemplateRuntimeError('slice step cannot be zero');
  budget.countAllocatedMemory(typeof one === 'string' ? one.length * 8 : one.length);
  const items = typeof one === 'string' ? Array.from(one) : one;
  const indexes: number[] = [];
  const { start, end } = listSliceIndexes(items.length, { from, to, step });
  for (let index = start; step > 0 ? index < end : index > end; index += step) indexes.push(index);
  if (value instanceof RelatedList && every === null) return value.selectItems(indexes);
  const picked = indexes.map((index) => items[index] ?? null);
  return typeof one === 'string' ? picked.join('') : picked;
}

function listSliceIndexes(
  length: number,
  { from, to, step }: { from: number | null; to: number | null; step: number },
): { start: number; end: number } {
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clamped = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + length : bound, lowest), highest);
  const start = from === null ? (step > 0 ? lowest : highest) : clamped(from);
  const end = to === null ? (step > 0 ? highest : lowest) : clamped(to);
  return { start, end };
}
