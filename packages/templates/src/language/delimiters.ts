import { TemplateRuntimeError } from '../errors.js';

/** Settings of a template's syntax: its delimiters, and the handling of white space around them. */
export interface Syntax {
  readonly block: readonly [string, string];
  readonly variable: readonly [string, string];
  readonly comment: readonly [string, string];
  /** True to remove the line break after a block. */
  readonly trimBlocks: boolean;
  /** True to remove white space between the start of a line and a block. */
  readonly stripBeforeBlocks: boolean;
  /** True to keep the line break at the end of the template. */
  readonly keepTrailingNewline: boolean;
  /** Line break in the template's output, such as `\n`. */
  readonly newline: string;
  /** True if printing an undefined value is an error. */
  readonly strictUndefined: boolean;
}

const defaults = {
  block_start_string: '{%',
  block_end_string: '%}',
  variable_start_string: '{{',
  variable_end_string: '}}',
  comment_start_string: '{#',
  comment_end_string: '#}',
  newline_sequence: '\n',
  trim_blocks: false,
  lstrip_blocks: false,
  keep_trailing_newline: false,
  undefined: '',
};

type Parameters = typeof defaults;

const kindsOfUndefined = new Set(['', 'jinja2.Undefined', 'jinja2.StrictUndefined']);
const longestDelimiter = 20;

/**
 * Reads the parameters of a Jinja environment, by Jinja's names: the delimiters, `newline_sequence`, `trim_blocks`,
 * `lstrip_blocks`, `keep_trailing_newline`, and `undefined` as `jinja2.StrictUndefined`.
 *
 * @throws TemplateRuntimeError for other parameters, because silently ignoring them would change the output
 */
export function readSyntax(parameters: Readonly<Record<string, unknown>>): Syntax {
  const read: Parameters = { ...defaults };
  for (const [name, value] of Object.entries(parameters)) assign(read, name, value);
  if (!kindsOfUndefined.has(read.undefined)) throw new TemplateRuntimeError(`Unknown undefined: ${read.undefined}`);
  const syntax: Syntax = {
    block: [read.block_start_string, read.block_end_string],
    variable: [read.variable_start_string, read.variable_end_string],
    comment: [read.comment_start_string, read.comment_end_string],
    trimBlocks: read.trim_blocks,
    stripBeforeBlocks: read.lstrip_blocks,
    keepTrailingNewline: read.keep_trailing_newline,
    newline: read.newline_sequence,
    strictUndefined: read.undefined === 'jinja2.StrictUndefined',
  };
  checkDelimiters(syntax);
  return syntax;
}

function assign(read: Parameters, name: string, value: unknown): void {
  if (!isParameter(name)) throw new TemplateRuntimeError(`Unknown environment parameter: ${name}`);
  if (typeof value !== typeof defaults[name]) {
    throw new TemplateRuntimeError(`Environment parameter ${name} must be a ${typeof defaults[name]}`);
  }
  Object.assign(read, { [name]: value });
}

function isParameter(name: string): name is keyof Parameters {
  return Object.hasOwn(defaults, name);
}

function checkDelimiters({ block, variable, comment, newline }: Syntax): void {
  const starts = [block[0], variable[0], comment[0]];
  if (new Set(starts).size < starts.length) {
    throw new TemplateRuntimeError('block, variable and comment start strings must be different');
  }
  for (const delimiter of [...block, ...variable, ...comment]) {
    if (delimiter !== '' && delimiter.length <= longestDelimiter && !/\s/.test(delimiter)) continue;
    throw new TemplateRuntimeError('A delimiter is one to twenty characters without white space');
  }
  if (!['\n', '\r\n', '\r'].includes(newline)) throw new TemplateRuntimeError('newline_sequence must be a line break');
}
