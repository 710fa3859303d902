import { TemplateRuntimeError } from '../errors.js';
import { formatPercent } from '../values/percent-format.js';
import { jsonOf } from '../values/json.js';
import { escaped, TextBuilder, textOf } from '../values/text.js';
import { Dict, isList, plain, TemplateObject, type Value } from '../values/value.js';
import { aligned, capitalized, replaced, stripped, titled, wordsOf } from '../values/words.js';
import { isTrue } from '../values/compare.js';
import type { BoundArguments } from '../run/bound-arguments.js';
import { filter, type Filter, type OpenFilter, type Runtime } from '../run/runtime.js';

const onText = (parameters: string, make: (text: string, given: BoundArguments) => Value): Filter =>
  filter(parameters, (value, given, { budget }) => {
    const text = textOf(value, budget);
    budget.allocate(text.length * 4);
    return make(text, given);
  });

const escape = filter('', (value, _, runtime) =>
  value instanceof TemplateObject && value.isSafe ? value : forced(value, runtime),
);

function forced(value: Value, runtime: Runtime): Value {
  return runtime.safe(escaped(textOf(value, runtime.budget), runtime.budget));
}

/** Template filter that formats like Python's `%`, with any number of arguments. */
export const format: OpenFilter = {
  parameters: null,
  apply(value, { positional, named }, { budget }) {
    const given = named.size > 0 ? new Dict(named) : positional;
    return formatPercent(textOf(value, budget), given, budget);
  },
};

function indent(text: string, given: BoundArguments): string {
  const width = plain(given.find('width'));
  const room =
    typeof width === 'string'
      ? width
      : aligned('', { width: given.integer('width', 4), side: 'left', fill: ' ' }, given.budget);
  const [first, blank] = [given.flag('first', false), given.flag('blank', false)];
  const built = new TextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    const moved = index === 0 ? first : blank || line !== '';
    built
      .add(index === 0 ? '' : '\n')
      .add(moved ? room : '')
      .add(line);
  }
  return built.build();
}

function truncate(text: string, given: BoundArguments): string {
  const [length, leeway] = [given.integer('length', 255), given.integer('leeway', 5)];
  if (text.length <= length + leeway) return text;
  const end = given.text('end', '...');
  const cut = text.slice(0, Math.max(0, length - end.length));
  const lastBlank = cut.lastIndexOf(' ');
  return (given.flag('killwords', false) || lastBlank === -1 ? cut : cut.slice(0, lastBlank)) + end;
}

function wordwrap(text: string, given: BoundArguments): string {
  const width = Math.max(1, given.integer('width', 79));
  const breaks = given.text('wrapstring', '\n');
  const breakLong = given.flag('break_long_words', true);
  const built = new TextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    built.add(index === 0 ? '' : '\n');
    wrapLine(line, { width, breaks, breakLong }, built);
  }
  return built.build();
}

function wrapLine(
  line: string,
  { width, breaks, breakLong }: { width: number; breaks: string; breakLong: boolean },
  built: TextBuilder,
): void {
  let used = 0;
  for (const word of line.split(' ')) {
    if (used > 0 && used + 1 + word.length > width) {
      built.add(breaks);
      used = 0;
    } else if (used > 0) {
      built.add(' ');
      used += 1;
    }
    let rest = word;
    for (; breakLong && rest.length > width; rest = rest.slice(width)) built.add(rest.slice(0, width)).add(breaks);
    built.add(rest);
    used += rest.length;
  }
}

function urlencode(value: Value, given: BoundArguments): string {
  const strict = (one: Value): string => {
    const text = textOf(one, given.budget);
    given.budget.allocate(text.length * 9);
    return encodeURIComponent(text);
  };
  const encode = (one: Value): string => strict(one).replaceAll('%2F', '/');
  try {
    if (!(value instanceof Dict)) return encode(value);
    return [...value.entries].map(([key, one]) => `${strict(key)}=${strict(one)}`).join('&');
  } catch (error) {
    if (error instanceof URIError) throw new TemplateRuntimeError('The text cannot be encoded', { cause: error });
    throw error;
  }
}

