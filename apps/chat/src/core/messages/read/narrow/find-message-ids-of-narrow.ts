import type { Tx } from '@switchboard/database';
import { type MessageIdQuery, SearchPosition, IndexRangeWalk, type MessageIdWalk } from './walk-message-ids.js';
import { createNarrowIdStreams } from './narrow-index-ranges.js';
import { SkipUnreadWalk } from './walk-skipping-unread.js';
import { SearchWalk } from './walk-search-index.js';
import { isSearchIndexed } from './find-search-matches.repository.js';

/** Minimum and maximum number of candidate messages that one SQL statement of a search checks. */
interface IndexWindowSizes {
  /**
   * Number of candidate messages that the first SQL statement checks. For most narrows (filters), this number suffices
   * to fill a page.
   */
  readonly first: number;
  /** Maximum number of candidate messages that one SQL statement checks. The limit makes each statement end soon. */
  readonly largest: number;
}

const defaultIndexWindowSizes: IndexWindowSizes = { first: 500, largest: 200_000 };

/**
 * Factor by which the number of checked candidate messages grows with each SQL statement. With this factor, all earlier
 * statements together check only a fraction of the candidates of the last statement.
 */
const windowGrowthFactor = 4;

/**
 * An index through which messages are searched, with its measured speed. The speed is the progress of the last step in
 * message ids per checked candidate.
 */
interface MeasuredWalk {
  readonly walk: MessageIdWalk;
  /**
   * Measured speed of the search in message ids per candidate message. Equals {@link unmeasuredWalkSpeed} before the
   * first measurement.
   */
  speed: number;
}

const unmeasuredWalkSpeed = Number.MAX_VALUE;

/**
 * Returns the ids of the first messages that match a narrow (filter), in order, up to a limit. Several database indexes
 * can find these messages, and statistics do not show which index is fastest. Therefore the search reads all indexes
 * alternately, in ranges of growing size. Each index continues at the position that the previous index has reached.
 * Indexes with slower progress get smaller ranges. The search ends when one index has no further rows, or when enough
 * ids are found.
 *
 * @throws AppError BAD_NARROW
 */
export async function findMessageIds(
  tx: Tx,
  query: MessageIdQuery,
  { first, largest }: IndexWindowSizes = defaultIndexWindowSizes,
): Promise<readonly number[]> {
  if (query.limit <= 0) return [];
  const position = new SearchPosition(query.beyond);
  const walks = createMessageIdWalks(tx, query, position).map((walk): MeasuredWalk => ({
    walk,
    speed: unmeasuredWalkSpeed,
  }));
  const smallest = Math.max(first, 2 * query.limit);
  for (let window = smallest; ; window = Math.min(window * windowGrowthFactor, largest)) {
    const fastest = Math.max(0, ...walks.map(({ speed }) => speed).filter((speed) => speed < unmeasuredWalkSpeed));
    for (const each of walks.toSorted((a, b) => getWalkPriority(b) - getWalkPriority(a))) {
      const isSlow = 2 * each.speed < fastest;
      await advanceMeasuredWalk(each, isSlow ? Math.max(smallest, window / windowGrowthFactor) : window, position);
      if (position.isDone || position.found.length >= query.limit) return position.found.slice(0, query.limit);
    }
  }
}

/** Returns the priority of a search through one index. The index with the highest priority is read in the next step. */
function getWalkPriority({ walk, speed }: MeasuredWalk): number {
  return walk.isDoubtful === true ? -1 : speed;
}

async function advanceMeasuredWalk(
  measured: MeasuredWalk,
  candidates: number,
  position: SearchPosition,
): Promise<void> {
  const before = position.cursor;
  await measured.walk.advance(candidates);
  const { cursor, start } = position;
  const from = before ?? start;
  if (from !== null && cursor !== null && cursor !== from) measured.speed = Math.abs(cursor - from) / candidates;
}

function createMessageIdWalks(tx: Tx, query: MessageIdQuery, position: SearchPosition): MessageIdWalk[] {
  const walks: MessageIdWalk[] = createNarrowIdStreams(query.narrow).map((stream) => {
    const walk = new IndexRangeWalk(tx, query, stream, position);
    const isSkipping = stream.kind === 'range' && stream.mayBeUnread === true;
    return isSkipping ? new SkipUnreadWalk(tx, query, walk, position) : walk;
  });
  const searches = query.narrow.terms.filter((term) => term.operator === 'search' && !term.negated);
  if (isSearchIndexed(searches)) walks.push(new SearchWalk(tx, query, searches, position));
  return walks;
}
