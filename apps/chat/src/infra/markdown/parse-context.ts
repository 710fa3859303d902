import { LinkifierBudget } from './linkifiers.js';
import type { Env } from './tokens.js';
import { plainRealm, type RealmContent } from './realm-content.js';

/** Amounts of costly work that one message may ask for. What exceeds them is shown as its source. */
const budgets = { formulas: 100, formulaCharacters: 2000, highlightedCharacters: 6000 } as const;

/** State that the rules of one parse share. */
export class ParseContext {
  readonly #left: Record<keyof typeof budgets, number> = { ...budgets };

  readonly linkifierBudget = new LinkifierBudget();

  constructor(readonly realm: RealmContent) {}

  /** Subtracts work from the budget; returns false, without a change, if it does not suffice. */
  spend(work: keyof typeof budgets, amount: number): boolean {
    if (this.#left[work] < amount) return false;
    this.#left[work] -= amount;
    return true;
  }
}

const key = Symbol('parse context');

/** The environment of a parse, from which {@link contextOf} reads its context. */
export function environmentOf(context: ParseContext): Env {
  return { [key]: context };
}

/** The context of the parse that an environment belongs to. */
export function contextOf(env: Env): ParseContext {
  const context = env[key];
  return context instanceof ParseContext ? context : new ParseContext(plainRealm);
}
