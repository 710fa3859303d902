/** Collects the parameter values of an SQL statement while its text is built. */
export class NumberedSqlParameters {
  readonly values: unknown[] = [];

  /** Adds a parameter value to the statement, and returns the placeholder of the value: `$1`, `$2`, … */
  addValue(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
