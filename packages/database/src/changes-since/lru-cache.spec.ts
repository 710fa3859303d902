import { beforeEach, describe, expect, it } from 'vitest';
import { LruCache } from './lru-cache.js';

let entries: LruCache<string, { readonly byteLength: number }>;
beforeEach(() => {
  entries = new LruCache(10);
  for (const key of ['a', 'b', 'c']) entries.set(key, { byteLength: 3 });
});

const remainingKeys = () => ['a', 'b', 'c', 'd'].filter((key) => entries.peek(key) !== undefined);

describe('LruCache.set', () => {
  it('evicts the least recently used values', () => {
    entries.get('a');
    entries.peek('b');
    entries.set('d', { byteLength: 4 });
    expect(remainingKeys()).toEqual(['a', 'c', 'd']);
    expect(entries.byteLength).toBe(10);
  });

  it('counts only the new value when a value is replaced', () => {
    entries.set('a', { byteLength: 4 });
    expect(remainingKeys()).toEqual(['a', 'b', 'c']);
    expect(entries.byteLength).toBe(10);
  });

  it('stores no value that is larger than the limit', () => {
    entries.set('a', { byteLength: 11 });
    expect(remainingKeys()).toEqual(['b', 'c']);
    expect(entries.byteLength).toBe(6);
  });
});
