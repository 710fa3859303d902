import { describe, expect, it } from 'vitest';
import { FairQueueByOwner } from './fair-queue-by-owner.js';

interface Item {
  readonly owner: string;
  readonly n: number;
}

function queueOf(...owners: string[]): FairQueueByOwner<Item> {
  const queue = new FairQueueByOwner<Item>();
  for (const [n, owner] of owners.entries()) queue.appendItem({ owner, n });
  return queue;
}

const numbers = (items: readonly Item[]): number[] => items.map(({ n }) => n);

describe('RoundRobinQueue', () => {
  it('returns at most one item per owner in each rotation', () => {
    const queue = queueOf('a', 'a', 'a', 'b', 'c', 'b');
    expect(queue.nextOwner).toBe('a');
    expect(numbers(queue.removeOneItemPerOwner(4))).toEqual([0, 3, 4, 1]);
    expect(queue.nextOwner).toBe('b');
    expect(numbers(queue.removeOneItemPerOwner(10))).toEqual([5, 2]);
    expect([queue.waitingItemCount, queue.nextOwner]).toEqual([0, undefined]);
  });

  it('puts returned items back before all other items', () => {
    const queue = queueOf('a', 'b', 'a', 'c');
    const [, ...rest] = queue.removeOneItemPerOwner(3);
    queue.putItemsBack(rest);
    expect(queue.waitingItemCount).toBe(3);
    expect(numbers(queue.removeOneItemPerOwner(3))).toEqual([1, 3, 2]);
  });

  it('removes only the selected items', () => {
    const queue = queueOf('a', 'b', 'a');
    expect(numbers(queue.removeRequestedItems(({ owner }) => owner === 'a'))).toEqual([0, 2]);
    expect(numbers(queue.removeOneItemPerOwner(3))).toEqual([1]);
  });
});
