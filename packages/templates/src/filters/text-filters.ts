import { TemplateRuntimeError } from '../template-errors.js';
import { formatPercent } from '../values/percent-format.js';
import { toJson } from '../values/template-json.js';
import { escapeHtml, TextBuilder, toText } from '../values/value-to-text.js';
import {
  DictValue,
  isTemplateList,
  toPlainValue,
  TemplateObject,
  type TemplateValue,
} from '../values/template-value.js';
import {
  alignText,
  capitalizeText,
  replaceText,
  stripCharacters,
  toTitleCase,
  splitWords,
} from '../values/text-operations.js';
import { isTruthyValue } from '../values/compare-values.js';
import type { BoundArguments } from '../run/bound-arguments.js';
import { createFilter, type TemplateFilter, type VariadicFilter, type FilterRuntime } from '../run/filter-runtime.js';

const createTextFilter = (
  parameters: string,
  apply: (text: string, given: BoundArguments) => TemplateValue,
): TemplateFilter =>
  createFilter(parameters, (value, given, { budget }) => {
    const text = toText(value, budget);
    budget.allocate(text.length * 4);
    return apply(text, given);
  });

const escapeFilter = createFilter('', (value, _, runtime) =>
  value instanceof TemplateObject && value.isSafe ? value : escapeAsSafe(value, runtime),
);

function escapeAsSafe(value: TemplateValue, runtime: FilterRuntime): TemplateValue {
  return runtime.markSafe(escapeHtml(toText(value, runtime.budget), runtime.budget));
}

/** Template filter that formats a text like Python's `%` operator, with any number of arguments. */
export const formatFilter: VariadicFilter = {
  parameters: null,
  apply(value, { positional, named }, { budget }) {
    const given = named.size > 0 ? new DictValue(named) : positional;
    return formatPercent(toText(value, budget), given, budget);
  },
};

function indentText(text: string, given: BoundArguments): string {
  const width = toPlainValue(given.findArgument('width'));
  const room =
    typeof width === 'string'
      ? width
      : alignText('', { width: given.integerArgument('width', 4), side: 'left', fill: ' ' }, given.budget);
  const [first, blank] = [given.booleanArgument('first', false), given.booleanArgument('blank', false)];
  const built = new TextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    const moved = index === 0 ? first : blank || line !== '';
    built
      .append(index === 0 ? '' : '\n')
      .append(moved ? room : '')
      .append(line);
  }
  return built.build();
}

function truncateText(text: string, given: BoundArguments): string {
  const [length, leeway] = [given.integerArgument('length', 255), given.integerArgument('leeway', 5)];
  if (text.length <= length + leeway) return text;
  const end = given.textArgument('end', '...');
  const cut = text.slice(0, Math.max(0, length - end.length));
  const lastBlank = cut.lastIndexOf(' ');
  return (given.booleanArgument('killwords', false) || lastBlank === -1 ? cut : cut.slice(0, lastBlank)) + end;
}

function wrapWords(text: string, given: BoundArguments): string {
  const width = Math.max(1, given.integerArgument('width', 79));
  const breaks = given.textArgument('wrapstring', '\n');
  const breakLong = given.booleanArgument('break_long_words', true);
  const built = new TextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    built.append(index === 0 ? '' : '\n');
    wrapTextLine(line, { width, breaks, breakLong }, built);
  }
  return built.build();
}

function wrapTextLine(
  line: string,
  { width, breaks, breakLong }: { width: number; breaks: string; breakLong: boolean },
  built: TextBuilder,
): void {
  let used = 0;
  for (const word of line.split(' ')) {
    if (used > 0 && used + 1 + word.length > width) {
      built.append(breaks);
      used = 0;
    } else if (used > 0) {
      built.append(' ');
      used += 1;
    }
    let rest = word;
    for (; breakLong && rest.length > width; rest = rest.slice(width))
      built.append(rest.slice(0, width)).append(breaks);
    built.append(rest);
    used += rest.length;
  }
}

function encodeForUrl(value: TemplateValue, given: BoundArguments): string {
  const strict = (one: TemplateValue): string => {
    const text = toText(one, given.budget);
    given.budget.allocate(text.length * 9);
    return encodeURIComponent(text);
  };
  const encode = (one: TemplateValue): string => strict(one).replaceAll('%2F', '/');
  try {
    if (!(value instanceof DictValue)) return encode(value);
    return [...value.entries].map(([key, one]) => `${strict(key)}=${strict(one)}`).join('&');
  } catch (error) {
    if (error instanceof URIError) throw new TemplateRuntimeError('The text cannot be encoded', { cause: error });
    throw error;
  }
}

