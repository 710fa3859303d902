import { describe, expect, it } from 'vitest';
import { LinkedList } from '../src/event-log/linked-list.js';
import { MapWithReusableCollections } from '../src/event-log/reused-collection-map.js';

describe('linked list of the event log', () => {
  it('iterates members in order of arrival, after any removals', () => {
    const list = new LinkedList<number>();
    const links = Array.from({ length: 6 }, (_, index) => list.appendValue(index));
    for (const left of [0, 3, 5, 3]) links[left]?.removeFromList();
    expect(list.toArray()).toEqual([1, 2, 4]);
    expect(list.size).toBe(3);
    links.push(list.appendValue(6));
    expect(list.toArray()).toEqual([1, 2, 4, 6]);
    const copied = new Set([9]);
    list.addValuesToSet(copied);
    expect([...copied]).toEqual([9, 1, 2, 4, 6]);
    for (const link of links) link.removeFromList();
    expect(list.toArray()).toEqual([]);
    expect(list.size).toBe(0);
    list.appendValue(7);
    expect(list.toArray()).toEqual([7]);
  });

  it('clears the references of a removed member', () => {
    const list = new LinkedList<string>();
    const [before, left, after] = [list.appendValue('before'), list.appendValue('left'), list.appendValue('after')];
    left.removeFromList();
    expect(Object.values(left).filter((value) => value !== null)).toEqual(['left']);
    expect(before.next).toBe(after);
  });
});

describe('pooled map of the event log', () => {
  it('retains up to a thousand empty collections for reuse, in addition to collections in use', () => {
    const map = new MapWithReusableCollections<number, { full: boolean }>(
      () => ({ full: false }),
      ({ full }) => !full,
    );
    const first = map.getOrCreateCollection(0);
    expect(map.getOrCreateCollection(0)).toBe(first);
    expect(map.findCollection(1)).toBeUndefined();
    for (let key = 0; key < 500; key += 1) map.getOrCreateCollection(key).full = true;
    for (let key = 500; key < 50_000; key += 1) map.getOrCreateCollection(key);
    const kept = [...map.listCollections()];
    expect(kept.filter(({ full }) => full)).toHaveLength(500);
    expect(kept.length).toBeLessThanOrEqual(2 * 500 + 1_000);
    expect(map.findCollection(499)).toEqual({ full: true });
  });
});
