import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateSyntax } from './template-syntax.js';
import { tokenizeTemplateTag, type TemplateToken } from './expression-tokens.js';

/** A segment of a template: literal text, an output expression, or the tag that begins or ends a block. */
export type TemplateSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output' | 'tag'; readonly tokens: readonly TemplateToken[] };

type OpeningDelimiterKind = 'block' | 'variable' | 'comment' | 'lineStatement' | 'lineComment';

/**
 * Position and length of an opening delimiter in a template. The position is infinite if the template has no further
 * delimiter.
 */
interface OpeningDelimiterPosition {
  readonly at: number;
  readonly length: number;
}

const openingDelimiterKinds = ['block', 'variable', 'comment', 'lineStatement', 'lineComment'] as const;
const noOpeningDelimiterPosition: OpeningDelimiterPosition = { at: Infinity, length: 0 };

/** Splits a template into its segments: texts, output expressions and tags. Omits comments and stripped white space. */
export function splitTemplateIntoSegments(
  template: string,
  syntax: TemplateSyntax,
  budget: TemplateResourceCounter,
): readonly TemplateSegment[] {
  return new TemplateSegmentSplitter(normalizeLineBreaks(template, syntax), syntax, budget).splitIntoSegmentList();
}

function normalizeLineBreaks(template: string, { keepTrailingNewline }: TemplateSyntax): string {
  const source = template.replaceAll(/\r\n?/g, '\n');
  return !keepTrailingNewline && source.endsWith('\n') ? source.slice(0, -1) : source;
}

class TemplateSegmentSplitter {
  readonly #segments: TemplateSegment[] = [];
  readonly #nextOpenings: Record<OpeningDelimiterKind, OpeningDelimiterPosition>;
  /**
   * Regular expressions for the prefixes of line statements and line comments; null for a prefix that is not
   * configured.
   */
  readonly #linePatterns: Readonly<Record<'lineStatement' | 'lineComment', RegExp | null>>;
  #position = 0;
  #line = 1;
  #nextLineBreak = -1;
  #stripsNextText = false;

