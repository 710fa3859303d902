import { SecurityError, TemplateRuntimeError } from '../template-errors.js';
import { listIterableItems } from '../values/compare-values.js';
import { TemplateTextBuilder, templateValueToText } from '../values/value-to-text.js';
import {
  FloatValue,
  isTemplateList,
  toPlainValue,
  type CallableTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';
import {
  alignText,
  capitalizeText,
  splitLines,
  replaceText,
  stripCharacters,
  toTitleCaseByLetters,
  splitWords,
} from '../values/text-operations.js';
import type { BoundTemplateArguments } from './bound-arguments.js';
import { createTemplateMethod, type TemplateValueMethod, type TemplateValueMethods } from './filter-runtime.js';

type TemplateTextMethod = TemplateValueMethod<string>;

const createParameterlessTextMethod = (make: (text: string) => TemplateValue): TemplateTextMethod =>
  createTemplateMethod('', (text) => make(text));

const createTextStripMethod = (ends: { left: boolean; right: boolean }): TemplateTextMethod =>
  createTemplateMethod('chars', (text, given) =>
    stripCharacters(
      text,
      given.findArgument('chars') === null ? null : given.getTextArgument('chars', ''),
      ends,
      given.budget,
    ),
  );

const createTextAlignMethod = (side: 'left' | 'right' | 'center'): TemplateTextMethod =>
  createTemplateMethod('width fillchar', (text, given) =>
    alignText(
      text,
      { width: given.getIntegerArgument('width', 0), side, fill: given.getTextArgument('fillchar', ' ').slice(0, 1) },
      given.budget,
    ),
  );

const createTextPartTestMethod = (at: (text: string, part: string) => boolean): TemplateTextMethod =>
  createTemplateMethod('part', (text, given) => {
    const part = toPlainValue(given.requireArgument('part'));
    return (isTemplateList(part) ? part : [part]).some((one) => {
      const requested = templateValueToText(one, given.budget);
      given.budget.countIterations();
      given.budget.countSteps(Math.min(requested.length, text.length) / 64);
      return at(text, requested);
    });
  });

const createTextPatternTestMethod = (pattern: RegExp): TemplateTextMethod =>
  createParameterlessTextMethod((text) => pattern.test(text));

function splitText(text: string, given: BoundTemplateArguments, fromRight: boolean): TemplateValue {
  const limit = given.getIntegerArgument('maxsplit', -1);
  const separator = given.findArgument('sep') === null ? null : given.getTextArgument('sep', '');
  if (separator !== null) given.budget.countTextSearch(text, separator);
  if (separator === '') throw new TemplateRuntimeError('empty separator');
  const parts = separator === null ? splitWords(text) : text.split(separator);
  given.budget.countAllocatedMemory(text.length + parts.length);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const glue = separator ?? ' ';
  if (fromRight) return [parts.slice(0, parts.length - limit).join(glue), ...parts.slice(parts.length - limit)];
  return [...parts.slice(0, limit), parts.slice(limit).join(glue)];
}

function partitionTextAtSeparator(text: string, separator: string, at: number): TemplateValue {
  if (at === -1) return [text, '', ''];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

/** Methods of texts that templates can call. The names and results equal the methods of Python strings. */
export const templateTextMethods: TemplateValueMethods<string> = new Map<string, TemplateTextMethod>([
  ['upper', createParameterlessTextMethod((text) => text.toUpperCase())],
  ['lower', createParameterlessTextMethod((text) => text.toLowerCase())],
  ['casefold', createParameterlessTextMethod((text) => text.toLowerCase())],
  ['title', createParameterlessTextMethod(toTitleCaseByLetters)],
  ['capitalize', createParameterlessTextMethod(capitalizeText)],
  ['swapcase', createParameterlessTextMethod((text) => text.replaceAll(/\p{L}/gu, (one) => swapLetterCase(one)))],
  ['strip', createTextStripMethod({ left: true, right: true })],
  ['lstrip', createTextStripMethod({ left: true, right: false })],
  ['rstrip', createTextStripMethod({ left: false, right: true })],
  ['ljust', createTextAlignMethod('left')],
  ['rjust', createTextAlignMethod('right')],
  ['center', createTextAlignMethod('center')],
  ['zfill', createTemplateMethod('width', (text, given) => padNumberTextWithZeros(text, given))],
  ['startswith', createTextPartTestMethod((text, part) => text.startsWith(part))],
  ['endswith', createTextPartTestMethod((text, part) => text.endsWith(part))],
  ['find', createTemplateMethod('part', (text, given) => findTextPart(text, 'indexOf', given))],
  ['rfind', createTemplateMethod('part', (text, given) => findTextPart(text, 'lastIndexOf', given))],
  ['index', createTemplateMethod('part', (text, given) => requireTextPartFound(findTextPart(text, 'indexOf', given)))],
  ['count', createTemplateMethod('part', (text, given) => countTextParts(text, given))],
  ['split', createTemplateMethod('sep maxsplit', (text, given) => splitText(text, given, false))],
  ['rsplit', createTemplateMethod('sep maxsplit', (text, given) => splitText(text, given, true))],
  ['splitlines', createParameterlessTextMethod(splitLines)],
  [
    'partition',
    createTemplateMethod('sep', (text, given) =>
      partitionTextAtSeparator(text, given.getTextArgument('sep', ''), findTextPart(text, 'indexOf', given, 'sep')),
    ),
  ],
  ['rpartition', createTemplateMethod('sep', (text, given) => partitionTextAtLastSeparator(text, given))],
  ['join', createTemplateMethod('items', (text, given) => joinItemsWithSeparator(text, given))],
  ['replace', createTemplateMethod('old new count', (text, given) => replaceTextParts(text, given))],
  [
    'removeprefix',
    createTemplateMethod('part', (text, given) =>
      removePrefixOrSuffix(text, given.getTextArgument('part', ''), 'start'),
    ),
  ],
  [
    'removesuffix',
    createTemplateMethod('part', (text, given) => removePrefixOrSuffix(text, given.getTextArgument('part', ''), 'end')),
  ],
  ['isdigit', createTextPatternTestMethod(/^\d+$/)],
  ['isnumeric', createTextPatternTestMethod(/^\p{N}+$/u)],
  ['isdecimal', createTextPatternTestMethod(/^\d+$/)],
  ['isalpha', createTextPatternTestMethod(/^\p{L}+$/u)],
  ['isalnum', createTextPatternTestMethod(/^[\p{L}\p{N}]+$/u)],
  ['isspace', createTextPatternTestMethod(/^\s+$/)],
  ['isupper', createParameterlessTextMethod((text) => text !== text.toLowerCase() && text === text.toUpperCase())],
  ['islower', createParameterlessTextMethod((text) => text !== text.toUpperCase() && text === text.toLowerCase())],
]);

function swapLetterCase(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

function padNumberTextWithZeros(text: string, given: BoundTemplateArguments): string {
  const sign = text.startsWith('-') || text.startsWith('+') ? text.slice(0, 1) : '';
  const width = given.getIntegerArgument('width', 0) - sign.length;
  return sign + alignText(text.slice(sign.length), { width, side: 'right', fill: '0' }, given.budget);
}

function findTextPart(
  text: string,
  way: 'indexOf' | 'lastIndexOf',
  given: BoundTemplateArguments,
  name = 'part',
): number {
  const part = given.getTextArgument(name, '');
  given.budget.countTextSearch(text, part);
  return text[way](part);
}

function requireTextPartFound(position: number): number {
  if (position === -1) throw new TemplateRuntimeError('substring not found');
  return position;
}

function countTextParts(text: string, given: BoundTemplateArguments): number {
  const part = given.getTextArgument('part', '');
  given.budget.countTextSearch(text, part);
  return part === '' ? text.length + 1 : text.split(part).length - 1;
}

function partitionTextAtLastSeparator(text: string, given: BoundTemplateArguments): TemplateValue {
  const separator = given.getTextArgument('sep', '');
  const at = findTextPart(text, 'lastIndexOf', given, 'sep');
  return at === -1 ? ['', '', text] : partitionTextAtSeparator(text, separator, at);
}

function joinItemsWithSeparator(separator: string, given: BoundTemplateArguments): string {
  const text = new TemplateTextBuilder(given.budget);
  for (const [index, item] of listIterableItems(given.requireArgument('items'), given.budget).entries()) {
    given.budget.countIterations();
    text.appendPiece(index === 0 ? '' : separator).appendPiece(templateValueToText(item, given.budget));
  }
  return text.buildText();
}

function replaceTextParts(text: string, given: BoundTemplateArguments): string {
  const [old, by] = [given.getTextArgument('old', ''), given.getTextArgument('new', '')];
  return replaceText(text, { old, by, count: given.getIntegerArgument('count', -1) }, given.budget);
}

function removePrefixOrSuffix(text: string, part: string, side: 'start' | 'end'): string {
  if (part === '') return text;
  if (side === 'start') return text.startsWith(part) ? text.slice(part.length) : text;
  return text.endsWith(part) ? text.slice(0, -part.length) : text;
}

const formatFieldPattern = /\{\{|\}\}|\{([^{}!:]{0,200})(?:![rsa])?(?::([^{}]{0,50}))?\}/g;
const formatSpecificationPattern = /^(?:([^])?([<>^]))?(0)?(\d{0,9})(?:\.(\d{1,2})f?)?[sdf]?$/;

/**
 * Formats a text like Python's `str.format`, but a field can only refer to an argument itself, not to an attribute or
 * item of an argument.
 *
 * @throws SecurityError for a field that accesses an attribute or an item
 */
export function formatText(
  format: string,
  { positional, named }: Parameters<CallableTemplateValue['call']>[0],
  budget: BoundTemplateArguments['budget'],
): string {
  const text = new TemplateTextBuilder(budget);
  let next = 0;
  let end = 0;
  for (const match of format.matchAll(formatFieldPattern)) {
    const [whole, name = '', form = ''] = match;
    text.appendPiece(format.slice(end, match.index));
    end = match.index + whole.length;
    if (whole === '{{' || whole === '}}') text.appendPiece(whole.slice(1));
    else text.appendPiece(formed(valueOf(name), form));
  }
  return text.appendPiece(format.slice(end)).buildText();

  function valueOf(name: string): TemplateValue {
    if (/[.[]/.test(name)) throw new SecurityError(`access to '${name}' in a format is unsafe`);
    const value = name === '' || /^\d+$/.test(name) ? positional[name === '' ? next++ : Number(name)] : named.get(name);
    if (value === undefined) throw new TemplateRuntimeError(`Nothing was given for the field '${name}'`);
    return value;
  }

  function formed(value: TemplateValue, form: string): string {
    const [whole, fill = ' ', side, zero, width, precision] = formatSpecificationPattern.exec(form) ?? [];
    if (whole === undefined) throw new TemplateRuntimeError(`Invalid format specifier '${form}'`);
    const one = toPlainValue(value);
    const number = typeof one === 'number' || one instanceof FloatValue;
    const rounded =
      precision !== undefined && number ? Number(templateValueToText(one, budget)).toFixed(Number(precision)) : null;
    const written = rounded ?? templateValueToText(value, budget);
    const onRight = side === '>' || (side === undefined && number);
    const to = side === '^' ? 'center' : onRight ? 'right' : 'left';
    return alignText(written, { width: Number(width), side: to, fill: zero === undefined ? fill : '0' }, budget);
  }
}
