import type { Tx } from '@switchboard/database';
import type { MessageIdSearchParameters, MessageIdSearchProgress, MessageIdSearchMethod } from './walk-message-ids.js';
import type { NarrowTerm } from './parse-narrow-terms.js';
import { estimateSearchMatches, findMessageIdsMatchingSearches } from './find-search-matches.repository.js';
import { parseSearchTerms } from './search-terms.js';

/**
 * Number of matches that can be read from the search index in the time of checking one candidate message of another
 * index.
 */
const indexMatchesPerCandidateCheck = 2;

/**
 * Number of phrase matches that can be read in the time of {@link indexMatchesPerCandidateCheck}. This number is
 * smaller, because a phrase search must also read the matching texts.
 */
const phraseMatchesPerCandidateCheck = 0.5;

/** Number of search index matches that can be read without a noticeable increase of the cost of a request. */
const maxCheapIndexMatchCount = 4000;

/**
 * Reads all remaining matches of a search from the search index in one step, because that index has no order. Does not
 * use the search index if the realm is expected to contain too many matches.
 */
export class TextIndexMessageSearch implements MessageIdSearchMethod {
  isDoubtful = false;
  /** Maximum number of search index matches that all steps of the search together may read. */
  #allowed = maxCheapIndexMatchCount;
  #expected: number | undefined;
  readonly #perCandidate: number;

  constructor(
    private readonly tx: Tx,
    private readonly query: MessageIdSearchParameters,
    private readonly searches: readonly NarrowTerm[],
    private readonly position: MessageIdSearchProgress,
  ) {
    const hasPhrase = searches.some((term) => parseSearchTerms(term).literals.length > 0);
    this.#perCandidate = hasPhrase ? phraseMatchesPerCandidateCheck : indexMatchesPerCandidateCheck;
  }

  async advance(candidates: number): Promise<void> {
    this.#allowed += candidates * this.#perCandidate;
    this.#expected ??= await estimateSearchMatches(this.tx, this.searches);
    if (this.#expected > this.#allowed) return;
    // Estimates are wrong by small factors, and an attempt that stops early is wasted.
    const most = 2 * this.#allowed;
    const { found, cursor } = this.position;
    const rest = { ...this.query, beyond: cursor, limit: this.query.limit - found.length };
    const matches = await findMessageIdsMatchingSearches(this.tx, rest, this.searches, most);
    if (matches === null) {
      this.#expected = 2 * most;
      this.isDoubtful = true;
      return;
    }
    found.push(...matches);
    this.position.isDone = true;
  }
}
