import type { Tx } from '@switchboard/database';
import { type IdQuery, StreamWalk, type Walk } from './candidate-walk.js';
import { idStreams } from './id-streams.js';
import { SearchWalk } from './search-walk.js';
import { isSearchIndexed } from './search-matches.repository.js';

/** Candidates of the first window, at least. Most narrows fill a page from it. */
const firstWindow = 500;
/** Growth of windows: what was read before the last window is a fraction of it. */
const growth = 4;
/** A window is one statement, which has to end soon. */
const largestWindow = 200_000;

/**
 * Ids of the messages of a narrow that come first, in order, and no more than its limit.
 *
 * A narrow can be read from several indexes, and which of them is the shortest way depends on how its parts overlap,
 * which statistics do not tell. All of them are read in turns, in windows that grow, and the first that ends or finds
 * enough decides: no narrow costs much more than all ways at the price of the cheapest.
 *
 * @throws AppError BAD_NARROW
 */
export async function findIds(tx: Tx, query: IdQuery): Promise<readonly number[]> {
  if (query.limit <= 0) return [];
  const walks = walksOf(tx, query);
  for (
    let candidates = Math.max(firstWindow, 2 * query.limit);
    ;
    candidates = Math.min(candidates * growth, largestWindow)
  ) {
    // The one that came furthest needs the fewest candidates for the whole.
    for (const walk of walks.toSorted((a, b) => b.progress - a.progress)) {
      await walk.advance(candidates);
      if (walk.isDone || walk.found.length >= query.limit) return walk.found.slice(0, query.limit);
    }
  }
}

function walksOf(tx: Tx, query: IdQuery): Walk[] {
  const walks: Walk[] = idStreams(query.narrow).map((stream) => new StreamWalk(tx, query, stream));
  const searches = query.narrow.terms.filter((term) => term.operator === 'search' && !term.negated);
  if (isSearchIndexed(searches)) walks.push(new SearchWalk(tx, query, searches));
  return walks;
}
