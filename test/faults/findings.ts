/**
 * Collects all problems that a test finds. The test does not stop at the first problem, because one problem often
 * explains another problem.
 */
export class Findings {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < 40) this.#lines.push(line);
    else this.#more += 1;
  }

  /** Adds the text that `line` returns to the list of problems if `holds` is false. */
  check(holds: boolean, line: () => string): void {
    if (!holds) this.add(line());
  }

  /** Descriptions of all problems found so far; empty if no problem was found. */
  get lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more`];
  }
}
