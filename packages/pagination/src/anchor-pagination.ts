import { z } from 'zod';

/** Number that represents the anchor `newest`. It is greater than every message id (docs/contract/chat.md 5.5). */
export const newestAnchorId = 10 ** 16;

/**
 * Schema of the query parameters that select the numbers of rows before and after an anchor. The anchor's own row can
 * be excluded only if rows are requested on at most one side of the anchor (docs/contract/chat.md 5.5).
 */
export const anchorSelectionSchema = z
  .object({ numBefore: z.int().nonnegative(), numAfter: z.int().nonnegative(), includeAnchor: z.boolean() })
  .refine(({ numBefore, numAfter, includeAnchor }) => includeAnchor || numBefore === 0 || numAfter === 0, {
    error: 'The anchor can only be excluded at an end of the range',
    path: ['includeAnchor'],
  });

/** Requested numbers of rows before and after an anchor; see {@link anchorSelectionSchema}. */
export type AnchorSelection = z.output<typeof anchorSelectionSchema>;

/** Ids of the rows to read around an anchor, as three ranges. A range is null if no rows are requested in it. */
export interface AnchorIdRanges {
  /** Id of the anchor, which the response contains. */
  readonly anchor: number;
  /** Range of older rows: the `limit` greatest ids less than `below`; null if no older rows are requested. */
  readonly before: { readonly below: number; readonly limit: number } | null;
  /** Id of the anchor's own row; null if this row is excluded. A row with this id may not exist. */
  readonly ownId: number | null;
  /** Range of newer rows: the `limit` smallest ids greater than `above`; null if no newer rows are requested. */
  readonly after: { readonly above: number; readonly limit: number } | null;
  /** True if the anchor is `oldest`, the oldest end of the list, so that no older rows can exist. */
  readonly anchoredLeft: boolean;
  /** True if the anchor is `newest`, the newest end of the list, so that no newer rows can exist. */
  readonly anchoredRight: boolean;
}

/** Properties of the whole list that can be derived from the rows found around an anchor. */
export interface AnchorPageFlags {
  /** True if the found rows include the oldest row of the list. */
  readonly foundOldest: boolean;
  /** True if the found rows include the newest row of the list. */
  readonly foundNewest: boolean;
  /** True if the anchor's own row was found. */
  readonly foundAnchor: boolean;
}

/**
 * Returns the id ranges of the rows to read around an anchor (docs/contract/chat.md 5.5). Ids are limited to 0 to
 * 10^16, and these two values mean `oldest` and `newest`. For an anchor that needs a lookup (first unread message, a
 * date), the caller passes the found id. If no id was found, the caller passes `newest`.
 *
 * @param anchor an integer, or an end of the list
 */
export function toAnchorIdRanges(anchor: number | 'oldest' | 'newest', selection: AnchorSelection): AnchorIdRanges {
  const id =
    anchor === 'oldest' ? 0 : anchor === 'newest' ? newestAnchorId : Math.min(Math.max(anchor, 0), newestAnchorId);
  const anchoredLeft = id === 0;
  const anchoredRight = id === newestAnchorId;
  const { numBefore, numAfter, includeAnchor } = selection;
  return {
    anchor: id,
    before: numBefore > 0 && !anchoredLeft ? { below: id, limit: numBefore } : null,
    // No message has the id of an end of the list.
    ownId: includeAnchor && !anchoredLeft && !anchoredRight ? id : null,
    after: numAfter > 0 && !anchoredRight ? { above: id, limit: numAfter } : null,
    anchoredLeft,
    anchoredRight,
  };
}

/**
 * Returns properties of the whole list that follow from the ids found around an anchor (docs/contract/chat.md 5.5). If
 * no rows were requested on one side of the anchor, nothing is known about the end of the list on that side.
 *
 * @param ids all ids found, in any order
 */
export function toAnchorPageFlags(window: AnchorIdRanges, ids: readonly number[]): AnchorPageFlags {
  const { anchor, before, ownId, after, anchoredLeft, anchoredRight } = window;
  const found = { before: 0, at: 0, after: 0 };
  for (const id of ids) found[id < anchor ? 'before' : id > anchor ? 'after' : 'at'] += 1;
  return {
    foundOldest: anchoredLeft || (before !== null && found.before < before.limit),
    foundNewest: anchoredRight || (after !== null && found.after < after.limit),
    foundAnchor: ownId !== null && found.at > 0,
  };
}
