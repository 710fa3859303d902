import type { Budget } from '../budget.js';
import { TemplateSyntaxError } from '../errors.js';
import type { Syntax } from './delimiters.js';
import { readTag, type Token } from './tokens.js';

/** A part of a template: literal text, an output expression, or the tag that begins or ends a block. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output' | 'tag'; readonly tokens: readonly Token[] };

type Opening = 'block' | 'variable' | 'comment';

/** Splits a template into its parts. Comments and stripped white space are omitted. */
export function segmentsOf(template: string, syntax: Syntax, budget: Budget): readonly Segment[] {
  return new Cutter(normalized(template, syntax), syntax, budget).cut();
}

function normalized(template: string, { keepTrailingNewline }: Syntax): string {
  const source = template.replaceAll(/\r\n?/g, '\n');
  return !keepTrailingNewline && source.endsWith('\n') ? source.slice(0, -1) : source;
}

class Cutter {
  readonly #segments: Segment[] = [];
  readonly #next: Record<Opening, number>;
  #position = 0;
  #line = 1;
  #nextBreak = -1;
  #stripNext = false;

  constructor(
    private readonly source: string,
    private readonly syntax: Syntax,
    private readonly budget: Budget,
  ) {
    this.#next = { block: -1, variable: -1, comment: -1 };
  }

  cut(): readonly Segment[] {
    for (let opening = this.#findOpening(); opening !== null; opening = this.#findOpening()) {
      this.budget.tick();
      const at = this.#next[opening];
      const [start] = this.syntax[opening];
      const sign = this.source[at + start.length];
      const signed = sign === '-' || sign === '+';
      this.#addText(this.#textBefore(at, opening, signed ? sign : ''));
      this.#countLines(at);
      this.#read(opening, at + start.length + (signed ? 1 : 0));
    }
    this.#addText(this.source.slice(this.#position));
    return this.#segments;
  }

  // Searches for each delimiter after its last occurrence, so that the source is scanned once per delimiter.
  #findOpening(): Opening | null {
    let first: Opening | null = null;
    for (const kind of ['block', 'variable', 'comment'] as const) {
      if (this.#next[kind] < this.#position) {
        const found = this.source.indexOf(this.syntax[kind][0], this.#position);
        this.#next[kind] = found === -1 ? Infinity : found;
      }
      if (this.#next[kind] === Infinity) continue;
      if (first === null || this.#isBefore(kind, first)) first = kind;
    }
    return first;
  }

  // Of two delimiters at the same position, the longer one applies.
  #isBefore(kind: Opening, other: Opening): boolean {
    const [at, otherAt] = [this.#next[kind], this.#next[other]];
    return at < otherAt || (at === otherAt && this.syntax[kind][0].length > this.syntax[other][0].length);
  }

  #textBefore(at: number, opening: Opening, sign: string): string {
    const text = this.source.slice(this.#position, at);
    if (sign === '-') return text.trimEnd();
    if (!this.syntax.stripBeforeBlocks || sign === '+' || opening === 'variable') return text;
    const lineStart = text.lastIndexOf('\n') + 1;
    const startsLine = lineStart > 0 || this.#position === 0 || this.source[this.#position - 1] === '\n';
    return startsLine && text.slice(lineStart).trim() === '' ? text.slice(0, lineStart) : text;
  }

  #addText(text: string): void {
    const kept = this.#stripNext ? text.trimStart() : text;
    if (kept !== '') {
      const { newline } = this.syntax;
      this.#segments.push({ kind: 'text', text: newline === '\n' ? kept : kept.replaceAll('\n', newline) });
    }
    this.#stripNext = false;
  }

  #read(opening: Opening, start: number): void {
    if (opening === 'comment') return this.#skipComment(start);
    const [, closing] = this.syntax[opening];
    const tag = readTag(this.source, start, { closing, line: this.#line, budget: this.budget });
    if (opening === 'variable') {
      this.#segments.push({ kind: 'output', tokens: tag.tokens });
      this.#goOn(tag.end, tag.after, false);
      return;
    }
    const [first, second] = tag.tokens;
    this.#goOn(tag.end, tag.after, this.syntax.trimBlocks);
    if (first?.text === 'raw' && second?.kind === 'end') this.#readRaw();
    else this.#segments.push({ kind: 'tag', tokens: tag.tokens });
  }

  #skipComment(start: number): void {
    const [, closing] = this.syntax.comment;
    const end = this.source.indexOf(closing, start);
    if (end === -1) throw new TemplateSyntaxError('Missing end of comment tag', this.#line);
    const sign = this.source[end - 1];
    const after = end > start && (sign === '-' || sign === '+') ? sign : '';
    this.#goOn(end + closing.length, after, this.syntax.trimBlocks);
  }

  #readRaw(): void {
    const [open, close] = this.syntax.block;
    for (let from = this.#position; ;) {
      this.budget.tick();
      const at = this.source.indexOf(open, from);
      if (at === -1) throw new TemplateSyntaxError('Missing end of raw directive', this.#line);
      const end = endRaw(this.source, at + open.length, close);
      if (end !== null) {
        this.#addText(end.before === '-' ? this.#rawText(at).trimEnd() : this.#rawText(at));
        this.#goOn(end.end, end.after, this.syntax.trimBlocks);
        return;
      }
      from = at + open.length;
    }
  }

  #rawText(end: number): string {
    return this.source.slice(this.#position, end);
  }

  #goOn(end: number, after: string, trim: boolean): void {
    this.#position = end;
    this.#stripNext = after === '-';
    if (trim && after === '' && this.source[end] === '\n') this.#position += 1;
  }

  #countLines(until: number): void {
    for (; this.#nextBreak < until; this.#nextBreak = this.#breakBehind(this.#nextBreak)) {
      if (this.#nextBreak >= 0) this.#line += 1;
    }
  }

  #breakBehind(position: number): number {
    const at = this.source.indexOf('\n', position + 1);
    return at === -1 ? Infinity : at;
  }
}

const rawEnd = /([-+]?)\s{0,100}endraw\s{0,100}([-+]?)/y;

function endRaw(source: string, start: number, close: string): { before: string; after: string; end: number } | null {
  rawEnd.lastIndex = start;
  const found = rawEnd.exec(source);
  if (found === null) return null;
  const [whole, before = '', after = ''] = found;
  const closesAt = start + whole.length;
  return source.startsWith(close, closesAt) ? { before, after, end: closesAt + close.length } : null;
}
