import type { TemplateBudget } from '../template-budget.js';
import {
  CallableValue,
  DictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  TemplateObject,
  UndefinedValue,
  type TemplateValue,
  RelatedList,
} from './template-value.js';

/** Returns a template value as text. Lists and dictionaries are formatted as in Python. */
export function toText(value: TemplateValue, budget: TemplateBudget): string {
  const one = toPlainValue(value);
  if (value instanceof RelatedList) return `<${value.typeName} ${toQuotedText(one, budget)}>`;
  if (typeof one === 'string') return one;
  return one instanceof UndefinedValue ? '' : toQuotedText(one, budget);
}

/** Returns a template value in the text form for items of a printed list, in which strings are quoted. */
function toQuotedText(value: TemplateValue, budget: TemplateBudget): string {
  const text =
    value instanceof TemplateObject && value.typeName !== null
      ? templateObjectToText(value)
      : plainValueToText(toPlainValue(value), budget);
  budget.allocate(text.length);
  return text;
}

function templateObjectToText({ typeName, scalar }: TemplateObject): string {
  return `<${String(typeName)}: ${String(scalar)}>`;
}

function plainValueToText(value: ReturnType<typeof toPlainValue>, budget: TemplateBudget): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberToText(value);
  if (typeof value === 'string') return quoteText(value);
  if (value instanceof FloatValue)
    return value.places === null ? floatToText(value.value) : value.value.toFixed(value.places);
  if (value instanceof UndefinedValue) return 'Undefined';
  if (isTemplateList(value))
    return budget.runNested(() => `[${value.map((item) => toQuotedText(item, budget)).join(', ')}]`);
  if (value instanceof DictValue) {
    const pairs = () =>
      [...value.entries].map(([key, item]) => `${toQuotedText(key, budget)}: ${toQuotedText(item, budget)}`);
    return budget.runNested(() => `{${pairs().join(', ')}}`);
  }
  if (value instanceof LazyList) throw value.wholeListError();
  return value instanceof CallableValue ? `<function ${value.name}>` : `<${value.typeName}>`;
}

function numberToText(value: number): string {
  return Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);
}

/** Formats a floating-point number like Python: integral values end in `.0`. */
function floatToText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quoteText(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

const entityByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Returns a text with the special characters of HTML escaped. */
export function escapeHtml(text: string, budget: TemplateBudget): string {
  budget.allocate(text.length * 4);
  return text.replaceAll(/[&<>"']/g, (one) => entityByCharacter[one] ?? one);
}

/** Builds a text from pieces. Counts the memory of each piece against the limits of the template. */
export class TextBuilder {
  readonly #pieces: string[] = [];

  constructor(private readonly budget: TemplateBudget) {}

  /** Appends a piece to the text and counts the memory of the piece. */
  append(piece: string): this {
    this.budget.allocate(piece.length + 1);
    this.#pieces.push(piece);
    return this;
  }

  /** Returns the text built from all appended pieces. */
  build(): string {
    return this.#pieces.join('');
  }
}
