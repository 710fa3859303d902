import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError } from '../template-errors.js';
import { toNumberOrNull } from './compare-values.js';
import { TemplateTextBuilder, templateValueToText } from './value-to-text.js';
import { TemplateDictValue, isTemplateList, type TemplateValue } from './template-value.js';

const percentDirectivePattern = /%(?:\(([^)]{0,200})\))?([-+ 0#]{0,5})(\d{0,9})(?:\.(\d{0,9}))?([diouxXeEfFgGcrs%])/y;

/**
 * Formats a text like Python's `%` operator. A list fills the placeholders in order, a dictionary fills the
 * placeholders by name, and any other value fills the only placeholder.
 */
export function formatTextByPercentDirectives(
  format: string,
  given: TemplateValue,
  budget: TemplateResourceCounter,
): string {
  const text = new TemplateTextBuilder(budget);
  const values = isTemplateList(given) ? given : [given];
  let used = 0;
  let end = 0;
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', Math.max(end, at + 1))) {
    // Counted in advance, because an unterminated placeholder is scanned for some hundred characters.
    budget.countSteps(8);
    percentDirectivePattern.lastIndex = at;
    const match = percentDirectivePattern.exec(format);
    if (match === null) continue;
    const [whole, name, flags = '', width = '', precision, kind = ''] = match;
    text.appendPiece(format.slice(end, at));
    end = at + whole.length;
    if (kind === '%') text.appendPiece('%');
    else text.appendPiece(padFormattedText(one(name, kind, precision), { flags, width: Number(width), kind }, budget));
  }
  return text.appendPiece(format.slice(end)).buildText();

  function one(name: string | undefined, kind: string, precision: string | undefined): string {
    const value = name === undefined ? values[used++] : findNamedFormatArgument(given, name);
    if (value === undefined) throw new TemplateRuntimeError('not enough arguments for format string');
    return formatDirectiveArgument(value, kind, precision === undefined ? null : Number(precision), budget);
  }
}

function findNamedFormatArgument(given: TemplateValue, name: string): TemplateValue {
  const value = given instanceof TemplateDictValue ? given.entries.get(name) : undefined;
  if (value === undefined) throw new TemplateRuntimeError(`format requires a mapping with '${name}'`);
  return value;
}

function formatDirectiveArgument(
  value: TemplateValue,
  kind: string,
  precision: number | null,
  budget: TemplateResourceCounter,
): string {
  if (kind === 's' || kind === 'r' || kind === 'c') {
    const text = templateValueToText(value, budget);
    return precision === null ? text : text.slice(0, precision);
  }
  const number = toNumberOrNull(value);
  if (number === null) throw new TemplateRuntimeError(`%${kind} format: a number is required`);
  return formatNumberByDirective(number, kind, Math.min(precision ?? 6, 100));
}

function formatNumberByDirective(number: number, kind: string, precision: number): string {
  if ('diu'.includes(kind)) return String(Math.trunc(number));
  if (kind === 'x' || kind === 'X') return toLetterCaseOfDirective(Math.trunc(number).toString(16), kind);
  if (kind === 'o') return Math.trunc(number).toString(8);
  if (kind === 'e' || kind === 'E') return toLetterCaseOfDirective(number.toExponential(precision), kind);
  return kind === 'g' || kind === 'G' ? String(number) : number.toFixed(precision);
}

function toLetterCaseOfDirective(text: string, kind: string): string {
  return kind === kind.toUpperCase() ? text.toUpperCase() : text;
}

/** Pads a formatted text on the left or right, with zeros or spaces. */
function padFormattedText(
  text: string,
  to: { flags: string; width: number; kind: string },
  budget: TemplateResourceCounter,
): string {
  const numeric = !'src'.includes(to.kind);
  const sign = numeric && to.flags.includes('+') && !text.startsWith('-') ? '+' : '';
  budget.countAllocatedMemory(to.width);
  if (to.flags.includes('-')) return (sign + text).padEnd(to.width);
  if (!numeric || !to.flags.includes('0')) return (sign + text).padStart(to.width);
  const minus = text.startsWith('-') ? '-' : sign;
  return minus + text.replace('-', '').padStart(to.width - minus.length, '0');
}
