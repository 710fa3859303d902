import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { TemplateTextBuilder } from './value-to-text.js';
import {
  TemplateDictValue,
  FloatValue,
  TemplateGroupByResult,
  isTemplateList,
  LazyList,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateValue,
  RelatedList,
} from './template-value.js';

/** Number of spaces by which nested JSON is indented; null for JSON on a single line. */
export type JsonIndent = number | null;

/**
 * Returns a template value as JSON, like Python's `dumps` with sorted keys. Like in Jinja, characters that HTML would
 * parse as markup are escaped, so that the JSON text can be part of a web page.
 */
export function templateValueToJson(value: TemplateValue, indent: JsonIndent, budget: TemplateResourceCounter): string {
  const text = new TemplateTextBuilder(budget);
  add(value, 0);
  return text.buildText();

  function add(item: TemplateValue, level: number): void {
    if (item instanceof TemplateObject) add(item.isText ? item.scalar : item.fields, level);
    else if (item instanceof TemplateGroupByResult || item instanceof RelatedList) add(toPlainValue(item), level);
    else if (isTemplateList(item)) addAll('[', ']', item, level, (one) => add(one, level + 1));
    else if (item instanceof TemplateDictValue)
      addAll('{', '}', listSortedDictEntries(item), level, ([key, one]) => addPair(key, one, level));
    else {
      if (typeof item === 'string') budget.countAllocatedMemory(item.length * 4);
      text.appendPiece(scalarValueToJson(item));
    }
  }

  function addPair(key: string, item: TemplateValue, level: number): void {
    budget.countAllocatedMemory(key.length * 4);
    text.appendPiece(`${stringToJson(key)}: `);
    add(item, level + 1);
  }

  function addAll<T>(open: string, close: string, items: readonly T[], level: number, one: (item: T) => void): void {
    const line = (depth: number): string => (indent === null ? '' : `\n${' '.repeat(indent * depth)}`);
    const separator = indent === null ? ', ' : ',';
    budget.enterNestingLevel();
    text.appendPiece(open);
    for (const [index, item] of items.entries()) {
      text.appendPiece(`${index === 0 ? '' : separator}${line(level + 1)}`);
      one(item);
    }
    text.appendPiece(items.length === 0 ? close : `${line(level)}${close}`);
    budget.leaveNestingLevel();
  }
}

function listSortedDictEntries(dict: TemplateDictValue): (readonly [string, TemplateValue])[] {
  const entries = [...dict.entries].map(([key, value]) => [String(key), value] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function scalarValueToJson(value: TemplateValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return stringToJson(value);
  if (value instanceof FloatValue) return String(value.value);
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  if (value instanceof LazyList) throw value.wholeListError();
  throw new TemplateRuntimeError(`Object of type ${getPythonTypeName(value)} is not JSON serializable`);
}

function stringToJson(text: string): string {
  return JSON.stringify(text).replaceAll(/[<>&'\u0080-\uffff]/g, escapeJsonCharacterForHtml);
}

function escapeJsonCharacterForHtml(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Converts a template value to a plain JavaScript value, for filters that the service defines. */
export function toPlainServiceValue(value: TemplateValue, budget: TemplateResourceCounter): unknown {
  budget.countSteps();
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  if (value instanceof FloatValue) return value.value;
  if (value instanceof TemplateObject || value instanceof TemplateGroupByResult || value instanceof RelatedList)
    return toPlainServiceValue(toPlainValue(value), budget);
  if (isTemplateList(value))
    return budget.runOneLevelDeeper(() => value.map((item) => toPlainServiceValue(item, budget)));
  if (value instanceof TemplateDictValue) {
    const pairs = budget.runOneLevelDeeper(() =>
      [...value.entries].map(([key, item]) => [String(key), toPlainServiceValue(item, budget)]),
    );
    return Object.fromEntries(pairs) as unknown;
  }
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof LazyList) throw value.wholeListError();
  throw new TemplateRuntimeError(`A ${getPythonTypeName(value)} cannot be given to this filter`);
}
