import type { Budget } from '../budget.js';
import {
  Callable,
  Dict,
  Float,
  isList,
  LazyList,
  plain,
  TemplateObject,
  Undefined,
  type Value,
  RelatedList,
} from './value.js';

/** Returns a template value as text. Lists and dictionaries are formatted as in Python. */
export function textOf(value: Value, budget: Budget): string {
  const one = plain(value);
  if (value instanceof RelatedList) return `<${value.typeName} ${shown(one, budget)}>`;
  if (typeof one === 'string') return one;
  return one instanceof Undefined ? '' : shown(one, budget);
}

/** Returns a template value as text inside a list, where strings are quoted. */
function shown(value: Value, budget: Budget): string {
  const text =
    value instanceof TemplateObject && value.typeName !== null ? shownObject(value) : shownPlain(plain(value), budget);
  budget.allocate(text.length);
  return text;
}

function shownObject({ typeName, scalar }: TemplateObject): string {
  return `<${String(typeName)}: ${String(scalar)}>`;
}

function shownPlain(value: ReturnType<typeof plain>, budget: Budget): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Float) return value.places === null ? floatText(value.value) : value.value.toFixed(value.places);
  if (value instanceof Undefined) return 'Undefined';
  if (isList(value)) return budget.within(() => `[${value.map((item) => shown(item, budget)).join(', ')}]`);
  if (value instanceof Dict) {
    const pairs = () => [...value.entries].map(([key, item]) => `${shown(key, budget)}: ${shown(item, budget)}`);
    return budget.within(() => `{${pairs().join(', ')}}`);
  }
  if (value instanceof LazyList) throw value.refusal();
  return value instanceof Callable ? `<function ${value.name}>` : `<${value.typeName}>`;
}

function numberText(value: number): string {
  return Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);
}

/** Formats a floating-point number like Python: integral values end in `.0`. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Returns a text with the special characters of HTML escaped. */
export function escaped(text: string, budget: Budget): string {
  budget.allocate(text.length * 4);
  return text.replaceAll(/[&<>"']/g, (one) => escapes[one] ?? one);
}

/** Builds a text from pieces. The memory of each piece is counted. */
export class TextBuilder {
  readonly #pieces: string[] = [];

  constructor(private readonly budget: Budget) {}

  /** Appends a piece of text and counts its memory. */
  add(piece: string): this {
    this.budget.allocate(piece.length + 1);
    this.#pieces.push(piece);
    return this;
  }

  /** Returns the whole text built so far. */
  build(): string {
    return this.#pieces.join('');
  }
}
