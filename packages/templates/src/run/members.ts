import type { Budget } from '../budget.js';
import { SecurityError, TemplateRuntimeError, UndefinedError } from '../errors.js';
import { keyOf, numberOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import {
  type Arguments,
  Callable,
  Dict,
  Group,
  isList,
  LazyList,
  Members,
  plain,
  TemplateObject,
  typeName,
  Undefined,
  type Value,
  RelatedList,
} from '../values/value.js';
import { BoundArguments } from './bound-arguments.js';
import { dictMethods, listMethods } from './collection-methods.js';
import { isRelatedMethod, relatedMethod, unsafeMethod } from './related-methods.js';
import type { Methods } from './runtime.js';
import { formatText, textMethods } from './text-methods.js';

/** Returns the value of `value.name` in a template. A method takes precedence over an entry with the same name. */
export function memberOf(value: Value, name: string, budget: Budget): Value {
  const one = deeper(value);
  const found = methodOf(one, name, budget);
  const entry = found === undefined ? entryOf(one, name, budget) : found;
  return entry === undefined ? missing(one, name, budget) : entry;
}

/** Returns the value of `value[key]` in a template. An entry takes precedence over a method with the same name. */
export function itemOf(value: Value, key: Value, budget: Budget): Value {
  const one = deeper(value);
  const text = plain(key);
  if (one instanceof Dict || one instanceof TemplateObject) {
    const entry =
      one instanceof Dict ? one.entries.get(keyOf(key)) : typeof text === 'string' ? one.member(text) : undefined;
    if (entry !== undefined) return entry;
  }
  const index = numberOf(key);
  const items = plain(one);
  if (one instanceof LazyList && index !== null) {
    if (index === 0) return one.first;
    throw one.refusal();
  }
  if (index !== null && (isList(items) || typeof items === 'string')) return at(items, index);
  if (typeof text !== 'string') return missing(one, textOf(key, budget), budget);
  const entry = entryOf(one, text, budget);
  const found = entry === undefined ? methodOf(one, text, budget) : entry;
  return found === undefined ? missing(one, text, budget) : found;
}

// Accessing a member of an undefined value is an error.
function deeper(value: Value): Value {
  if (value instanceof Undefined) throw new UndefinedError(value.reason);
  return value;
}

function at(items: readonly Value[] | string, index: number): Value {
  const found = items.at(index);
  return found === undefined ? new Undefined(`${typeName(items)} object has no element ${index}`) : found;
}

function entryOf(value: Value, name: string, budget: Budget): Value | undefined {
  if (value instanceof Dict) return value.entries.get(name);
  if (value instanceof TemplateObject) {
    const member = value.member(name);
    return member === undefined ? objectMethod(value, name, budget) : member;
  }
  if (value instanceof Group) return name === 'grouper' ? value.grouper : name === 'list' ? value.list : undefined;
  return value instanceof Members ? value.find(name) : undefined;
}

/** Returns a method of a text with fields, or one that is refused. */
function objectMethod(value: TemplateObject, name: string, budget: Budget): Value | undefined {
  if (value.isText && typeof value.scalar === 'string') return methodOf(value.scalar, name, budget);
  return value.typeName === null ? undefined : unsafeMethod(name);
}

function methodOf(value: Value, name: string, budget: Budget): Value | undefined {
  if (value instanceof TemplateObject) return undefined;
  if (value instanceof RelatedList) {
    return relatedMethod(value, name, { budget, member: (of, member) => memberOf(of, member, budget) });
  }
  if (typeof value === 'string') {
    if (name === 'format') return new Callable(name, (given) => formatText(value, given, budget));
    return bound(textMethods, value, name, budget);
  }
  // Lists are created by templates or copied for them, so changing one does not change data of the service.
  if (isList(value)) return bound(listMethods, value as Value[], name, budget) ?? sameList(value, name);
  if (value instanceof LazyList) return lazyMethod(value, name);
  return value instanceof Dict ? bound(dictMethods, value, name, budget) : undefined;
}

function lazyMethod(list: LazyList, name: string): Value | undefined {
  if (name === 'all') return new Callable(name, () => list);
  if (name === 'first') return new Callable(name, () => list.first);
  if (name === 'count') return new Callable(name, () => list.length);
  if (name === 'exists') return new Callable(name, () => list.length > 0);
  if (!isRelatedMethod(name)) return undefined;
  return new Callable(name, () => {
    throw list.refusal();
  });
}

// Templates written for a list of stored objects may call `all()`.
function sameList(items: readonly Value[], name: string): Value | undefined {
  return name === 'all' ? new Callable(name, () => items) : undefined;
}

function bound<T>(methods: Methods<T>, self: T, name: string, budget: Budget): Value | undefined {
  const found = methods.get(name);
  if (found === undefined) return undefined;
  return new Callable(name, (given: Arguments) => {
    // The result of a text method is about as long as the text.
    if (typeof self === 'string') budget.allocate(self.length * 4);
    return found.call(self, new BoundArguments(`${name}()`, found.parameters, given, budget));
  });
}

// In Python such names could lead out of the sandbox. They do not exist here, but accessing one is reported as an
// error.
function missing(value: Value, name: string, budget: Budget): Value {
  if (name.startsWith('_') || forbidden.has(name)) {
    throw new SecurityError(`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`);
  }
  budget.allocate(name.length);
  const kind = value === null ? 'None' : `'${typeName(value)} object'`;
  return new Undefined(`${kind} has no attribute '${name}'`, `no such element: ${kind.replaceAll("'", '')}['${name}']`);
}

const forbidden = new Set(['constructor', 'prototype', 'mro', 'func_globals', 'gi_frame', 'f_globals']);

/** Returns the value of `value[from:to:step]` in a template. */
export function sliceOf(value: Value, bounds: readonly (number | null)[], budget: Budget): Value {
  const one = plain(deeper(value));
  if (one instanceof LazyList) throw one.refusal();
  if (typeof one !== 'string' && !isList(one)) {
    throw new TemplateRuntimeError(`'${typeName(one)}' object cannot be sliced`);
  }
  const [from = null, to = null, every = null] = bounds;
  const step = every ?? 1;
  if (step === 0) throw new TemplateRuntimeError('slice step cannot be zero');
  budget.allocate(typeof one === 'string' ? one.length * 8 : one.length);
  const items = typeof one === 'string' ? Array.from(one) : one;
  const indexes: number[] = [];
  const { start, end } = range(items.length, { from, to, step });
  for (let index = start; step > 0 ? index < end : index > end; index += step) indexes.push(index);
  if (value instanceof RelatedList && every === null) return value.pick(indexes);
  const picked = indexes.map((index) => items[index] ?? null);
  return typeof one === 'string' ? picked.join('') : picked;
}

function range(
  length: number,
  { from, to, step }: { from: number | null; to: number | null; step: number },
): { start: number; end: number } {
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clamped = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + length : bound, lowest), highest);
  const start = from === null ? (step > 0 ? lowest : highest) : clamped(from);
  const end = to === null ? (step > 0 ? highest : lowest) : clamped(to);
  return { start, end };
}
