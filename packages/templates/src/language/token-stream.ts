import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateToken } from './expression-tokens.js';

/** Stream of the tokens of one template tag, which are read in order. */
export class TokenStream {
  #position = 0;

  constructor(private readonly tokens: readonly TemplateToken[]) {}

  /** Next token of the template tag. After the last token, the value is always the end token. */
  get current(): TemplateToken {
    return this.tokenAhead(0);
  }

  /** Returns the token of the template tag that is the given number of places after the next token. */
  tokenAhead(places: number): TemplateToken {
    return this.tokens[this.#position + places] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  /** Returns true if the next token of the template tag is one of the given operators. */
  isOperator(...texts: readonly string[]): boolean {
    return this.current.kind === 'operator' && texts.includes(this.current.text);
  }

  /** Returns true if the next token of the template tag is one of the given names. */
  isName(...texts: readonly string[]): boolean {
    return this.current.kind === 'name' && texts.includes(this.current.text);
  }

  /** True if all tokens of the tag were read. */
  get isAtEnd(): boolean {
    return this.current.kind === 'end';
  }

  /** Returns the next token of the template tag and advances to the following token. */
  takeToken(): TemplateToken {
    const token = this.current;
    this.#position += 1;
    return token;
  }

  /**
   * Skips the next token of the template tag if the token is the given operator. Returns true if a token was skipped.
   */
  skipOperator(text: string): boolean {
    if (!this.isOperator(text)) return false;
    this.takeToken();
    return true;
  }

  /** Skips the next token of the template tag if the token is the given name. Returns true if a token was skipped. */
  skipName(text: string): boolean {
    if (!this.isName(text)) return false;
    this.takeToken();
    return true;
  }

  /** Skips the next token of the template tag. Throws if the token is not the given operator. */
  expectOperator(text: string): void {
    if (!this.skipOperator(text)) throw this.unexpectedTokenError(`expected '${text}'`);
  }

  /**
   * Skips the next token of the template tag and returns the token's text. Throws if the token is not a name, or
   * differs from the given name.
   */
  expectName(text?: string): string {
    if (this.current.kind !== 'name' || (text !== undefined && this.current.text !== text)) {
      throw this.unexpectedTokenError(`expected ${text === undefined ? 'a name' : `'${text}'`}`);
    }
    return this.takeToken().text;
  }

  /** Throws an error if the template tag has more tokens. */
  expectEnd(): void {
    if (!this.isAtEnd) throw this.unexpectedTokenError('expected the end of the tag');
  }

  /** Creates the syntax error for a next token that the template syntax does not allow at this position. */
  unexpectedTokenError(expectation: string): TemplateSyntaxError {
    const { kind, text, line } = this.current;
    return new TemplateSyntaxError(`${expectation}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, line);
  }
}
