import { TemplateSyntaxError } from '../errors.js';
import type { Token } from './tokens.js';

/** The tokens of one tag, read in order. */
export class TokenStream {
  #position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** The next token. After the last one this is always the end token. */
  get current(): Token {
    return this.ahead(0);
  }

  /** Returns the token the given number of places after the next one. */
  ahead(places: number): Token {
    return this.tokens[this.#position + places] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  /** Returns true if the next token is one of these operators. */
  isOperator(...texts: readonly string[]): boolean {
    return this.current.kind === 'operator' && texts.includes(this.current.text);
  }

  /** Returns true if the next token is one of these names. */
  isName(...texts: readonly string[]): boolean {
    return this.current.kind === 'name' && texts.includes(this.current.text);
  }

  /** True at the end of the tokens. */
  get isAtEnd(): boolean {
    return this.current.kind === 'end';
  }

  /** Returns the next token and advances. */
  take(): Token {
    const token = this.current;
    this.#position += 1;
    return token;
  }

  /** Skips the next token if it is this operator. Returns true if it was. */
  skipOperator(text: string): boolean {
    if (!this.isOperator(text)) return false;
    this.take();
    return true;
  }

  /** Skips the next token if it is this name. Returns true if it was. */
  skipName(text: string): boolean {
    if (!this.isName(text)) return false;
    this.take();
    return true;
  }

  /** Skips the next token. Throws if it is not this operator. */
  expectOperator(text: string): void {
    if (!this.skipOperator(text)) throw this.unexpected(`expected '${text}'`);
  }

  /** Skips the next token and returns its text. Throws if it is not a name, or not the given one. */
  expectName(text?: string): string {
    if (this.current.kind !== 'name' || (text !== undefined && this.current.text !== text)) {
      throw this.unexpected(`expected ${text === undefined ? 'a name' : `'${text}'`}`);
    }
    return this.take().text;
  }

  /** Throws if the tag has more tokens. */
  expectEnd(): void {
    if (!this.isAtEnd) throw this.unexpected('expected the end of the tag');
  }

  /** Returns the error for a next token that is not expected. */
  unexpected(expectation: string): TemplateSyntaxError {
    const { kind, text, line } = this.current;
    return new TemplateSyntaxError(`${expectation}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, line);
  }
}
