import type { Tx } from '@switchboard/database';
import { type IdQuery, StreamWalk, type Walk } from './candidate-walk.js';
import { idStreams } from './id-streams.js';
import { ReadMessagesWalk } from './read-walk.js';
import { SearchWalk } from './search-walk.js';
import { isSearchIndexed } from './search-matches.repository.js';

/** Minimum and maximum number of candidate messages that one statement checks. */
interface Windows {
  /** Number of candidates that the first statement checks. It is large enough to fill a page for most narrows. */
  readonly first: number;
  /** Maximum number of candidates that a statement checks. It is small enough that a statement ends soon. */
  readonly largest: number;
}

const usualWindows: Windows = { first: 500, largest: 200_000 };

/**
 * Factor by which each statement checks more candidates than the one before. With it, all statements before the last
 * together check only a fraction of what the last one does.
 */
const growth = 4;

/**
 * Returns the ids of the first messages of a narrow in order, up to its limit. A narrow can be read from several
 * indexes, and statistics do not show which of them is fastest. Therefore all of them are read alternately, by
 * statements that check more and more candidates. The first index that ends or has enough ids determines the result.
 * The cost is at most that of the fastest index times the number of indexes.
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
    // The walk that is closest to its end probably needs the fewest candidates.
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
