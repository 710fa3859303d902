import { TemplateRuntimeError } from '../template-errors.js';
import { formatTextByPercentDirectives } from '../values/percent-format.js';
import { templateValueToJson } from '../values/template-json.js';
import { escapeHtml, TemplateTextBuilder, templateValueToText } from '../values/value-to-text.js';
import {
  TemplateDictValue,
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
import { isTruthyTemplateValue } from '../values/compare-values.js';
import type { BoundTemplateArguments } from '../run/bound-arguments.js';
import {
  createTemplateFilter,
  type TemplateFilter,
  type VariadicTemplateFilter,
  type TemplateFilterRuntime,
} from '../run/filter-runtime.js';

const createTemplateTextFilter = (
  parameters: string,
  apply: (text: string, given: BoundTemplateArguments) => TemplateValue,
): TemplateFilter =>
  createTemplateFilter(parameters, (value, given, { budget }) => {
    const text = templateValueToText(value, budget);
    budget.countAllocatedMemory(text.length * 4);
    return apply(text, given);
  });

const escapeFilter = createTemplateFilter('', (value, _, runtime) =>
  value instanceof TemplateObject && value.isSafe ? value : escapeValueAsSafeText(value, runtime),
);

function escapeValueAsSafeText(value: TemplateValue, runtime: TemplateFilterRuntime): TemplateValue {
  return runtime.markSafe(escapeHtml(templateValueToText(value, runtime.budget), runtime.budget));
}

/** Template filter that formats a text like Python's `%` operator, with any number of arguments. */
export const textFormatFilter: VariadicTemplateFilter = {
  parameters: null,
  apply(value, { positional, named }, { budget }) {
    const given = named.size > 0 ? new TemplateDictValue(named) : positional;
    return formatTextByPercentDirectives(templateValueToText(value, budget), given, budget);
  },
};

function indentTextLines(text: string, given: BoundTemplateArguments): string {
  const width = toPlainValue(given.findArgument('width'));
  const room =
    typeof width === 'string'
      ? width
      : alignText('', { width: given.getIntegerArgument('width', 4), side: 'left', fill: ' ' }, given.budget);
  const [first, blank] = [given.getBooleanArgument('first', false), given.getBooleanArgument('blank', false)];
  const built = new TemplateTextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    const moved = index === 0 ? first : blank || line !== '';
    built
      .appendPiece(index === 0 ? '' : '\n')
      .appendPiece(moved ? room : '')
      .appendPiece(line);
  }
  return built.buildText();
}

function truncateText(text: string, given: BoundTemplateArguments): string {
  const [length, leeway] = [given.getIntegerArgument('length', 255), given.getIntegerArgument('leeway', 5)];
  if (text.length <= length + leeway) return text;
  const end = given.getTextArgument('end', '...');
  const cut = text.slice(0, Math.max(0, length - end.length));
  const lastBlank = cut.lastIndexOf(' ');
  return (given.getBooleanArgument('killwords', false) || lastBlank === -1 ? cut : cut.slice(0, lastBlank)) + end;
}

function wrapTextAtWidth(text: string, given: BoundTemplateArguments): string {
  const width = Math.max(1, given.getIntegerArgument('width', 79));
  const breaks = given.getTextArgument('wrapstring', '\n');
  const breakLong = given.getBooleanArgument('break_long_words', true);
  const built = new TemplateTextBuilder(given.budget);
  for (const [index, line] of text.split('\n').entries()) {
    built.appendPiece(index === 0 ? '' : '\n');
    wrapTextLine(line, { width, breaks, breakLong }, built);
  }
  return built.buildText();
}

function wrapTextLine(
  line: string,
  { width, breaks, breakLong }: { width: number; breaks: string; breakLong: boolean },
  built: TemplateTextBuilder,
): void {
  let used = 0;
  for (const word of line.split(' ')) {
    if (used > 0 && used + 1 + word.length > width) {
      built.appendPiece(breaks);
      used = 0;
    } else if (used > 0) {
      built.appendPiece(' ');
      used += 1;
    }
    let rest = word;
    for (; breakLong && rest.length > width; rest = rest.slice(width))
      built.appendPiece(rest.slice(0, width)).appendPiece(breaks);
    built.appendPiece(rest);
    used += rest.length;
  }
}

