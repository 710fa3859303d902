import { SecurityError, TemplateRuntimeError } from '../template-errors.js';
import { listIterableItems } from '../values/compare-values.js';
import { TextBuilder, toText } from '../values/value-to-text.js';
import {
  FloatValue,
  isTemplateList,
  toPlainValue,
  type CallableValue,
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
import type { BoundArguments } from './bound-arguments.js';
import { createMethod, type ValueMethod, type ValueMethods } from './filter-runtime.js';

type TextMethod = ValueMethod<string>;

const createSimpleMethod = (make: (text: string) => TemplateValue): TextMethod =>
  createMethod('', (text) => make(text));

const createStripMethod = (ends: { left: boolean; right: boolean }): TextMethod =>
  createMethod('chars', (text, given) =>
    stripCharacters(
      text,
      given.findArgument('chars') === null ? null : given.textArgument('chars', ''),
      ends,
      given.budget,
    ),
  );

const createAlignMethod = (side: 'left' | 'right' | 'center'): TextMethod =>
  createMethod('width fillchar', (text, given) =>
    alignText(
      text,
      { width: given.integerArgument('width', 0), side, fill: given.textArgument('fillchar', ' ').slice(0, 1) },
      given.budget,
    ),
  );

const createPartTest = (at: (text: string, part: string) => boolean): TextMethod =>
  createMethod('part', (text, given) => {
    const part = toPlainValue(given.requireArgument('part'));
    return (isTemplateList(part) ? part : [part]).some((one) => {
      const requested = toText(one, given.budget);
      given.budget.countIterations();
      given.budget.countSteps(Math.min(requested.length, text.length) / 64);
      return at(text, requested);
    });
  });

const createPatternTest = (pattern: RegExp): TextMethod => createSimpleMethod((text) => pattern.test(text));

function splitText(text: string, given: BoundArguments, fromRight: boolean): TemplateValue {
  const limit = given.integerArgument('maxsplit', -1);
  const separator = given.findArgument('sep') === null ? null : given.textArgument('sep', '');
  if (separator !== null) given.budget.countTextSearch(text, separator);
  if (separator === '') throw new TemplateRuntimeError('empty separator');
  const parts = separator === null ? splitWords(text) : text.split(separator);
  given.budget.allocate(text.length + parts.length);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const glue = separator ?? ' ';
  if (fromRight) return [parts.slice(0, parts.length - limit).join(glue), ...parts.slice(parts.length - limit)];
  return [...parts.slice(0, limit), parts.slice(limit).join(glue)];
}

function partitionAt(text: string, separator: string, at: number): TemplateValue {
  if (at === -1) return [text, '', ''];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

/** Methods of texts that templates can call. The names and results equal the methods of Python strings. */
export const textMethods: ValueMethods<string> = new Map<string, TextMethod>([
  ['upper', createSimpleMethod((text) => text.toUpperCase())],
  ['lower', createSimpleMethod((text) => text.toLowerCase())],
  ['casefold', createSimpleMethod((text) => text.toLowerCase())],
  ['title', createSimpleMethod(toTitleCaseByLetters)],
  ['capitalize', createSimpleMethod(capitalizeText)],
  ['swapcase', createSimpleMethod((text) => text.replaceAll(/\p{L}/gu, (one) => swapCase(one)))],
  ['strip', createStripMethod({ left: true, right: true })],
  ['lstrip', createStripMethod({ left: true, right: false })],
  ['rstrip', createStripMethod({ left: false, right: true })],
  ['ljust', createAlignMethod('left')],
  ['rjust', createAlignMethod('right')],
  ['center', createAlignMethod('center')],
  ['zfill', createMethod('width', (text, given) => fillWithZeros(text, given))],
  ['startswith', createPartTest((text, part) => text.startsWith(part))],
  ['endswith', createPartTest((text, part) => text.endsWith(part))],
  ['find', createMethod('part', (text, given) => findPart(text, 'indexOf', given))],
  ['rfind', createMethod('part', (text, given) => findPart(text, 'lastIndexOf', given))],
  ['index', createMethod('part', (text, given) => requireFound(findPart(text, 'indexOf', given)))],
  ['count', createMethod('part', (text, given) => countParts(text, given))],
  ['split', createMethod('sep maxsplit', (text, given) => splitText(text, given, false))],
  ['rsplit', createMethod('sep maxsplit', (text, given) => splitText(text, given, true))],
  ['splitlines', createSimpleMethod(splitLines)],
  [
    'partition',
    createMethod('sep', (text, given) =>
      partitionAt(text, given.textArgument('sep', ''), findPart(text, 'indexOf', given, 'sep')),
    ),
  ],
  ['rpartition', createMethod('sep', (text, given) => partitionAtLast(text, given))],
  ['join', createMethod('items', (text, given) => joinItems(text, given))],
  ['replace', createMethod('old new count', (text, given) => replaceParts(text, given))],
  ['removeprefix', createMethod('part', (text, given) => removeAffix(text, given.textArgument('part', ''), 'start'))],
  ['removesuffix', createMethod('part', (text, given) => removeAffix(text, given.textArgument('part', ''), 'end'))],
  ['isdigit', createPatternTest(/^\d+$/)],
  ['isnumeric', createPatternTest(/^\p{N}+$/u)],
  ['isdecimal', createPatternTest(/^\d+$/)],
  ['isalpha', createPatternTest(/^\p{L}+$/u)],
  ['isalnum', createPatternTest(/^[\p{L}\p{N}]+$/u)],
  ['isspace', createPatternTest(/^\s+$/)],
  ['isupper', createSimpleMethod((text) => text !== text.toLowerCase() && text === text.toUpperCase())],
  ['islower', createSimpleMethod((text) => text !== text.toUpperCase() && text === text.toLowerCase())],
]);

function swapCase(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

function fillWithZeros(text: string, given: BoundArguments): string {
  const sign = text.startsWith('-') || text.startsWith('+') ? text.slice(0, 1) : '';
  const width = given.integerArgument('width', 0) - sign.length;
  return sign + alignText(text.slice(sign.length), { width, side: 'right', fill: '0' }, given.budget);
}

function findPart(text: string, way: 'indexOf' | 'lastIndexOf', given: BoundArguments, name = 'part'): number {
  const part = given.textArgument(name, '');
  given.budget.countTextSearch(text, part);
  return text[way](part);
}

function requireFound(position: number): number {
  if (position === -1) throw new TemplateRuntimeError('substring not found');
  return position;
}

function countParts(text: string, given: BoundArguments): number {
  const part = given.textArgument('part', '');
  given.budget.countTextSearch(text, part);
  return part === '' ? text.length + 1 : text.split(part).length - 1;
}

function partitionAtLast(text: string, given: BoundArguments): TemplateValue {
  const separator = given.textArgument('sep', '');
  const at = findPart(text, 'lastIndexOf', given, 'sep');
  return at === -1 ? ['', '', text] : partitionAt(text, separator, at);
}

function joinItems(separator: string, given: BoundArguments): string {
  const text = new TextBuilder(given.budget);
  for (const [index, item] of listIterableItems(given.requireArgument('items'), given.budget).entries()) {
    given.budget.countIterations();
    text.append(index === 0 ? '' : separator).append(toText(item, given.budget));
  }
  return text.build();
}

function replaceParts(text: string, given: BoundArguments): string {
  const [old, by] = [given.textArgument('old', ''), given.textArgument('new', '')];
  return replaceText(text, { old, by, count: given.integerArgument('count', -1) }, given.budget);
}

function removeAffix(text: string, part: string, side: 'start' | 'end'): string {
  if (part === '') return text;
  if (side === 'start') return text.startsWith(part) ? text.slice(part.length) : text;
  return text.endsWith(part) ? text.slice(0, -part.length) : text;
}

const fieldPattern = /\{\{|\}\}|\{([^{}!:]{0,200})(?:![rsa])?(?::([^{}]{0,50}))?\}/g;
const formatSpecificationPattern = /^(?:([^])?([<>^]))?(0)?(\d{0,9})(?:\.(\d{1,2})f?)?[sdf]?$/;

/**
 * Formats a text like Python's `str.format`, but a field can only refer to an argument itself, not to an attribute or
 * item of an argument.
 *
 * @throws SecurityError for a field that accesses an attribute or an item
 */
export function formatText(
  format: string,
  { positional, named }: Parameters<CallableValue['call']>[0],
  budget: BoundArguments['budget'],
): string {
  const text = new TextBuilder(budget);
  let next = 0;
  let end = 0;
  for (const match of format.matchAll(fieldPattern)) {
    const [whole, name = '', form = ''] = match;
    text.append(format.slice(end, match.index));
    end = match.index + whole.length;
    if (whole === '{{' || whole === '}}') text.append(whole.slice(1));
    else text.append(formed(valueOf(name), form));
  }
  return text.append(format.slice(end)).build();

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
    const rounded = precision !== undefined && number ? Number(toText(one, budget)).toFixed(Number(precision)) : null;
    const written = rounded ?? toText(value, budget);
    const onRight = side === '>' || (side === undefined && number);
    const to = side === '^' ? 'center' : onRight ? 'right' : 'left';
    return alignText(written, { width: Number(width), side: to, fill: zero === undefined ? fill : '0' }, budget);
  }
}
