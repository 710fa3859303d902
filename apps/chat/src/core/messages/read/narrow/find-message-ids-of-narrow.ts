import type { Tx } from '@switchboard/database';
import {
  type MessageIdSearchParameters,
  MessageIdSearchProgress,
  IndexRangeMessageSearch,
  type MessageIdSearchMethod,
} from './walk-message-ids.js';
import { createNarrowMessageIdSources } from './narrow-index-ranges.js';
import { UnreadSkippingMessageSearch } from './walk-skipping-unread.js';
import { TextIndexMessageSearch } from './walk-search-index.js';
import { isSearchSupportedByIndex } from './find-search-matches.repository.js';

/** Minimum and maximum number of candidate messages that one SQL statement of a search checks. */
interface CandidateMessageWindowSizes {
  /**
   * Number of candidate messages that the first SQL statement checks. For most narrows (filters), this number suffices
   * to fill a page.
   */
  readonly first: number;
  /** Maximum number of candidate messages that one SQL statement checks. The limit makes each statement end soon. */
  readonly largest: number;
}

const defaultCandidateMessageWindowSizes: CandidateMessageWindowSizes = { first: 500, largest: 200_000 };

/**
 * Factor by which the number of checked candidate messages grows with each SQL statement. With this factor, all earlier
 * statements together check only a fraction of the candidates of the last statement.
 */
const candidateWindowGrowthFactor = 4;

/**
 * An index through which messages are searched, with its measured speed. The speed is the progress of the last step in
 * message ids per checked candidate.
 */
interface MessageIndexScanWithSpeed {
  readonly walk: MessageIdSearchMethod;
  /**
   * Measured speed of the search in message ids per candidate message. Equals {@link unmeasuredIndexScanSpeed} before
   * the first measurement.
   */
  speed: number;
}

const unmeasuredIndexScanSpeed = Number.MAX_VALUE;

/**
 * Returns the ids of the first messages that match a narrow (filter), in order, up to a limit. Several database indexes
 * can find these messages, and statistics do not show which index is fastest. Therefore the search reads all indexes
 * alternately, in ranges of growing size. Each index continues at the position that the previous index has reached.
 * Indexes with slower progress get smaller ranges. The search ends when one index has no further rows, or when enough
 * ids are found.
 *
 * @throws ApplicationError BAD_NARROW
 */
export async function findMessageIdsOfNarrow(
  tx: Tx,
  query: MessageIdSearchParameters,
  { first, largest }: CandidateMessageWindowSizes = defaultCandidateMessageWindowSizes,
): Promise<readonly number[]> {
  if (query.limit <= 0) return [];
  const position = new MessageIdSearchProgress(query.beyond);
  const walks = createMessageIndexScans(tx, query, position).map((walk): MessageIndexScanWithSpeed => ({
    walk,
    speed: unmeasuredIndexScanSpeed,
  }));
  const smallest = Math.max(first, 2 * query.limit);
  for (let window = smallest; ; window = Math.min(window * candidateWindowGrowthFactor, largest)) {
    const fastest = Math.max(0, ...walks.map(({ speed }) => speed).filter((speed) => speed < unmeasuredIndexScanSpeed));
    for (const each of walks.toSorted((a, b) => getIndexScanPriority(b) - getIndexScanPriority(a))) {
      const isSlow = 2 * each.speed < fastest;
      await advanceMeasuredIndexScan(
        each,
        isSlow ? Math.max(smallest, window / candidateWindowGrowthFactor) : window,
        position,
      );
      if (position.isDone || position.found.length >= query.limit) return position.found.slice(0, query.limit);
    }
  }
}

/** Returns the priority of a search through one index. The index with the highest priority is read in the next step. */
function getIndexScanPriority({ walk, speed }: MessageIndexScanWithSpeed): number {
  return walk.isDoubtful === true ? -1 : speed;
}

async function advanceMeasuredIndexScan(
  measured: MessageIndexScanWithSpeed,
  candidates: number,
  position: MessageIdSearchProgress,
): Promise<void> {
  const before = position.cursor;
  await measured.walk.advance(candidates);
  const { cursor, start } = position;
  const from = before ?? start;
  if (from !== null && cursor !== null && cursor !== from) measured.speed = Math.abs(cursor - from) / candidates;
}

function createMessageIndexScans(
  tx: Tx,
  query: MessageIdSearchParameters,
  position: MessageIdSearchProgress,
): MessageIdSearchMethod[] {
  const walks: MessageIdSearchMethod[] = createNarrowMessageIdSources(query.narrow).map((stream) => {
    const walk = new IndexRangeMessageSearch(tx, query, stream, position);
    const isSkipping = stream.kind === 'range' && stream.mayBeUnread === true;
    return isSkipping ? new UnreadSkippingMessageSearch(tx, query, walk, position) : walk;
  });
  const searches = query.narrow.terms.filter((term) => term.operator === 'search' && !term.negated);
  if (isSearchSupportedByIndex(searches)) walks.push(new TextIndexMessageSearch(tx, query, searches, position));
  return walks;
}
