import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateToken } from './expression-tokens.js';

/** Stream of the tokens of one template tag, which are read in order. */
export class TemplateTokenReader {
  #position = 0;

  constructor(private readonly tokens: readonly TemplateToken[]) {}

  /** Next token of the template tag. After the last token, the value is always the end token. */
  get nextToken(): TemplateToken {
    return this.getTokenAhead(0);
  }

  /** Returns the token of the template tag that is the given number of places after the next token. */
  getTokenAhead(places: number): TemplateToken {
    return this.tokens[this.#position + places] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  /** Returns true if the next token of the template tag is one of the given operators. */
  isNextTokenOperator(...texts: readonly string[]): boolean {
    return this.nextToken.kind === 'operator' && texts.includes(this.nextToken.text);
  }

  /** Returns true if the next token of the template tag is one of the given names. */
  isNextTokenName(...texts: readonly string[]): boolean {
    return this.nextToken.kind === 'name' && texts.includes(this.nextToken.text);
  }

  /** True if all tokens of the tag were read. */
  get isAtEnd(): boolean {
    return this.nextToken.kind === 'end';
  }

  /** Returns the next token of the template tag and advances to the following token. */
  readNextToken(): TemplateToken {
    const token = this.nextToken;
    this.#position += 1;
    return token;
  }

  /**
   * Skips the next token of the template tag if the token is the given operator. Returns true if a token was skipped.
   */
  skipOperator(text: string): boolean {
    if (!this.isNextTokenOperator(text)) return false;
    this.readNextToken();
    return true;
  }

  /** Skips the next token of the template tag if the token is the given name. Returns true if a token was skipped. */
  skipName(text: string): boolean {
    if (!this.isNextTokenName(text)) return false;
    this.readNextToken();
    return true;
  }

  /** Skips the next token of the template tag. Throws if the token is not the given operator. */
  requireOperator(text: string): void {
    if (!this.skipOperator(text)) throw this.createUnexpectedTokenError(`expected '${text}'`);
  }

  /**
   * Skips the next token of the template tag and returns the token's text. Throws if the token is not a name, or
   * differs from the given name.
   */
  requireName(text?: string): string {
    if (this.nextToken.kind !== 'name' || (text !== undefined && this.nextToken.text !== text)) {
      throw this.createUnexpectedTokenError(`expected ${text === undefined ? 'a name' : `'${text}'`}`);
    }
    return this.readNextToken().text;
  }

  /** Throws an error if the template tag has more tokens. */
  requireEndOfTag(): void {
    if (!this.isAtEnd) throw this.createUnexpectedTokenError('expected the end of the tag');
  }

  /** Creates the syntax error for a next token that the template syntax does not allow at this position. */
  createUnexpectedTokenError(expectation: string): TemplateSyntaxError {
    const { kind, text, line } = this.nextToken;
    return new TemplateSyntaxError(`${expectation}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, line);
  }
}
