/** Collects the problems that a test finds, instead of stopping at the first, because one often explains another. */
export class Findings {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < 40) this.#lines.push(line);
    else this.#more += 1;
  }

  /** Adds the text that `line` returns to the problems if `holds` is false. */
  check(holds: boolean, line: () => string): void {
    if (!holds) this.add(line());
  }

  /** Lines of all problems found so far; empty without problems. */
  get lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more`];
  }
}
