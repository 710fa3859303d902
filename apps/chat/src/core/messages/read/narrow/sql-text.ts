/** Collects the values of a statement while its text is put together. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** The placeholder of a value: `$1`, `$2`, … */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
