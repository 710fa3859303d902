import type { TemplateBudget } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { TextBuilder } from './value-to-text.js';
import {
  DictValue,
  FloatValue,
  GroupValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedValue,
  type TemplateValue,
  RelatedList,
} from './template-value.js';

/** Number of spaces by which nested JSON is indented; null for JSON on a single line. */
export type JsonIndent = number | null;

/**
 * Returns a template value as JSON, like Python's `dumps` with sorted keys. Like in Jinja, characters that HTML would
 * parse as markup are escaped, so that the JSON text can be part of a web page.
 */
export function toJson(value: TemplateValue, indent: JsonIndent, budget: TemplateBudget): string {
  const text = new TextBuilder(budget);
  add(value, 0);
  return text.build();

  function add(item: TemplateValue, level: number): void {
    if (item instanceof TemplateObject) add(item.isText ? item.scalar : item.fields, level);
    else if (item instanceof GroupValue || item instanceof RelatedList) add(toPlainValue(item), level);
    else if (isTemplateList(item)) addAll('[', ']', item, level, (one) => add(one, level + 1));
    else if (item instanceof DictValue)
      addAll('{', '}', sortedEntries(item), level, ([key, one]) => addPair(key, one, level));
    else {
      if (typeof item === 'string') budget.allocate(item.length * 4);
      text.append(scalarToJson(item));
    }
  }

  function addPair(key: string, item: TemplateValue, level: number): void {
    budget.allocate(key.length * 4);
    text.append(`${stringToJson(key)}: `);
    add(item, level + 1);
  }

  function addAll<T>(open: string, close: string, items: readonly T[], level: number, one: (item: T) => void): void {
    const line = (depth: number): string => (indent === null ? '' : `\n${' '.repeat(indent * depth)}`);
    const separator = indent === null ? ', ' : ',';
    budget.enterLevel();
    text.append(open);
    for (const [index, item] of items.entries()) {
      text.append(`${index === 0 ? '' : separator}${line(level + 1)}`);
      one(item);
    }
    text.append(items.length === 0 ? close : `${line(level)}${close}`);
    budget.leaveLevel();
  }
}

function sortedEntries(dict: DictValue): (readonly [string, TemplateValue])[] {
  const entries = [...dict.entries].map(([key, value]) => [String(key), value] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function scalarToJson(value: TemplateValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return stringToJson(value);
  if (value instanceof FloatValue) return String(value.value);
  if (value instanceof UndefinedValue) throw new UndefinedError(value.reason);
  if (value instanceof LazyList) throw value.wholeListError();
  throw new TemplateRuntimeError(`Object of type ${getPythonTypeName(value)} is not JSON serializable`);
}

function stringToJson(text: string): string {
  return JSON.stringify(text).replaceAll(/[<>&'\u0080-\uffff]/g, escapeForHtml);
}

function escapeForHtml(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Converts a template value to a plain JavaScript value, for filters that the service defines. */
export function toServiceValue(value: TemplateValue, budget: TemplateBudget): unknown {
  budget.countSteps();
  if (value instanceof UndefinedValue) throw new UndefinedError(value.reason);
  if (value instanceof FloatValue) return value.value;
  if (value instanceof TemplateObject || value instanceof GroupValue || value instanceof RelatedList)
    return toServiceValue(toPlainValue(value), budget);
  if (isTemplateList(value)) return budget.runNested(() => value.map((item) => toServiceValue(item, budget)));
  if (value instanceof DictValue) {
    const pairs = budget.runNested(() =>
      [...value.entries].map(([key, item]) => [String(key), toServiceValue(item, budget)]),
    );
    return Object.fromEntries(pairs) as unknown;
  }
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof LazyList) throw value.wholeListError();
  throw new TemplateRuntimeError(`A ${getPythonTypeName(value)} cannot be given to this filter`);
}