const units = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];

function filesize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (Math.abs(bytes) < base) return `${Math.trunc(bytes)} Bytes`;
  const power = Math.min(units.length, Math.floor(Math.log(Math.abs(bytes)) / Math.log(base)));
  const unit = units[power - 1] ?? '';
  return `${(bytes / base ** power).toFixed(1)} ${binary ? `${unit.slice(0, 1).toUpperCase()}iB` : unit}`;
}

function withoutTags(text: string): string {
  return wordsOf(without(without(text, '<!--', '-->'), '<', '>')).join(' ');
}

/**
 * Removes each part of a text between an opening and a closing mark, in one pass. Stops at an opening mark without a
 * closing one.
 */
function without(text: string, opening: string, closing: string): string {
  const kept: string[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(opening, position);
    const end = start === -1 ? -1 : text.indexOf(closing, start + opening.length);
    if (end === -1) return kept.join('') + text.slice(position);
    kept.push(text.slice(position, start));
    position = end + closing.length;
  }
}

/** Template filters that return texts. */
export const textFilters: readonly (readonly [string, Filter])[] = [
  ['capitalize', onText('', (text) => capitalized(text))],
  [
    'center',
    onText('width', (text, given) =>
      aligned(text, { width: given.integer('width', 80), side: 'center', fill: ' ' }, given.budget),
    ),
  ],
  ['e', escape],
  ['escape', escape],
  ['forceescape', filter('', (value, _, runtime) => forced(value, runtime))],
  ['filesizeformat', onText('binary', (text, given) => filesize(Number(text) || 0, given.flag('binary', false)))],
  ['indent', onText('width first blank', indent)],
  ['lower', onText('', (text) => text.toLowerCase())],
  ['pprint', onText('', (text) => text)],
  [
    'replace',
    onText('old new count', (text, given) =>
      replaced(
        text,
        { old: given.text('old', ''), by: given.text('new', ''), count: given.integer('count', -1) },
        given.budget,
      ),
    ),
  ],
  ['safe', filter('', (value, _, runtime) => runtime.safe(value))],
  ['string', onText('', (text) => text)],
  ['striptags', onText('', withoutTags)],
  ['title', onText('', titled)],
  ['tojson', filter('indent', (value, given, runtime) => runtime.safe(jsonOf(value, indentOf(given), runtime.budget)))],
  [
    'trim',
    onText('chars', (text, given) =>
      stripped(
        text,
        given.find('chars') === null ? null : given.text('chars', ''),
        { left: true, right: true },
        given.budget,
      ),
    ),
  ],
  ['truncate', onText('length killwords end leeway', truncate)],
  ['upper', onText('', (text) => text.toUpperCase())],
  ['urlencode', filter('', urlencode)],
  ['wordcount', onText('', (text) => wordsOf(text).length)],
  ['wordwrap', onText('width break_long_words wrapstring break_on_hyphens', wordwrap)],
];

function indentOf(given: BoundArguments): number | null {
  return given.find('indent') === null ? null : Math.min(20, Math.max(0, given.integer('indent', 0)));
}

/** Template filter that joins several values into one text. */
export const join = filter('d attribute', (value, given, runtime) => {
  const separator = given.text('d', '');
  const attribute = given.find('attribute');
  const items = plain(value);
  const built = new TextBuilder(runtime.budget);
  const list = isList(items) ? items : runtime.filter('list', value, { positional: [], named: new Map() });
  for (const [index, item] of (isList(list) ? list : []).entries()) {
    runtime.budget.loop();
    const one = attribute === null || !isTrue(attribute) ? item : runtime.member(item, attribute);
    built.add(index === 0 ? '' : separator).add(textOf(one, runtime.budget));
  }
  return built.build();
});
