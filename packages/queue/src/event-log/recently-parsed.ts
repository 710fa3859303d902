/** Something that was parsed from a text and can be parsed again. */
export interface Forgetful {
  forget(): void;
}

/**
 * What was parsed last stays, so that all readers of a new entry share one object; what was parsed before it is
 * forgotten, so that memory is bounded by the texts. Objects take some times the memory of their JSON.
 */
export class RecentlyParsed {
  private kept: { one: Forgetful; length: number }[] = [];
  private head = 0;
  private total = 0;

  /** @param maxLength characters of JSON whose objects are kept; the newest one is kept whatever its length */
  constructor(private readonly maxLength: number) {}

  keep(one: Forgetful, length: number): void {
    this.kept.push({ one, length });
    this.total += length;
    while (this.total > this.maxLength && this.kept.length - this.head > 1) {
      const oldest = this.kept[this.head];
      this.head += 1;
      this.total -= oldest?.length ?? 0;
      oldest?.one.forget();
    }
    if (this.head > 1024 && this.head * 2 > this.kept.length) {
      this.kept = this.kept.slice(this.head);
      this.head = 0;
    }
  }
}
