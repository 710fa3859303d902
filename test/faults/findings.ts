/** Faults that a case found. Everything is collected, for one fault is often explained by another. */
export class Findings {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < 40) this.#lines.push(line);
    else this.#more += 1;
  }

  /** Adds the line if the condition is false. */
  check(holds: boolean, line: () => string): void {
    if (!holds) this.add(line());
  }

  /** All of it; empty when nothing is wrong. */
  get lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more`];
  }
}
