/** An item in a {@link FairQueueByOwner}, which belongs to an owner. */
export interface OwnedQueueItem {
  readonly owner: string;
}

/**
 * Queue that takes one item of each owner in turn. If one owner has a hundred waiting items, an item of another owner
 * waits for only one item.
 */
export class FairQueueByOwner<T extends OwnedQueueItem> {
  /**
   * Waiting items by owner, in the order in which the owners are served. Every list in the map has at least one item.
   */
  #itemsByOwner = new Map<string, T[]>();
  #size = 0;

  get waitingItemCount(): number {
    return this.#size;
  }

  /** Owner whose item the queue will return next; undefined if the queue is empty. */
  get nextOwner(): string | undefined {
    return this.#itemsByOwner.keys().next().value;
  }

  /** Appends an item to the waiting items of the item's owner. */
  appendItem(item: T): void {
    this.#size += 1;
    const own = this.#itemsByOwner.get(item.owner);
    if (own) own.push(item);
    else this.#itemsByOwner.set(item.owner, [item]);
  }

  /** Removes and returns up to `most` items, taking one item of each owner in turn. */
  removeOneItemPerOwner(most: number): T[] {
    const taken: T[] = [];
    while (taken.length < most) {
      const [next] = this.#itemsByOwner;
      if (next === undefined) break;
      const [owner, own] = next;
      this.#itemsByOwner.delete(owner);
      const item = own.shift();
      if (item !== undefined) taken.push(item);
      if (own.length > 0) this.#itemsByOwner.set(owner, own);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** Puts removed items back into the queue, before the waiting items of the same owners. */
  putItemsBack(items: readonly T[]): void {
    const rest = [...this.#itemsByOwner.values()].flat();
    this.#itemsByOwner = new Map();
    this.#size = 0;
    for (const item of [...items, ...rest]) this.appendItem(item);
  }

  /** Removes from the queue and returns all items for which `isRequested` returns true. */
  removeRequestedItems(isRequested: (item: T) => boolean): T[] {
    const all = [...this.#itemsByOwner.values()].flat();
    const removed = all.filter((item) => isRequested(item));
    if (removed.length === 0) return removed;
    const isRemoved = new Set(removed);
    this.#itemsByOwner = new Map();
    this.#size = 0;
    for (const item of all) if (!isRemoved.has(item)) this.appendItem(item);
    return removed;
  }
}