  constructor(
    private readonly source: string,
    private readonly syntax: TemplateSyntax,
    private readonly budget: TemplateResourceCounter,
  ) {
    const start: OpeningDelimiterPosition = { at: -1, length: 0 };
    this.#nextOpenings = { block: start, variable: start, comment: start, lineStatement: start, lineComment: start };
    const pattern = (prefix: string | null, before: string): RegExp | null =>
      prefix === null ? null : new RegExp(before + prefix.replaceAll(/\W/gu, String.raw`\$&`), 'gm');
    this.#linePatterns = {
      lineStatement: pattern(syntax.lineStatement, String.raw`^[ \t\v]*`),
      lineComment: pattern(syntax.lineComment, String.raw`(?:^|(?<=\S))[^\S\r\n]*`),
    };
  }

  splitIntoSegmentList(): readonly TemplateSegment[] {
    for (let opening = this.#findOpening(); opening !== null; opening = this.#findOpening()) {
      this.budget.countSteps();
      const { at, length } = this.#nextOpenings[opening];
      const sign = this.source[at + length];
      const signed = opening !== 'lineComment' && (sign === '-' || sign === '+');
      this.#addText(this.#textBefore(at, opening, signed ? sign : ''));
      this.#countLines(at);
      this.#readTag(opening, at + length + (signed ? 1 : 0));
    }
    this.#addText(this.source.slice(this.#position));
    return this.#segments;
  }

  // Searches for each delimiter after its last occurrence, so that the source is scanned once per delimiter.
  #findOpening(): OpeningDelimiterKind | null {
    let first: OpeningDelimiterKind | null = null;
    for (const kind of openingDelimiterKinds) {
      if (this.#nextOpenings[kind].at < this.#position) this.#nextOpenings[kind] = this.#findNext(kind);
      if (this.#nextOpenings[kind].at === Infinity) continue;
      if (first === null || this.#takesPrecedence(kind, first)) first = kind;
    }
    return first;
  }

  #findNext(kind: OpeningDelimiterKind): OpeningDelimiterPosition {
    if (kind !== 'lineStatement' && kind !== 'lineComment') {
      const [start] = this.syntax[kind];
      const at = this.source.indexOf(start, this.#position);
      return at === -1 ? noOpeningDelimiterPosition : { at, length: start.length };
    }
    const pattern = this.#linePatterns[kind];
    if (pattern === null) return noOpeningDelimiterPosition;
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.source);
    return found === null ? noOpeningDelimiterPosition : { at: found.index, length: found[0].length };
  }

  // Of two delimiters at the same position, the longer one applies.
  #takesPrecedence(kind: OpeningDelimiterKind, other: OpeningDelimiterKind): boolean {
    const [one, two] = [this.#nextOpenings[kind], this.#nextOpenings[other]];
    return one.at < two.at || (one.at === two.at && one.length > two.length);
  }

  #textBefore(at: number, opening: OpeningDelimiterKind, sign: string): string {
    const text = this.source.slice(this.#position, at);
    if (sign === '-') return text.trimEnd();
    if (!this.syntax.stripBeforeBlocks || sign === '+' || (opening !== 'block' && opening !== 'comment')) return text;
    const lineStart = text.lastIndexOf('\n') + 1;
    const startsLine = lineStart > 0 || this.#position === 0 || this.source[this.#position - 1] === '\n';
    return startsLine && text.slice(lineStart).trim() === '' ? text.slice(0, lineStart) : text;
  }

  #addText(text: string): void {
    const kept = this.#stripsNextText ? text.trimStart() : text;
    if (kept !== '') {
      const { newline } = this.syntax;
      this.#segments.push({ kind: 'text', text: newline === '\n' ? kept : kept.replaceAll('\n', newline) });
    }
    this.#stripsNextText = false;
  }

  #readTag(opening: OpeningDelimiterKind, start: number): void {
    if (opening === 'comment') return this.#skipComment(start);
    if (opening === 'lineComment') return this.#continueAt(this.#lineBreakAfter(start - 1), '', false);
    const closing = opening === 'lineStatement' ? null : this.syntax[opening][1];
    const tag = tokenizeTemplateTag(this.source, start, { closing, line: this.#line, budget: this.budget });
    if (opening === 'variable') {
      this.#segments.push({ kind: 'output', tokens: tag.tokens });
      this.#continueAt(tag.end, tag.after, false);
      return;
    }
    const [first, second] = tag.tokens;
    this.#continueAt(tag.end, tag.after, this.syntax.trimBlocks && opening === 'block');
    if (opening === 'block' && first?.text === 'raw' && second?.kind === 'end') this.#readRaw();
    else this.#segments.push({ kind: 'tag', tokens: tag.tokens });
  }

  #skipComment(start: number): void {
    const [, closing] = this.syntax.comment;
    const end = this.source.indexOf(closing, start);
    if (end === -1) throw new TemplateSyntaxError('Missing end of comment tag', this.#line);
    const sign = this.source[end - 1];
    const after = end > start && (sign === '-' || sign === '+') ? sign : '';
    this.#continueAt(end + closing.length, after, this.syntax.trimBlocks);
  }

  #readRaw(): void {
    const [open, close] = this.syntax.block;
    for (let from = this.#position; ;) {
      this.budget.countSteps();
      const at = this.source.indexOf(open, from);
      if (at === -1) throw new TemplateSyntaxError('Missing end of raw directive', this.#line);
      const end = findEndRawTag(this.source, at + open.length, close);
      if (end !== null) {
        this.#addText(end.before === '-' ? this.#rawText(at).trimEnd() : this.#rawText(at));
        this.#continueAt(end.end, end.after, this.syntax.trimBlocks);
        return;
      }
      from = at + open.length;
    }
  }

  #rawText(end: number): string {
    return this.source.slice(this.#position, end);
  }

  #continueAt(end: number, after: string, trim: boolean): void {
    this.#position = end;
    this.#stripsNextText = after === '-';
    if (trim && after === '' && this.source[end] === '\n') this.#position += 1;
  }

  #countLines(until: number): void {
    for (; this.#nextLineBreak < until; this.#nextLineBreak = this.#lineBreakAfter(this.#nextLineBreak)) {
      if (this.#nextLineBreak >= 0) this.#line += 1;
    }
  }

  #lineBreakAfter(position: number): number {
    const at = this.source.indexOf('\n', position + 1);
    return at === -1 ? Infinity : at;
  }
}

const endRawTagPattern = /([-+]?)\s{0,100}endraw\s{0,100}([-+]?)/y;

function findEndRawTag(
  source: string,
  start: number,
  close: string,
): { before: string; after: string; end: number } | null {
  endRawTagPattern.lastIndex = start;
  const found = endRawTagPattern.exec(source);
  if (found === null) return null;
  const [whole, before = '', after = ''] = found;
  const closesAt = start + whole.length;
  return source.startsWith(close, closesAt) ? { before, after, end: closesAt + close.length } : null;
}
