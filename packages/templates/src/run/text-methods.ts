import { SecurityError, TemplateRuntimeError } from '../errors.js';
import { itemsOf } from '../values/compare.js';
import { TextBuilder, textOf } from '../values/text.js';
import { Float, isList, plain, type Callable, type Value } from '../values/value.js';
import { aligned, capitalized, linesOf, replaced, stripped, titledByLetters, wordsOf } from '../values/words.js';
import type { BoundArguments } from './bound-arguments.js';
import { method, type Method, type Methods } from './runtime.js';

type TextMethod = Method<string>;

const simple = (make: (text: string) => Value): TextMethod => method('', (text) => make(text));

const strip = (ends: { left: boolean; right: boolean }): TextMethod =>
  method('chars', (text, given) =>
    stripped(text, given.find('chars') === null ? null : given.text('chars', ''), ends, given.budget),
  );

const align = (side: 'left' | 'right' | 'center'): TextMethod =>
  method('width fillchar', (text, given) =>
    aligned(
      text,
      { width: given.integer('width', 0), side, fill: given.text('fillchar', ' ').slice(0, 1) },
      given.budget,
    ),
  );

const has = (at: (text: string, part: string) => boolean): TextMethod =>
  method('part', (text, given) => {
    const part = plain(given.get('part'));
    return (isList(part) ? part : [part]).some((one) => {
      const requested = textOf(one, given.budget);
      given.budget.loop();
      given.budget.tick(Math.min(requested.length, text.length) / 64);
      return at(text, requested);
    });
  });

const is = (pattern: RegExp): TextMethod => simple((text) => pattern.test(text));

function split(text: string, given: BoundArguments, fromRight: boolean): Value {
  const limit = given.integer('maxsplit', -1);
  const separator = given.find('sep') === null ? null : given.text('sep', '');
  if (separator !== null) given.budget.search(text, separator);
  if (separator === '') throw new TemplateRuntimeError('empty separator');
  const parts = separator === null ? wordsOf(text) : text.split(separator);
  given.budget.allocate(text.length + parts.length);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const glue = separator ?? ' ';
  if (fromRight) return [parts.slice(0, parts.length - limit).join(glue), ...parts.slice(parts.length - limit)];
  return [...parts.slice(0, limit), parts.slice(limit).join(glue)];
}

