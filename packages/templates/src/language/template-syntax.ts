import { TemplateRuntimeError } from '../template-errors.js';

/**
 * Behaviours of undefined values in a template. With `empty`, an undefined value is printed as an empty string; with
 * `strict`, its use is an error. With `debug`, the source expression is printed. With `chainable`, the members are
 * undefined values.
 */
export type UndefinedValueBehavior = 'empty' | 'strict' | 'debug' | 'chainable';

/** Syntax settings of a template: delimiters, white space, line breaks, escaping and undefined values. */
export interface TemplateSyntax {
  readonly block: readonly [string, string];
  readonly variable: readonly [string, string];
  readonly comment: readonly [string, string];
  /** Prefix of template lines that are statements; null if no prefix is configured. */
  readonly lineStatement: string | null;
  /** Prefix of template comments that end at the end of the line; null if no prefix is configured. */
  readonly lineComment: string | null;
  /** True to remove the line break after a block tag. */
  readonly trimBlocks: boolean;
  /** True to remove the white space between the start of a line and a block tag. */
  readonly stripBeforeBlocks: boolean;
  /** True to keep the line break at the end of the template. */
  readonly keepTrailingNewline: boolean;
  /** Line break in the template's output, such as `\n`. */
  readonly newline: string;
  /** True to escape the output of expressions for HTML. */
  readonly escapesOutput: boolean;
  readonly undefinedKind: UndefinedValueBehavior;
}

const defaultSyntaxTexts = {
  block_start_string: '{%',
  block_end_string: '%}',
  variable_start_string: '{{',
  variable_end_string: '}}',
  comment_start_string: '{#',
  comment_end_string: '#}',
  newline_sequence: '\n',
  undefined: 'jinja2.Undefined',
};

/** Default values of the template environment parameters that are converted to booleans. */
const defaultSyntaxFlags = {
  trim_blocks: false,
  lstrip_blocks: false,
  keep_trailing_newline: false,
  autoescape: false,
};

/** Default values of the template environment parameters that are a text or null. */
const defaultSyntaxLinePrefixes: { line_statement_prefix: string | null; line_comment_prefix: string | null } = {
  line_statement_prefix: null,
  line_comment_prefix: null,
};

/** Parameters of a Jinja environment that concern Jinja's compiler. The parameters have no effect in this package. */
const ignoredEnvironmentParameters: ReadonlySet<string> = new Set([
  'auto_reload',
  'cache_size',
  'enable_async',
  'optimized',
]);

const undefinedBehaviorByClassName: ReadonlyMap<string, UndefinedValueBehavior> = new Map<
  string,
  UndefinedValueBehavior
>([
  ['jinja2.ChainableUndefined', 'chainable'],
  ['jinja2.DebugUndefined', 'debug'],
  ['jinja2.StrictUndefined', 'strict'],
  ['jinja2.Undefined', 'empty'],
]);

/** Names of all parameters that the environment of a template may have. */
export const jinjaEnvironmentParameters: ReadonlySet<string> = new Set([
  ...Object.keys({ ...defaultSyntaxTexts, ...defaultSyntaxFlags, ...defaultSyntaxLinePrefixes }),
  ...ignoredEnvironmentParameters,
]);

/** Names of Jinja classes that the environment parameter `undefined` accepts. */
export const jinjaUndefinedClassNames: readonly string[] = [...undefinedBehaviorByClassName.keys()];

const maxTemplateDelimiterLength = 20;

/**
 * Returns the template syntax for the parameters of a Jinja environment. The parameters have Jinja's names: the
 * delimiters and prefixes, `newline_sequence`, `trim_blocks`, `lstrip_blocks`, `keep_trailing_newline`, `autoescape`
 * and `undefined`.
 *
 * @throws TemplateRuntimeError for other parameters, because ignored parameters would silently change the output
 */
export function parseTemplateSyntax(parameters: Readonly<Record<string, unknown>>): TemplateSyntax {
  const [texts, truths, lines] = [
    { ...defaultSyntaxTexts },
    { ...defaultSyntaxFlags },
    { ...defaultSyntaxLinePrefixes },
  ];
  for (const [name, value] of Object.entries(parameters)) {
    if (Object.hasOwn(defaultSyntaxFlags, name)) Object.assign(truths, { [name]: isTruthyEnvironmentParameter(value) });
    else if (Object.hasOwn(defaultSyntaxTexts, name))
      Object.assign(texts, { [name]: requireTextParameter(name, value) });
    else if (Object.hasOwn(defaultSyntaxLinePrefixes, name))
      Object.assign(lines, { [name]: value === null ? null : requireTextParameter(name, value) });
    else if (!ignoredEnvironmentParameters.has(name))
      throw new TemplateRuntimeError(`Unknown environment parameter: ${name}`);
  }
  const undefinedKind = undefinedBehaviorByClassName.get(texts.undefined);
  if (undefinedKind === undefined) throw new TemplateRuntimeError(`Unknown undefined: ${texts.undefined}`);
  const syntax: TemplateSyntax = {
    block: [texts.block_start_string, texts.block_end_string],
    variable: [texts.variable_start_string, texts.variable_end_string],
    comment: [texts.comment_start_string, texts.comment_end_string],
    lineStatement: lines.line_statement_prefix,
    lineComment: lines.line_comment_prefix,
    trimBlocks: truths.trim_blocks,
    stripBeforeBlocks: truths.lstrip_blocks,
    keepTrailingNewline: truths.keep_trailing_newline,
    newline: texts.newline_sequence,
    escapesOutput: truths.autoescape,
    undefinedKind,
  };
  checkTemplateDelimiters(syntax);
  return syntax;
}

function requireTextParameter(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TemplateRuntimeError(`Environment parameter ${name} must be a string`);
}

/** Converts a JSON value to a boolean by Python's rules: empty strings, lists and objects are false. */
function isTruthyEnvironmentParameter(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function checkTemplateDelimiters({
  block,
  variable,
  comment,
  lineStatement,
  lineComment,
  newline,
}: TemplateSyntax): void {
  const starts = [block[0], variable[0], comment[0]];
  if (new Set(starts).size < starts.length) {
    throw new TemplateRuntimeError('block, variable and comment start strings must be different');
  }
  for (const delimiter of [...block, ...variable, ...comment, lineStatement, lineComment]) {
    if (delimiter === null) continue;
    if (delimiter !== '' && delimiter.length <= maxTemplateDelimiterLength && !/\s/.test(delimiter)) continue;
    throw new TemplateRuntimeError('A delimiter is one to twenty characters without white space');
  }
  if (['\n', '\r\n', '\r'].includes(newline)) return;
  throw new TemplateRuntimeError("'newline_sequence' must be one of '\\n', '\\r\\n', or '\\r'.");
}
