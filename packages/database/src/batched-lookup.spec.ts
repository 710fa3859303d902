import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BatchedKeyLookup } from './batched-lookup.js';

describe('BatchedKeyLookup', () => {
  it('looks up the keys of one event loop iteration in one call, and returns each caller its result', async () => {
    const calls: (readonly number[])[] = [];
    const lookup = new BatchedKeyLookup(async (keys: readonly number[]) => {
      calls.push(keys);
      return keys.map((key) => key * 2);
    });
    expect(await Promise.all([1, 2, 2, 3].map((key) => lookup.lookUp(key)))).toEqual([2, 4, 4, 6]);
    expect(calls).toEqual([[1, 2, 2, 3]]);
  });

  it('collects keys into a batch while the maximum number of calls is running', async () => {
    const sizes: number[] = [];
    const lookup = new BatchedKeyLookup(
      async (keys: readonly number[]) => {
        sizes.push(keys.length);
        await delay(20);
        return keys;
      },
      { maxConcurrentCalls: 1, maxKeys: 4 },
    );
    const first = lookup.lookUp(0);
    await delay(5);
    const others = [1, 2, 3, 4, 5, 6].map(async (key) => {
      await delay(key);
      return lookup.lookUp(key);
    });
    expect(await Promise.all([first, ...others])).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(sizes).toEqual([1, 4, 2]);
  });

  it('rejects all callers of a failed call, and continues with the next call', async () => {
    let isBroken = true;
    const lookup = new BatchedKeyLookup(async (keys: readonly number[]) => {
      if (isBroken) throw new Error('away');
      return keys;
    });
    const outcomes = await Promise.allSettled([lookup.lookUp(1), lookup.lookUp(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await lookup.lookUp(3)).toBe(3);
  });
});
