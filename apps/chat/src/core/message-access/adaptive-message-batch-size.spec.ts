import { systemClock } from '@switchboard/platform';
import { describe, expect, it } from 'vitest';
import { AdaptiveMessageBatchSize } from './index.js';

/**
 * Simulates batches that lock the channel for the given times in milliseconds. Returns the maximum batch size after
 * each batch.
 */
function sizesAfter(batches: readonly (readonly [ms: number, isFull: boolean])[]): number[] {
  let now = 0;
  const pace = new AdaptiveMessageBatchSize({ ...systemClock, now: () => now }, { messages: 160, rows: 1_600 });
  return batches.map(([ms, isFull]) => {
    pace.recordLockTime();
    now += ms;
    pace.adaptSizeAfterCommit(isFull);
    expect(pace.size.rows).toBe(pace.size.messages * 10);
    return pace.size.messages;
  });
}

describe('AdaptiveMessageBatchSize', () => {
  it('computes the next batch size from the lock time of the last batch, with 100 ms as target', () => {
    expect(sizesAfter([[100, true]])).toEqual([160]);
    expect(sizesAfter([[125, true]])).toEqual([128]);
    expect(sizesAfter([[200, false]])).toEqual([80]);
    expect(sizesAfter([[60_000, true]])).toEqual([40]);
  });

  it('doubles the batch size at most after a fast batch, up to the maximum', () => {
    expect(
      sizesAfter([
        [60_000, true],
        [80, true],
        [1, true],
        [0, true],
        [0, true],
      ]),
    ).toEqual([40, 50, 100, 160, 160]);
  });

  it('computes the next batch size from the size of the batch that was measured, not from the current size', () => {
    let now = 0;
    const pace = new AdaptiveMessageBatchSize({ ...systemClock, now: () => now }, { messages: 160, rows: 1_600 });
    const { size } = pace;
    const messages = [1, 2].map(() => {
      pace.recordLockTime();
      now += 200;
      pace.adaptSizeAfterCommit(true, size);
      return pace.size.messages;
    });
    expect(messages).toEqual([80, 80]);
  });

  it('does not increase the batch size after a fast batch that contained fewer messages than allowed', () => {
    expect(
      sizesAfter([
        [200, true],
        [1, false],
        [100, true],
      ]),
    ).toEqual([80, 80, 80]);
  });
});
