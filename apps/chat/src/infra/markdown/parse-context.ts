import { LinkifierWorkBudget } from './linkifiers.js';
import type { MarkdownEnvironment } from './create-markdown-tokens.js';
import { defaultRealmMarkdownSettings, type RealmMarkdownRenderingSettings } from './realm-markdown-content.js';

/** Limits of expensive work for the rendering of one message. Content beyond the limits is shown as Markdown source. */
const parsingWorkLimitsPerMessage = { formulas: 100, formulaCharacters: 2000, highlightedCharacters: 6000 } as const;

/** State that the Markdown rules share while one message is parsed. */
export class ParseContext {
  readonly #left: Record<keyof typeof parsingWorkLimitsPerMessage, number> = { ...parsingWorkLimitsPerMessage };

  readonly linkifierBudget = new LinkifierWorkBudget();

  constructor(readonly realm: RealmMarkdownRenderingSettings) {}

  /**
   * Subtracts an amount of parsing work from the message's budget. Returns false, and subtracts nothing, if the budget
   * does not suffice.
   */
  subtractParsingWorkFromBudget(work: keyof typeof parsingWorkLimitsPerMessage, amount: number): boolean {
    if (this.#left[work] < amount) return false;
    this.#left[work] -= amount;
    return true;
  }
}

const parsingContextKey = Symbol('parse context');

/** Returns an environment object of markdown-it that contains the given parse context, see {@link getParseContext}. */
export function createMarkdownEnvironment(context: ParseContext): MarkdownEnvironment {
  return { [parsingContextKey]: context };
}

/** Returns the parse context that an environment object of markdown-it contains. */
export function getParseContext(env: MarkdownEnvironment): ParseContext {
  const context = env[parsingContextKey];
  return context instanceof ParseContext ? context : new ParseContext(defaultRealmMarkdownSettings);
}