function percentEncodeForUrl(value: TemplateValue, given: BoundTemplateArguments): string {
  const strict = (one: TemplateValue): string => {
    const text = templateValueToText(one, given.budget);
    given.budget.countAllocatedMemory(text.length * 9);
    return encodeURIComponent(text);
  };
  const encode = (one: TemplateValue): string => strict(one).replaceAll('%2F', '/');
  try {
    if (!(value instanceof TemplateDictValue)) return encode(value);
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

function removeHtmlTags(text: string): string {
  return splitWords(removePartsBetweenDelimiters(removePartsBetweenDelimiters(text, '<!--', '-->'), '<', '>')).join(
    ' ',
  );
}

/**
 * Removes the parts of a text between an opening and a closing delimiter, including the delimiters, in one pass. Stops
 * at an opening delimiter without a closing delimiter.
 */
function removePartsBetweenDelimiters(text: string, opening: string, closing: string): string {
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
export const templateTextFilters: readonly (readonly [string, TemplateFilter])[] = [
  ['capitalize', createTemplateTextFilter('', (text) => capitalizeText(text))],
  [
    'center',
    createTemplateTextFilter('width', (text, given) =>
      alignText(text, { width: given.getIntegerArgument('width', 80), side: 'center', fill: ' ' }, given.budget),
    ),
  ],
  ['e', escapeFilter],
  ['escape', escapeFilter],
  ['forceescape', createTemplateFilter('', (value, _, runtime) => escapeValueAsSafeText(value, runtime))],
  [
    'filesizeformat',
    createTemplateTextFilter('binary', (text, given) =>
      formatFileSize(Number(text) || 0, given.getBooleanArgument('binary', false)),
    ),
  ],
  ['indent', createTemplateTextFilter('width first blank', indentTextLines)],
  ['lower', createTemplateTextFilter('', (text) => text.toLowerCase())],
  ['pprint', createTemplateTextFilter('', (text) => text)],
  [
    'replace',
    createTemplateTextFilter('old new count', (text, given) =>
      replaceText(
        text,
        {
          old: given.getTextArgument('old', ''),
          by: given.getTextArgument('new', ''),
          count: given.getIntegerArgument('count', -1),
        },
        given.budget,
      ),
    ),
  ],
  ['safe', createTemplateFilter('', (value, _, runtime) => runtime.markSafe(value))],
  ['string', createTemplateTextFilter('', (text) => text)],
  ['striptags', createTemplateTextFilter('', removeHtmlTags)],
  ['title', createTemplateTextFilter('', toTitleCase)],
  [
    'tojson',
    createTemplateFilter('indent', (value, given, runtime) =>
      runtime.markSafe(templateValueToJson(value, getJsonIndent(given), runtime.budget)),
    ),
  ],
  [
    'trim',
    createTemplateTextFilter('chars', (text, given) =>
      stripCharacters(
        text,
        given.findArgument('chars') === null ? null : given.getTextArgument('chars', ''),
        { left: true, right: true },
        given.budget,
      ),
    ),
  ],
  ['truncate', createTemplateTextFilter('length killwords end leeway', truncateText)],
  ['upper', createTemplateTextFilter('', (text) => text.toUpperCase())],
  ['urlencode', createTemplateFilter('', percentEncodeForUrl)],
  ['wordcount', createTemplateTextFilter('', (text) => splitWords(text).length)],
  ['wordwrap', createTemplateTextFilter('width break_long_words wrapstring break_on_hyphens', wrapTextAtWidth)],
];

function getJsonIndent(given: BoundTemplateArguments): number | null {
  return given.findArgument('indent') === null
    ? null
    : Math.min(20, Math.max(0, given.getIntegerArgument('indent', 0)));
}

/** Template filter that joins several values into one text. */
export const textJoinFilter = createTemplateFilter('d attribute', (value, given, runtime) => {
  const separator = given.getTextArgument('d', '');
  const attribute = given.findArgument('attribute');
  const items = toPlainValue(value);
  const built = new TemplateTextBuilder(runtime.budget);
  const list = isTemplateList(items) ? items : runtime.applyFilter('list', value, { positional: [], named: new Map() });
  for (const [index, item] of (isTemplateList(list) ? list : []).entries()) {
    runtime.budget.countIterations();
    const one = attribute === null || !isTruthyTemplateValue(attribute) ? item : runtime.memberOf(item, attribute);
    built.appendPiece(index === 0 ? '' : separator).appendPiece(templateValueToText(one, runtime.budget));
  }
  return built.buildText();
});
