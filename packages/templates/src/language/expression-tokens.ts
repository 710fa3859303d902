import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';

/** A token of a template expression or tag. */
export interface TemplateToken {
  readonly kind: 'name' | 'integer' | 'float' | 'string' | 'operator' | 'end';
  /** Text of the token: the value of a string literal, or the source text of another token. */
  readonly text: string;
  readonly line: number;
}

const whiteSpacePattern = /\s+/y;
const tokenNamePattern = /[\p{L}_][\p{L}\p{N}_]*/uy;
const numberTokenPattern = /(\d[\d_]*)(\.\d+)?([eE][+-]?\d+)?/y;
const unescapedPatternByQuote: Readonly<Record<string, RegExp>> = { "'": /[^'\\]+/y, '"': /[^"\\]+/y };
const textEscapePattern = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^])/uy;
const operatorTokenPattern = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=.,:|()[\]{}]/y;
const closingBracketByOpening: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Tokens of a template tag, and the position in the template after the tag. */
export interface TemplateTagTokens {
  readonly tokens: readonly TemplateToken[];
  readonly end: number;
  /** Sign before the closing delimiter of the tag. The sign controls the removal of white space after the tag. */
  readonly after: '-' | '+' | '';
}

/**
 * Reads the tokens of a template tag, up to its closing delimiter.
 *
 * @param start position after the opening delimiter
 * @param at closing delimiter, line and work budget; `closing` is null for a tag that ends at the end of its line
 */
export function tokenizeTemplateTag(
  source: string,
  start: number,
  at: { closing: string | null; line: number; budget: TemplateResourceCounter },
): TemplateTagTokens {
  const tokens: TemplateToken[] = [];
  const open: string[] = [];
  let { line } = at;
  let position = start;
  for (;;) {
    at.budget.countSteps();
    const lineEnd = at.closing === null && open.length === 0 ? findLineStatementEnd(source, position) : null;
    if (lineEnd !== null)
      return { tokens: [...removeFinalColonToken(tokens), { kind: 'end', text: '', line }], ...lineEnd };
    const space = matchPatternAt(whiteSpacePattern, source, position);
    line += countLineBreaks(space, at.budget);
    position += space.length;
    const closed = open.length === 0 && at.closing !== null ? findTemplateTagEnd(source, position, at.closing) : null;
    if (closed !== null) return { tokens: [...tokens, { kind: 'end', text: '', line }], ...closed };
    const token = readNextTemplateToken(source, position, { line, budget: at.budget });
    updateOpenBrackets(open, token);
    tokens.push(token.token);
    line += countLineBreaks(token.written, at.budget);
    position += token.written.length;
  }
}

function findTemplateTagEnd(
  source: string,
  position: number,
  closing: string,
): Pick<TemplateTagTokens, 'end' | 'after'> | null {
  if (source.startsWith(closing, position)) return { end: position + closing.length, after: '' };
  const sign = source[position];
  if ((sign !== '-' && sign !== '+') || !source.startsWith(closing, position + 1)) return null;
  return { end: position + 1 + closing.length, after: sign };
}

const lineEndPattern = /\s*(?:\n|$)/y;

function findLineStatementEnd(source: string, position: number): Pick<TemplateTagTokens, 'end' | 'after'> | null {
  lineEndPattern.lastIndex = position;
  const found = lineEndPattern.exec(source);
  return found === null ? null : { end: position + found[0].length, after: '' };
}

// A line may end with a colon, as in Python.
function removeFinalColonToken(tokens: readonly TemplateToken[]): readonly TemplateToken[] {
  const last = tokens.at(-1);
  return last?.kind === 'operator' && last.text === ':' ? tokens.slice(0, -1) : tokens;
}

// A delimiter within brackets does not end the tag: `}}` may close two nested dictionaries.
function updateOpenBrackets(open: string[], { token }: { token: TemplateToken }): void {
  if (token.kind !== 'operator') return;
  const closer = closingBracketByOpening[token.text];
  if (closer !== undefined) open.push(closer);
  else if (')]}'.includes(token.text) && open.pop() !== token.text) {
    throw new TemplateSyntaxError(`unexpected '${token.text}'`, token.line);
  }
}

function readNextTemplateToken(
  source: string,
  position: number,
  { line, budget }: { readonly line: number; readonly budget: TemplateResourceCounter },
): { token: TemplateToken; written: string } {
  const named = matchPatternAt(tokenNamePattern, source, position);
  if (named !== '') return { token: { kind: 'name', text: named, line }, written: named };
  const digits = matchPatternAt(numberTokenPattern, source, position);
  if (digits !== '') {
    const kind = /^[\d_]+$/.test(digits) ? 'integer' : 'float';
    return { token: { kind, text: digits.replaceAll('_', ''), line }, written: digits };
  }
  const literal = readStringLiteralToken(source, position, budget);
  if (literal !== null) return { token: { kind: 'string', text: literal.text, line }, written: literal.written };
  const sign = matchPatternAt(operatorTokenPattern, source, position);
  if (sign !== '') return { token: { kind: 'operator', text: sign, line }, written: sign };
  if (position >= source.length) throw new TemplateSyntaxError('unexpected end of template', line);
  throw new TemplateSyntaxError(`unexpected char ${JSON.stringify(source[position])}`, line);
}

function matchPatternAt(pattern: RegExp, source: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0] ?? '';
}

function countLineBreaks(text: string, budget: TemplateResourceCounter): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    budget.countSteps();
    count += 1;
  }
  return count;
}

const characterByStringEscape: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\n': '',
  b: '\b',
  f: '\f',
  v: '\v',
};

/**
 * Reads a string literal of a template at a position, piece by piece, because a literal can be very long. Returns null
 * if the position has no string literal.
 */
function readStringLiteralToken(
  source: string,
  start: number,
  budget: TemplateResourceCounter,
): { text: string; written: string } | null {
  const quote = source.charAt(start);
  const plain = unescapedPatternByQuote[quote];
  if (plain === undefined) return null;
  const pieces: string[] = [];
  for (let at = start + 1; at < source.length;) {
    if (source.charAt(at) === quote) return { text: pieces.join(''), written: source.slice(start, at + 1) };
    budget.countSteps();
    const escaped = matchPatternAt(textEscapePattern, source, at);
    const piece = escaped === '' ? matchPatternAt(plain, source, at) : escaped;
    if (piece === '') return null;
    pieces.push(escaped === '' ? piece : resolveStringEscapes(escaped));
    at += piece.length;
  }
  return null;
}

function resolveStringEscapes(written: string): string {
  const after = written.slice(1);
  if (/^[xu]./.test(after)) return String.fromCharCode(Number.parseInt(after.slice(1), 16));
  if (Object.hasOwn(characterByStringEscape, after)) return characterByStringEscape[after] ?? '';
  return `\\'"`.includes(after) ? after : written;
}
