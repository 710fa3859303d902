import { z } from 'zod';

/** An anchor past every message, for `newest` (docs/contract/chat.md 5.5). */
export const newestAnchor = 10 ** 16;

/**
 * Number of rows to show around an anchor. Leaving the anchor's own row out makes sense on one side only
 * (docs/contract/chat.md 5.5).
 */
export const anchorSelection = z
  .object({ numBefore: z.int().nonnegative(), numAfter: z.int().nonnegative(), includeAnchor: z.boolean() })
  .refine(({ numBefore, numAfter, includeAnchor }) => includeAnchor || numBefore === 0 || numAfter === 0, {
    error: 'The anchor can only be excluded at an end of the range',
    path: ['includeAnchor'],
  });

/** See {@link anchorSelection}. */
export type AnchorSelection = z.output<typeof anchorSelection>;

/** Which rows to read, all by id; each part is null when nothing is to be read there. */
export interface AnchorWindow {
  /** The anchor as a number, for the response. */
  readonly anchor: number;
  /** The `limit` greatest ids below `below`. */
  readonly before: { readonly below: number; readonly limit: number } | null;
  /** The one id of the anchor, whether or not such a row exists. */
  readonly at: number | null;
  /** The `limit` smallest ids above `above`. */
  readonly after: { readonly above: number; readonly limit: number } | null;
  /** The window starts at the oldest row by its definition. */
  readonly anchoredLeft: boolean;
  /** The window ends at the newest row by its definition. */
  readonly anchoredRight: boolean;
}

/** Facts about the whole range that follow from the rows found. */
export interface AnchorFlags {
  /** Nothing is older than the rows found. */
  readonly foundOldest: boolean;
  /** Nothing is newer than the rows found. */
  readonly foundNewest: boolean;
  /** The anchor's own row is among them. */
  readonly foundAnchor: boolean;
}

/**
 * Turns an anchor into the id ranges to read (docs/contract/chat.md 5.5). Ids outside 0 to 10^16 are clamped; the two
 * ends mean `oldest` and `newest`. Anchors that need a look-up (first unread, a date) are given as the id found, or as
 * `newest` when none was.
 *
 * @param anchor an integer, or an end.
 */
export function anchorWindow(anchor: number | 'oldest' | 'newest', selection: AnchorSelection): AnchorWindow {
  const id = anchor === 'oldest' ? 0 : anchor === 'newest' ? newestAnchor : Math.min(Math.max(anchor, 0), newestAnchor);
  const anchoredLeft = id === 0;
  const anchoredRight = id === newestAnchor;
  const { numBefore, numAfter, includeAnchor } = selection;
  return {
    anchor: id,
    before: numBefore > 0 && !anchoredLeft ? { below: id, limit: numBefore } : null,
    // No message has the id of an end.
    at: includeAnchor && !anchoredLeft && !anchoredRight ? id : null,
    after: numAfter > 0 && !anchoredRight ? { above: id, limit: numAfter } : null,
    anchoredLeft,
    anchoredRight,
  };
}

/**
 * Derives facts about the range from the ids found for a window (docs/contract/chat.md 5.5). A side of which no row was
 * asked proves nothing.
 *
 * @param ids all ids found, in any order.
 */
export function anchorFlags(window: AnchorWindow, ids: readonly number[]): AnchorFlags {
  const { anchor, before, at, after, anchoredLeft, anchoredRight } = window;
  const found = { before: 0, at: 0, after: 0 };
  for (const id of ids) found[id < anchor ? 'before' : id > anchor ? 'after' : 'at'] += 1;
  return {
    foundOldest: anchoredLeft || (before !== null && found.before < before.limit),
    foundNewest: anchoredRight || (after !== null && found.after < after.limit),
    foundAnchor: at !== null && found.at > 0,
  };
}