const fileSizeUnits = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];

function formatFileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (Math.abs(bytes) < base) return `${Math.trunc(bytes)} Bytes`;
  const power = Math.min(fileSizeUnits.length, Math.floor(Math.log(Math.abs(bytes)) / Math.log(base)));
  const unit = fileSizeUnits[power - 1] ?? '';
  return `${(bytes / base ** power).toFixed(1)} ${binary ? `${unit.slice(0, 1).toUpperCase()}iB` : unit}`;
}

function removeTags(text: string): string {
  return splitWords(removeEnclosedParts(removeEnclosedParts(text, '<!--', '-->'), '<', '>')).join(' ');
}

/**
 * Removes the parts of a text between an opening and a closing delimiter, including the delimiters, in one pass. Stops
 * at an opening delimiter without a closing delimiter.
 */
function removeEnclosedParts(text: string, opening: string, closing: string): string {
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

/** Template filters that return texts, with their names. */
export const textFilters: readonly (readonly [string, TemplateFilter])[] = [
  ['capitalize', createTextFilter('', (text) => capitalizeText(text))],
  [
    'center',
    createTextFilter('width', (text, given) =>
      alignText(text, { width: given.integerArgument('width', 80), side: 'center', fill: ' ' }, given.budget),
    ),
  ],
  ['e', escapeFilter],
  ['escape', escapeFilter],
  ['forceescape', createFilter('', (value, _, runtime) => escapeAsSafe(value, runtime))],
  [
    'filesizeformat',
    createTextFilter('binary', (text, given) =>
      formatFileSize(Number(text) || 0, given.booleanArgument('binary', false)),
    ),
  ],
  ['indent', createTextFilter('width first blank', indentText)],
  ['lower', createTextFilter('', (text) => text.toLowerCase())],
  ['pprint', createTextFilter('', (text) => text)],
  [
    'replace',
    createTextFilter('old new count', (text, given) =>
      replaceText(
        text,
        {
          old: given.textArgument('old', ''),
          by: given.textArgument('new', ''),
          count: given.integerArgument('count', -1),
        },
        given.budget,
      ),
    ),
  ],
  ['safe', createFilter('', (value, _, runtime) => runtime.markSafe(value))],
  ['string', createTextFilter('', (text) => text)],
  ['striptags', createTextFilter('', removeTags)],
  ['title', createTextFilter('', toTitleCase)],
  [
    'tojson',
    createFilter('indent', (value, given, runtime) =>
      runtime.markSafe(toJson(value, getJsonIndent(given), runtime.budget)),
    ),
  ],
  [
    'trim',
    createTextFilter('chars', (text, given) =>
      stripCharacters(
        text,
        given.findArgument('chars') === null ? null : given.textArgument('chars', ''),
        { left: true, right: true },
        given.budget,
      ),
    ),
  ],
  ['truncate', createTextFilter('length killwords end leeway', truncateText)],
  ['upper', createTextFilter('', (text) => text.toUpperCase())],
  ['urlencode', createFilter('', encodeForUrl)],
  ['wordcount', createTextFilter('', (text) => splitWords(text).length)],
  ['wordwrap', createTextFilter('width break_long_words wrapstring break_on_hyphens', wrapWords)],
];

function getJsonIndent(given: BoundArguments): number | null {
  return given.findArgument('indent') === null ? null : Math.min(20, Math.max(0, given.integerArgument('indent', 0)));
}

/** Template filter that joins several values into one text. */
export const joinFilter = createFilter('d attribute', (value, given, runtime) => {
  const separator = given.textArgument('d', '');
  const attribute = given.findArgument('attribute');
  const items = toPlainValue(value);
  const built = new TextBuilder(runtime.budget);
  const list = isTemplateList(items) ? items : runtime.applyFilter('list', value, { positional: [], named: new Map() });
  for (const [index, item] of (isTemplateList(list) ? list : []).entries()) {
    runtime.budget.countIterations();
    const one = attribute === null || !isTruthyValue(attribute) ? item : runtime.memberOf(item, attribute);
    built.append(index === 0 ? '' : separator).append(toText(one, runtime.budget));
  }
  return built.build();
});
