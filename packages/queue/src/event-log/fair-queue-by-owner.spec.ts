import { describe, expect, it } from 'vitest';
import { FairQueueByOwner } from './fair-queue-by-owner.js';

interface Item {
  readonly owner: string;
  readonly n: number;
}

function queueOf(...owners: string[]): FairQueueByOwner<Item> {
  const queue = new FairQueueByOwner<Item>();
  for (const [n, owner] of owners.entries()) queue.add({ owner, n });
  return queue;
}

const numbers = (items: readonly Item[]): number[] => items.map(({ n }) => n);

describe('RoundRobinQueue', () => {
  it('returns at most one item per owner in each rotation', () => {
    const queue = queueOf('a', 'a', 'a', 'b', 'c', 'b');
    expect(queue.nextOwner).toBe('a');
    expect(numbers(queue.takeOnePerOwner(4))).toEqual([0, 3, 4, 1]);
    expect(queue.nextOwner).toBe('b');
    expect(numbers(queue.takeOnePerOwner(10))).toEqual([5, 2]);
    expect([queue.size, queue.nextOwner]).toEqual([0, undefined]);
  });

  it('puts returned items back before all other items', () => {
    const queue = queueOf('a', 'b', 'a', 'c');
    const [, ...rest] = queue.takeOnePerOwner(3);
    queue.putItemsBack(rest);
    expect(queue.size).toBe(3);
    expect(numbers(queue.takeOnePerOwner(3))).toEqual([1, 3, 2]);
  });

  it('removes only the selected items', () => {
    const queue = queueOf('a', 'b', 'a');
    expect(numbers(queue.remove(({ owner }) => owner === 'a'))).toEqual([0, 2]);
    expect(numbers(queue.takeOnePerOwner(3))).toEqual([1]);
  });
});
