/** First-in, first-out queue with access by index. */
export class Fifo<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  /** Returns the item at `index`, counted from the oldest. */
  at(index: number): T | undefined {
    return this.items[this.head + index];
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T | undefined {
    const item = this.items[this.head];
    if (item === undefined) return undefined;
    // Nobody but the caller keeps it from now on.
    this.items[this.head] = undefined;
    this.head += 1;
    // Moved seldom, and not with each one: the array is of any length.
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  clear(): void {
    this.items = [];
    this.head = 0;
  }
}
