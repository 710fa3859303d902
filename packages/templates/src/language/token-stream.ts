import { TemplateSyntaxError } from '../errors.js';
import type { Token } from './tokens.js';

/** Stream of the tokens of one template tag, read in order. */
export class TokenStream {
  #position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** The next token of the tag. After the last one this is always the end token. */
  get current(): Token {
    return this.ahead(0);
  }

  /** Returns the token of the tag that is the given number of places after the next one. */
  ahead(places: number): Token {
    return this.tokens[this.#position + places] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  /** Returns true if the next token is one of the given operators. */
  isOperator(...texts: readonly string[]): boolean {
    return this.current.kind === 'operator' && texts.includes(this.current.text);
  }

  /** Returns true if the next token is one of the given names. */
  isName(...texts: readonly string[]): boolean {
    return this.current.kind === 'name' && texts.includes(this.current.text);
  }

  /** True if all tokens of the tag were read. */
  get isAtEnd(): boolean {
    return this.current.kind === 'end';
  }

  /** Returns the next token of the tag and advances. */
  take(): Token {
    const token = this.current;
    this.#position += 1;
    return token;
  }

  /** Skips the next token if it is the given operator. Returns true if it was. */
  skipOperator(text: string): boolean {
    if (!this.isOperator(text)) return false;
    this.take();
    return true;
  }

  /** Skips the next token if it is the given name. Returns true if it was. */
  skipName(text: string): boolean {
    if (!this.isName(text)) return false;
    this.take();
    return true;
  }

  /** Skips the next token. Throws if it is not the given operator. */
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

  /** Returns the error for a next token that the syntax does not allow. */
  unexpected(expectation: string): TemplateSyntaxError {
    const { kind, text, line } = this.current;
    return new TemplateSyntaxError(`${expectation}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, line);
  }
}
