import type { TemplateResourceCounter } from '../template-budget.js';
import {
  CallableTemplateValue,
  TemplateDictValue,
  FloatValue,
  isTemplateList,
  LazyList,
  toPlainValue,
  TemplateObject,
  UndefinedTemplateValue,
  type TemplateValue,
  RelatedList,
} from './template-value.js';

/** Returns a template value as text. Lists and dictionaries are formatted as in Python. */
export function templateValueToText(value: TemplateValue, budget: TemplateResourceCounter): string {
  const one = toPlainValue(value);
  if (value instanceof RelatedList) return `<${value.typeName} ${templateValueToQuotedText(one, budget)}>`;
  if (typeof one === 'string') return one;
  return one instanceof UndefinedTemplateValue ? '' : templateValueToQuotedText(one, budget);
}

/** Returns a template value in the text form for items of a printed list, in which strings are quoted. */
function templateValueToQuotedText(value: TemplateValue, budget: TemplateResourceCounter): string {
  const text =
    value instanceof TemplateObject && value.typeName !== null
      ? templateObjectToText(value)
      : plainValueToText(toPlainValue(value), budget);
  budget.countAllocatedMemory(text.length);
  return text;
}

function templateObjectToText({ typeName, scalar }: TemplateObject): string {
  return `<${String(typeName)}: ${String(scalar)}>`;
}

function plainValueToText(value: ReturnType<typeof toPlainValue>, budget: TemplateResourceCounter): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return formatNumberLikePython(value);
  if (typeof value === 'string') return quoteTextLikePython(value);
  if (value instanceof FloatValue)
    return value.places === null ? formatFloatLikePython(value.value) : value.value.toFixed(value.places);
  if (value instanceof UndefinedTemplateValue) return 'Undefined';
  if (isTemplateList(value))
    return budget.runOneLevelDeeper(
      () => `[${value.map((item) => templateValueToQuotedText(item, budget)).join(', ')}]`,
    );
  if (value instanceof TemplateDictValue) {
    const pairs = () =>
      [...value.entries].map(
        ([key, item]) => `${templateValueToQuotedText(key, budget)}: ${templateValueToQuotedText(item, budget)}`,
      );
    return budget.runOneLevelDeeper(() => `{${pairs().join(', ')}}`);
  }
  if (value instanceof LazyList) throw value.wholeListError();
  return value instanceof CallableTemplateValue ? `<function ${value.name}>` : `<${value.typeName}>`;
}

function formatNumberLikePython(value: number): string {
  return Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);
}

/** Formats a floating-point number like Python: integral values end in `.0`. */
function formatFloatLikePython(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quoteTextLikePython(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

const htmlEntityByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Returns a text with the special characters of HTML escaped. */
export function escapeHtml(text: string, budget: TemplateResourceCounter): string {
  budget.countAllocatedMemory(text.length * 4);
  return text.replaceAll(/[&<>"']/g, (one) => htmlEntityByCharacter[one] ?? one);
}

/** Builds a text from pieces. Counts the memory of each piece against the limits of the template. */
export class TemplateTextBuilder {
  readonly #pieces: string[] = [];

  constructor(private readonly budget: TemplateResourceCounter) {}

  /** Appends a piece to the text and counts the memory of the piece. */
  appendPiece(piece: string): this {
    this.budget.countAllocatedMemory(piece.length + 1);
    this.#pieces.push(piece);
    return this;
  }

  /** Returns the text built from all appended pieces. */
  buildText(): string {
    return this.#pieces.join('');
  }
}
