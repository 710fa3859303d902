import { LinkifierBudget } from './linkifiers.js';
import type { MarkdownEnvironment } from './create-markdown-tokens.js';
import { defaultRealmContent, type RealmContent } from './realm-markdown-content.js';

/** Limits of costly work for rendering one message. Content beyond them is shown as source. */
const parsingWorkLimits = { formulas: 100, formulaCharacters: 2000, highlightedCharacters: 6000 } as const;

/** State that the Markdown rules share while one message is parsed. */
export class ParseContext {
  readonly #left: Record<keyof typeof parsingWorkLimits, number> = { ...parsingWorkLimits };

  readonly linkifierBudget = new LinkifierBudget();

  constructor(readonly realm: RealmContent) {}

  /** Subtracts work from the message's budget. Returns false, without a change, if the budget does not suffice. */
  countParsingWork(work: keyof typeof parsingWorkLimits, amount: number): boolean {
    if (this.#left[work] < amount) return false;
    this.#left[work] -= amount;
    return true;
  }
}

const parsingContextKey = Symbol('parse context');

/** Returns a markdown-it environment for parsing with this context, see {@link getParseContext}. */
export function createMarkdownEnvironment(context: ParseContext): MarkdownEnvironment {
  return { [parsingContextKey]: context };
}

/** Returns the context that a markdown-it environment contains. */
export function getParseContext(env: MarkdownEnvironment): ParseContext {
  const context = env[parsingContextKey];
  return context instanceof ParseContext ? context : new ParseContext(defaultRealmContent);
}
