import type { Tx } from '@switchboard/database';
import type { MessageIdQuery, SearchPosition, MessageIdWalk } from './walk-message-ids.js';
import type { NarrowTerm } from './parse-narrow-terms.js';
import { estimateSearchMatches, findSearchMatches } from './find-search-matches.repository.js';
import { parseSearchTerms } from './search-terms.js';

/**
 * Number of matches that can be read from the search index in the time of checking one candidate message of another
 * index.
 */
const matchesPerCandidate = 2;

/**
 * Number of phrase matches that can be read in the time of {@link matchesPerCandidate}. This number is smaller, because
 * a phrase search must also read the matching texts.
 */
const phrasesPerCandidate = 0.5;

/** Number of search index matches that can be read without a noticeable increase of the cost of a request. */
const maxCheapMatchCount = 4000;

/**
 * Reads all remaining matches of a search from the search index in one step, because that index has no order. Does not
 * use the search index if the realm is expected to contain too many matches.
 */
export class SearchWalk implements MessageIdWalk {
  isDoubtful = false;
  /** Maximum number of search index matches that all steps of the search together may read. */
  #allowed = maxCheapMatchCount;
  #expected: number | undefined;
  readonly #perCandidate: number;

  constructor(
    private readonly tx: Tx,
    private readonly query: MessageIdQuery,
    private readonly searches: readonly NarrowTerm[],
    private readonly position: SearchPosition,
  ) {
    const hasPhrase = searches.some((term) => parseSearchTerms(term).literals.length > 0);
    this.#perCandidate = hasPhrase ? phrasesPerCandidate : matchesPerCandidate;
  }

  async advance(candidates: number): Promise<void> {
    this.#allowed += candidates * this.#perCandidate;
    this.#expected ??= await estimateSearchMatches(this.tx, this.searches);
    if (this.#expected > this.#allowed) return;
    // Estimates are wrong by small factors, and an attempt that stops early is wasted.
    const most = 2 * this.#allowed;
    const { found, cursor } = this.position;
    const rest = { ...this.query, beyond: cursor, limit: this.query.limit - found.length };
    const matches = await findSearchMatches(this.tx, rest, this.searches, most);
    if (matches === null) {
      this.#expected = 2 * most;
      this.isDoubtful = true;
      return;
    }
    found.push(...matches);
    this.position.isDone = true;
  }
}
