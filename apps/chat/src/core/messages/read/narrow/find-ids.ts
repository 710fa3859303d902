import type { Tx } from '@switchboard/database';
import { type IdQuery, StreamWalk, type Walk } from './candidate-walk.js';
import { idStreams } from './id-streams.js';
import { ReadMessagesWalk } from './read-walk.js';
import { SearchWalk } from './search-walk.js';
import { isSearchIndexed } from './search-matches.repository.js';

/** Number of candidates checked in one statement. */
interface Windows {
  /** Minimum size of the first window, which fills a page for most narrows. */
  readonly first: number;
  /** A statement has to end soon. */
  readonly largest: number;
}

const usualWindows: Windows = { first: 500, largest: 200_000 };

/** Growth of windows: what was read before the last window is a fraction of it. */
const growth = 4;

/**
 * Ids of the messages of a narrow that come first, in order, and no more than its limit.
 *
 * A narrow can be read from several indexes, and which of them is the shortest way depends on how its parts overlap,
 * which statistics do not tell. All of them are read in turns, in windows that grow, and the first that ends or finds
 * enough decides: no narrow costs much more than all ways at the price of the cheapest.
 *
 * @throws AppError BAD_NARROW
 */
export async function findIds(
  tx: Tx,
  query: IdQuery,
  { first, largest }: Windows = usualWindows,
): Promise<readonly number[]> {
  if (query.limit <= 0) return [];
  const walks = walksOf(tx, query);
  for (let candidates = Math.max(first, 2 * query.limit); ; candidates = Math.min(candidates * growth, largest)) {
    // The one that came furthest needs the fewest candidates for the whole.
    for (const walk of walks.toSorted((a, b) => b.progress - a.progress)) {
      await walk.advance(candidates);
      if (walk.isDone || walk.found.length >= query.limit) return walk.found.slice(0, query.limit);
    }
  }
}

function walksOf(tx: Tx, query: IdQuery): Walk[] {
  const walks: Walk[] = idStreams(query.narrow).map((stream) => {
    const walk = new StreamWalk(tx, query, stream);
    return stream.kind === 'range' && stream.mayBeUnread === true ? new ReadMessagesWalk(tx, query, walk) : walk;
  });
  const searches = query.narrow.terms.filter((term) => term.operator === 'search' && !term.negated);
  if (isSearchIndexed(searches)) walks.push(new SearchWalk(tx, query, searches));
  return walks;
}
