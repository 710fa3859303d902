import { describe, expect, it } from 'vitest';
import { LinkedList } from '../src/event-log/linked-list.js';
import { ReusedCollectionMap } from '../src/event-log/reused-collection-map.js';

describe('linked list of the event log', () => {
  it('iterates members in order of arrival, after any removals', () => {
    const list = new LinkedList<number>();
    const links = Array.from({ length: 6 }, (_, index) => list.add(index));
    for (const left of [0, 3, 5, 3]) links[left]?.remove();
    expect(list.toArray()).toEqual([1, 2, 4]);
    expect(list.size).toBe(3);
    links.push(list.add(6));
    expect(list.toArray()).toEqual([1, 2, 4, 6]);
    const copied = new Set([9]);
    list.copyTo(copied);
    expect([...copied]).toEqual([9, 1, 2, 4, 6]);
    for (const link of links) link.remove();
    expect(list.toArray()).toEqual([]);
    expect(list.size).toBe(0);
    list.add(7);
    expect(list.toArray()).toEqual([7]);
  });

  it('clears the references of a removed member', () => {
    const list = new LinkedList<string>();
    const [before, left, after] = [list.add('before'), list.add('left'), list.add('after')];
    left.remove();
    expect(Object.values(left).filter((value) => value !== null)).toEqual(['left']);
    expect(before.next).toBe(after);
  });
});

describe('pooled map of the event log', () => {
  it('retains up to a thousand empty collections for reuse, in addition to collections in use', () => {
    const map = new ReusedCollectionMap<number, { full: boolean }>(
      () => ({ full: false }),
      ({ full }) => !full,
    );
    const first = map.getOrCreate(0);
    expect(map.getOrCreate(0)).toBe(first);
    expect(map.find(1)).toBeUndefined();
    for (let key = 0; key < 500; key += 1) map.getOrCreate(key).full = true;
    for (let key = 500; key < 50_000; key += 1) map.getOrCreate(key);
    const kept = [...map.values()];
    expect(kept.filter(({ full }) => full)).toHaveLength(500);
    expect(kept.length).toBeLessThanOrEqual(2 * 500 + 1_000);
    expect(map.find(499)).toEqual({ full: true });
  });
});