function partition(text: string, separator: string, at: number): Value {
  if (at === -1) return [text, '', ''];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

/** Methods of texts in templates, with the names and results of Python. */
export const textMethods: Methods<string> = new Map<string, TextMethod>([
  ['upper', simple((text) => text.toUpperCase())],
  ['lower', simple((text) => text.toLowerCase())],
  ['casefold', simple((text) => text.toLowerCase())],
  ['title', simple(titledByLetters)],
  ['capitalize', simple(capitalized)],
  ['swapcase', simple((text) => text.replaceAll(/\p{L}/gu, (one) => swapped(one)))],
  ['strip', strip({ left: true, right: true })],
  ['lstrip', strip({ left: true, right: false })],
  ['rstrip', strip({ left: false, right: true })],
  ['ljust', align('left')],
  ['rjust', align('right')],
  ['center', align('center')],
  ['zfill', method('width', (text, given) => zeroFilled(text, given))],
  ['startswith', has((text, part) => text.startsWith(part))],
  ['endswith', has((text, part) => text.endsWith(part))],
  ['find', method('part', (text, given) => place(text, 'indexOf', given))],
  ['rfind', method('part', (text, given) => place(text, 'lastIndexOf', given))],
  ['index', method('part', (text, given) => found(place(text, 'indexOf', given)))],
  ['count', method('part', (text, given) => count(text, given))],
  ['split', method('sep maxsplit', (text, given) => split(text, given, false))],
  ['rsplit', method('sep maxsplit', (text, given) => split(text, given, true))],
  ['splitlines', simple(linesOf)],
  [
    'partition',
    method('sep', (text, given) => partition(text, given.text('sep', ''), place(text, 'indexOf', given, 'sep'))),
  ],
  ['rpartition', method('sep', (text, given) => lastPartition(text, given))],
  ['join', method('items', (text, given) => join(text, given))],
  ['replace', method('old new count', (text, given) => replace(text, given))],
  ['removeprefix', method('part', (text, given) => without(text, given.text('part', ''), 'start'))],
  ['removesuffix', method('part', (text, given) => without(text, given.text('part', ''), 'end'))],
  ['isdigit', is(/^\d+$/)],
  ['isnumeric', is(/^\p{N}+$/u)],
  ['isdecimal', is(/^\d+$/)],
  ['isalpha', is(/^\p{L}+$/u)],
  ['isalnum', is(/^[\p{L}\p{N}]+$/u)],
  ['isspace', is(/^\s+$/)],
  ['isupper', simple((text) => text !== text.toLowerCase() && text === text.toUpperCase())],
  ['islower', simple((text) => text !== text.toUpperCase() && text === text.toLowerCase())],
]);

function swapped(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

function zeroFilled(text: string, given: BoundArguments): string {
  const sign = text.startsWith('-') || text.startsWith('+') ? text.slice(0, 1) : '';
  const width = given.integer('width', 0) - sign.length;
  return sign + aligned(text.slice(sign.length), { width, side: 'right', fill: '0' }, given.budget);
}

function place(text: string, way: 'indexOf' | 'lastIndexOf', given: BoundArguments, name = 'part'): number {
  const part = given.text(name, '');
  given.budget.search(text, part);
  return text[way](part);
}

function found(position: number): number {
  if (position === -1) throw new TemplateRuntimeError('substring not found');
  return position;
}

function count(text: string, given: BoundArguments): number {
  const part = given.text('part', '');
  given.budget.search(text, part);
  return part === '' ? text.length + 1 : text.split(part).length - 1;
}

function lastPartition(text: string, given: BoundArguments): Value {
  const separator = given.text('sep', '');
  const at = place(text, 'lastIndexOf', given, 'sep');
  return at === -1 ? ['', '', text] : partition(text, separator, at);
}

function join(separator: string, given: BoundArguments): string {
  const text = new TextBuilder(given.budget);
  for (const [index, item] of itemsOf(given.get('items'), given.budget).entries()) {
    given.budget.loop();
    text.add(index === 0 ? '' : separator).add(textOf(item, given.budget));
  }
  return text.build();
}

function replace(text: string, given: BoundArguments): string {
  const [old, by] = [given.text('old', ''), given.text('new', '')];
  return replaced(text, { old, by, count: given.integer('count', -1) }, given.budget);
}

function without(text: string, part: string, side: 'start' | 'end'): string {
  if (part === '') return text;
  if (side === 'start') return text.startsWith(part) ? text.slice(part.length) : text;
  return text.endsWith(part) ? text.slice(0, -part.length) : text;
}

const field = /\{\{|\}\}|\{([^{}!:]{0,200})(?:![rsa])?(?::([^{}]{0,50}))?\}/g;
const specification = /^(?:([^])?([<>^]))?(0)?(\d{0,9})(?:\.(\d{1,2})f?)?[sdf]?$/;

/**
 * Formats a text like Python's `str.format`, but fields can only name the arguments themselves and not their attributes
 * or items.
 *
 * @throws SecurityError for a field that accesses an attribute or an item
 */
export function formatText(
  format: string,
  { positional, named }: Parameters<Callable['call']>[0],
  budget: BoundArguments['budget'],
): string {
  const text = new TextBuilder(budget);
  let next = 0;
  let end = 0;
  for (const match of format.matchAll(field)) {
    const [whole, name = '', form = ''] = match;
    text.add(format.slice(end, match.index));
    end = match.index + whole.length;
    if (whole === '{{' || whole === '}}') text.add(whole.slice(1));
    else text.add(formed(valueOf(name), form));
  }
  return text.add(format.slice(end)).build();

  function valueOf(name: string): Value {
    if (/[.[]/.test(name)) throw new SecurityError(`access to '${name}' in a format is unsafe`);
    const value = name === '' || /^\d+$/.test(name) ? positional[name === '' ? next++ : Number(name)] : named.get(name);
    if (value === undefined) throw new TemplateRuntimeError(`Nothing was given for the field '${name}'`);
    return value;
  }

  function formed(value: Value, form: string): string {
    const [whole, fill = ' ', side, zero, width, precision] = specification.exec(form) ?? [];
    if (whole === undefined) throw new TemplateRuntimeError(`Invalid format specifier '${form}'`);
    const one = plain(value);
    const number = typeof one === 'number' || one instanceof Float;
    const rounded = precision !== undefined && number ? Number(textOf(one, budget)).toFixed(Number(precision)) : null;
    const written = rounded ?? textOf(value, budget);
    const onRight = side === '>' || (side === undefined && number);
    const to = side === '^' ? 'center' : onRight ? 'right' : 'left';
    return aligned(written, { width: Number(width), side: to, fill: zero === undefined ? fill : '0' }, budget);
  }
}
