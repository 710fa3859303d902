import { beforeEach, describe, expect, it } from 'vitest';
import { LeastRecentlyUsedCache } from './lru-cache.js';

let entries: LeastRecentlyUsedCache<string, { readonly byteLength: number }>;
beforeEach(() => {
  entries = new LeastRecentlyUsedCache(10);
  for (const key of ['a', 'b', 'c']) entries.setCachedValue(key, { byteLength: 3 });
});

const remainingKeys = () => ['a', 'b', 'c', 'd'].filter((key) => entries.getWithoutMarkingUsed(key) !== undefined);

describe('LeastRecentlyUsedCache.set', () => {
  it('evicts the least recently used values', () => {
    entries.getAndMarkRecentlyUsed('a');
    entries.getWithoutMarkingUsed('b');
    entries.setCachedValue('d', { byteLength: 4 });
    expect(remainingKeys()).toEqual(['a', 'c', 'd']);
    expect(entries.byteLength).toBe(10);
  });

  it('counts only the new value when a value is replaced', () => {
    entries.setCachedValue('a', { byteLength: 4 });
    expect(remainingKeys()).toEqual(['a', 'b', 'c']);
    expect(entries.byteLength).toBe(10);
  });

  it('stores no value that is larger than the limit', () => {
    entries.setCachedValue('a', { byteLength: 11 });
    expect(remainingKeys()).toEqual(['b', 'c']);
    expect(entries.byteLength).toBe(6);
  });
});
