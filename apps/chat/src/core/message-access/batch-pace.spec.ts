import { systemClock } from '@switchboard/platform';
import { describe, expect, it } from 'vitest';
import { BatchPace } from './index.js';

/** Returns the sizes after full or partial batches that locked their channel for so many milliseconds. */
function sizesAfter(batches: readonly (readonly [ms: number, isFull: boolean])[]): number[] {
  let now = 0;
  const pace = new BatchPace({ ...systemClock, now: () => now }, { messages: 160, rows: 1_600 });
  return batches.map(([ms, isFull]) => {
    pace.locked();
    now += ms;
    pace.committed(isFull);
    expect(pace.size.rows).toBe(pace.size.messages * 10);
    return pace.size.messages;
  });
}

describe('BatchPace', () => {
  it('halves the next batch each time a batch locked its channel too long', () => {
    expect(sizesAfter([[100, true]])).toEqual([160]);
    expect(sizesAfter([[150, true]])).toEqual([80]);
    expect(sizesAfter([[350, false]])).toEqual([40]);
    expect(sizesAfter([[60_000, true]])).toEqual([20]);
  });

  it('doubles the next batch after a short one, up to the maximum size', () => {
    const long = [60_000, true] as const;
    const short = [39, true] as const;
    expect(sizesAfter([long, short, short, short, short])).toEqual([20, 40, 80, 160, 160]);
  });

  it('does not grow after a short batch that was not full', () => {
    expect(
      sizesAfter([
        [150, true],
        [1, false],
        [50, true],
      ]),
    ).toEqual([80, 80, 80]);
  });
});
