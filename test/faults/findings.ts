/** Collects the problems that a test finds, instead of stopping at the first, because one often explains another. */
export class Findings {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < 40) this.#lines.push(line);
    else this.#more += 1;
  }

  /** Adds the line to the problems if the condition is false. */
  check(holds: boolean, line: () => string): void {
    if (!holds) this.add(line());
  }

  /** All collected lines; empty if there is no problem. */
  get lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more`];
  }
}
