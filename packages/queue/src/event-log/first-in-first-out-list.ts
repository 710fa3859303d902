/** First-in, first-out list whose items can also be read by index. */
export class FirstInFirstOutList<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get itemCount(): number {
    return this.items.length - this.head;
  }

  /** Returns the item at `index`, where index 0 is the oldest item; undefined if there is no such item. */
  getItemAt(index: number): T | undefined {
    return this.items[this.head + index];
  }

  appendItem(item: T): void {
    this.items.push(item);
  }

  removeOldestItem(): T | undefined {
    const item = this.items[this.head];
    if (item === undefined) return undefined;
    // Releases the item for garbage collection.
    this.items[this.head] = undefined;
    this.head += 1;
    // The array is compacted rarely, because a copy costs as much as the array is long.
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  removeAllItems(): void {
    this.items = [];
    this.head = 0;
  }
}
