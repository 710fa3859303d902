import { common, createLowlight } from 'lowlight';
import type { ParseContext } from './parse-context.js';
import type { CodeLanguage } from './code-languages.js';

/**
 * A part of highlighted code, with the CSS class of the part in the naming scheme of Pygments. The class is undefined
 * for plain text.
 */
export interface CodePart {
  readonly className: string | undefined;
  readonly text: string;
}

const codeHighlighter = createLowlight(common);

// The time of grammars grows with the square of a word's length, and handwritten code has no longer lines.
const maxHighlightedLineLength = 300;

/** Map from scopes of the highlighting library to the CSS classes that clients style. */
const cssClassByHighlightScope: Readonly<Record<string, string>> = {
  addition: 'gi',
  attr: 'na',
  attribute: 'na',
  built_in: 'nb',
  bullet: 'o',
  'char.escape': 'se',
  class: 'nc',
  code: 's',
  comment: 'c',
  deletion: 'gd',
  doctag: 'sd',
  emphasis: 'ge',
  function: 'nf',
  keyword: 'k',
  link: 's',
  literal: 'kc',
  meta: 'cp',
  name: 'nt',
  number: 'm',
  operator: 'o',
  property: 'nv',
  punctuation: 'p',
  quote: 'c',
  regexp: 'sr',
  section: 'gh',
  'selector-attr': 'na',
  'selector-class': 'nc',
  'selector-id': 'nn',
  'selector-pseudo': 'nd',
  'selector-tag': 'nt',
  string: 's',
  strong: 'gs',
  subst: 'si',
  symbol: 'ss',
  'template-tag': 'cp',
  'template-variable': 'nv',
  title: 'nf',
  type: 'kt',
  variable: 'nv',
  'variable.constant': 'no',
  'variable.language': 'bp',
};

/**
 * Splits code into parts with CSS classes for syntax highlighting. Returns a single part if the language has no
 * grammar, or the code exceeds the limits.
 */
export function highlightCode(code: string, language: CodeLanguage | undefined, context: ParseContext): CodePart[] {
  const plain = [{ className: undefined, text: code }];
  if (language?.grammar === undefined || code.split('\n').some((line) => line.length > maxHighlightedLineLength))
    return plain;
  if (!context.subtractParsingWorkFromBudget('highlightedCharacters', code.length)) return plain;
  const parts: CodePart[] = [];
  collectCodeParts(codeHighlighter.highlight(language.grammar, code).children, undefined, parts);
  return parts;
}

type HighlightedSyntaxNodes = ReturnType<typeof codeHighlighter.highlight>['children'];

/**
 * Flattens the nested scopes of highlighted code into a list of parts. The innermost scope with a CSS class determines
 * the class of a part.
 */
function collectCodeParts(nodes: HighlightedSyntaxNodes, className: string | undefined, parts: CodePart[]): void {
  for (const node of nodes) {
    if (node.type === 'element')
      collectCodeParts(node.children, getCssClassOfScope(node.properties['className']) ?? className, parts);
    if (node.type !== 'text') continue;
    const last = parts.at(-1);
    if (last !== undefined && last.className === className) {
      parts[parts.length - 1] = { className, text: last.text + node.value };
    } else parts.push({ className, text: node.value });
  }
}

/**
 * Returns the CSS class for a scope of the highlighting library. For example, title.function is given as
 * `['hljs-title', 'function_']`.
 */
function getCssClassOfScope(names: unknown): string | undefined {
  if (!Array.isArray(names)) return undefined;
  const [scope = '', kind = ''] = names.map((name) =>
    String(name)
      .replace(/^hljs-/, '')
      .replace(/_+$/, ''),
  );
  return (
    cssClassByHighlightScope[`${scope}.${kind}`] ?? cssClassByHighlightScope[kind] ?? cssClassByHighlightScope[scope]
  );
}
