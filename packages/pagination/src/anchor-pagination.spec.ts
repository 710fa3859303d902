import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toAnchorPageFlags,
  anchorSelectionSchema,
  type AnchorIdRanges,
  toAnchorIdRanges,
  newestAnchorId,
} from './index.js';

/** Returns the ids of a list that are in the ranges around an anchor, with the same result as an SQL query. */
function read({ before, ownId, after }: AnchorIdRanges, ids: readonly number[]): number[] {
  const sorted = ids.toSorted((a, b) => a - b);
  return [
    ...(before ? sorted.filter((id) => id < before.below).slice(-before.limit) : []),
    ...sorted.filter((id) => id === ownId),
    ...(after ? sorted.filter((id) => id > after.above).slice(0, after.limit) : []),
  ];
}

const ids = [10, 20, 30, 40, 50];
const rowsAroundAnchor = (numBefore: number, numAfter: number, includeAnchor = true) => ({
  numBefore,
  numAfter,
  includeAnchor,
});

describe('toAnchorIdRanges', () => {
  it.each([
    ['newest', rowsAroundAnchor(2, 9), [40, 50], { foundOldest: false, foundNewest: true, foundAnchor: false }],
    ['newest', rowsAroundAnchor(9, 0), ids, { foundOldest: true, foundNewest: true, foundAnchor: false }],
    ['oldest', rowsAroundAnchor(9, 2), [10, 20], { foundOldest: true, foundNewest: false, foundAnchor: false }],
    [30, rowsAroundAnchor(1, 1), [20, 30, 40], { foundOldest: false, foundNewest: false, foundAnchor: true }],
    [30, rowsAroundAnchor(2, 2), ids, { foundOldest: false, foundNewest: false, foundAnchor: true }],
    [30, rowsAroundAnchor(3, 3), ids, { foundOldest: true, foundNewest: true, foundAnchor: true }],
    [35, rowsAroundAnchor(1, 1), [30, 40], { foundOldest: false, foundNewest: false, foundAnchor: false }],
    [30, rowsAroundAnchor(0, 0), [30], { foundOldest: false, foundNewest: false, foundAnchor: true }],
    [30, rowsAroundAnchor(1, 0, false), [20], { foundOldest: false, foundNewest: false, foundAnchor: false }],
    [-5, rowsAroundAnchor(1, 1), [10], { foundOldest: true, foundNewest: false, foundAnchor: false }],
    [1e17, rowsAroundAnchor(1, 1), [50], { foundOldest: false, foundNewest: true, foundAnchor: false }],
  ] as const)('selects for anchor %s with %j the rows %j and the flags %j', (anchor, selection, expected, flags) => {
    const window = toAnchorIdRanges(anchor, selection);
    const found = read(window, ids);
    expect(found).toEqual(expected);
    expect(toAnchorPageFlags(window, found)).toEqual(flags);
  });

  it('represents the anchor newest by a number greater than every id', () => {
    expect(toAnchorIdRanges('newest', rowsAroundAnchor(1, 0)).anchor).toBe(newestAnchorId);
    expect(String(newestAnchorId)).toBe('10000000000000000');
  });

  it('accepts the exclusion of the anchor row only if rows of one side are requested', () => {
    expect(anchorSelectionSchema.safeParse(rowsAroundAnchor(1, 1, false)).success).toBe(false);
    expect(anchorSelectionSchema.safeParse(rowsAroundAnchor(0, 1, false)).success).toBe(true);
    expect(anchorSelectionSchema.safeParse(rowsAroundAnchor(1, 1, true)).success).toBe(true);
  });
});

describe('toAnchorPageFlags', () => {
  const id = fc.integer({ min: 1, max: 60 });
  const anyIds = fc.uniqueArray(id, { maxLength: 40 });
  const anyAnchor = fc.oneof(id, fc.constantFrom('oldest' as const, 'newest' as const));
  const anySelection = fc.record({
    numBefore: fc.integer({ min: 0, max: 10 }),
    numAfter: fc.integer({ min: 0, max: 10 }),
    includeAnchor: fc.constant(true),
  });

  it('reports no end of the list while rows exist beyond the page', () => {
    fc.assert(
      fc.property(anyIds, anyAnchor, anySelection, (all, anchor, selection) => {
        const window = toAnchorIdRanges(anchor, selection);
        const found = read(window, all);
        const flags = toAnchorPageFlags(window, found);
        fc.pre(found.length > 0);
        const isBeyond = (value: number) =>
          (flags.foundOldest && value < Math.min(...found)) || (flags.foundNewest && value > Math.max(...found));
        expect(all.filter(isBeyond)).toEqual([]);
      }),
    );
  });

  it('lets a client read each row exactly once in adjacent windows', () => {
    fc.assert(
      fc.property(anyIds, fc.integer({ min: 1, max: 7 }), (all, numAfter) => {
        const seen: number[] = [];
        let window = toAnchorIdRanges('oldest', rowsAroundAnchor(0, numAfter));
        for (;;) {
          const found = read(window, all);
          seen.push(...found);
          const last = found.at(-1);
          if (toAnchorPageFlags(window, found).foundNewest || last === undefined) break;
          window = toAnchorIdRanges(last, rowsAroundAnchor(0, numAfter, false));
        }
        expect(seen).toEqual(all.toSorted((a, b) => a - b));
      }),
    );
  });
});
