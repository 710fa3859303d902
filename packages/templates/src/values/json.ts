import type { Budget } from '../budget.js';
import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import { TextBuilder } from './text.js';
import {
  Dict,
  Float,
  Group,
  isList,
  LazyList,
  plain,
  TemplateObject,
  typeName,
  Undefined,
  type Value,
  RelatedList,
} from './value.js';

/** Number of spaces by which JSON is indented; null for a single line. */
export type Indent = number | null;

/**
 * Returns a template value as JSON, like Python's `dumps` with sorted keys. Characters that HTML would parse as markup
 * are escaped, as in Jinja, so that the text can be part of a page.
 */
export function jsonOf(value: Value, indent: Indent, budget: Budget): string {
  const text = new TextBuilder(budget);
  add(value, 0);
  return text.build();

  function add(item: Value, level: number): void {
    if (item instanceof TemplateObject) add(item.isText ? item.scalar : item.fields, level);
    else if (item instanceof Group || item instanceof RelatedList) add(plain(item), level);
    else if (isList(item)) addAll('[', ']', item, level, (one) => add(one, level + 1));
    else if (item instanceof Dict) addAll('{', '}', sorted(item), level, ([key, one]) => addPair(key, one, level));
    else {
      if (typeof item === 'string') budget.allocate(item.length * 4);
      text.add(scalarJson(item));
    }
  }

  function addPair(key: string, item: Value, level: number): void {
    budget.allocate(key.length * 4);
    text.add(`${stringJson(key)}: `);
    add(item, level + 1);
  }

  function addAll<T>(open: string, close: string, items: readonly T[], level: number, one: (item: T) => void): void {
    const line = (depth: number): string => (indent === null ? '' : `\n${' '.repeat(indent * depth)}`);
    const separator = indent === null ? ', ' : ',';
    budget.enter();
    text.add(open);
    for (const [index, item] of items.entries()) {
      text.add(`${index === 0 ? '' : separator}${line(level + 1)}`);
      one(item);
    }
    text.add(items.length === 0 ? close : `${line(level)}${close}`);
    budget.leave();
  }
}

function sorted(dict: Dict): (readonly [string, Value])[] {
  const entries = [...dict.entries].map(([key, value]) => [String(key), value] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function scalarJson(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return stringJson(value);
  if (value instanceof Float) return String(value.value);
  if (value instanceof Undefined) throw new UndefinedError(value.reason);
  if (value instanceof LazyList) throw value.refusal();
  throw new TemplateRuntimeError(`Object of type ${typeName(value)} is not JSON serializable`);
}

function stringJson(text: string): string {
  return JSON.stringify(text).replaceAll(/[<>&'\u0080-\uffff]/g, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Converts a template value to a plain JavaScript value, for filters that the service defines. */
export function toHost(value: Value, budget: Budget): unknown {
  budget.tick();
  if (value instanceof Undefined) throw new UndefinedError(value.reason);
  if (value instanceof Float) return value.value;
  if (value instanceof TemplateObject || value instanceof Group || value instanceof RelatedList)
    return toHost(plain(value), budget);
  if (isList(value)) return budget.within(() => value.map((item) => toHost(item, budget)));
  if (value instanceof Dict) {
    const pairs = budget.within(() => [...value.entries].map(([key, item]) => [String(key), toHost(item, budget)]));
    return Object.fromEntries(pairs) as unknown;
  }
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof LazyList) throw value.refusal();
  throw new TemplateRuntimeError(`A ${typeName(value)} cannot be given to this filter`);
}
