import { TemplateSyntaxError } from '../errors.js';
import type { Token } from './tokens.js';

/** The tokens of one tag, from the first to the last. */
export class TokenStream {
  #position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** The next token; after the last one it is always the end. */
  get current(): Token {
    return this.ahead(0);
  }

  /** The token some places further. */
  ahead(places: number): Token {
    return this.tokens[this.#position + places] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  /** Whether the next is this operator. */
  isOperator(...texts: readonly string[]): boolean {
    return this.current.kind === 'operator' && texts.includes(this.current.text);
  }

  /** Whether the next is this word. */
  isName(...texts: readonly string[]): boolean {
    return this.current.kind === 'name' && texts.includes(this.current.text);
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.current.kind === 'end';
  }

  /** Takes the next token. */
  take(): Token {
    const token = this.current;
    this.#position += 1;
    return token;
  }

  /** Skips this operator if it is next. */
  skipOperator(text: string): boolean {
    if (!this.isOperator(text)) return false;
    this.take();
    return true;
  }

  /** Skips this name if it is next. */
  skipName(text: string): boolean {
    if (!this.isName(text)) return false;
    this.take();
    return true;
  }

  /** Takes an operator that has to be there. */
  expectOperator(text: string): void {
    if (!this.skipOperator(text)) throw this.unexpected(`expected '${text}'`);
  }

  /** Takes a word that has to be there. */
  expectName(text?: string): string {
    if (this.current.kind !== 'name' || (text !== undefined && this.current.text !== text)) {
      throw this.unexpected(`expected ${text === undefined ? 'a name' : `'${text}'`}`);
    }
    return this.take().text;
  }

  /** That nothing else follows. */
  expectEnd(): void {
    if (!this.isAtEnd) throw this.unexpected('expected the end of the tag');
  }

  /** Creates the error for an unexpected next token. */
  unexpected(expectation: string): TemplateSyntaxError {
    const { kind, text, line } = this.current;
    return new TemplateSyntaxError(`${expectation}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, line);
  }
}
