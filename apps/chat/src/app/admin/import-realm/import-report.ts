/** Counts the rows that an import has written, and the rows that the import has omitted. */
export class RealmImportReport {
  readonly #imported = new Map<string, number>();
  readonly #skipped = new Map<string, number>();

  addImportedRowCount(name: string, count: number): void {
    incrementCount(this.#imported, name, count);
  }

  /**
   * Adds a number of omitted rows to the report.
   *
   * @param reason a noun phrase, for example `reactions to unknown messages`
   */
  addSkippedRowCount(reason: string, count = 1): void {
    incrementCount(this.#skipped, reason, count);
  }

  /** Returns the counts of written and omitted rows as text for the operator. */
  toText(): string {
    return [...formatReportLines('Imported', this.#imported), ...formatReportLines('Not imported', this.#skipped)].join(
      '\n',
    );
  }
}

function incrementCount(counts: Map<string, number>, name: string, count: number): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}

function formatReportLines(title: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  return [`${title}:`, ...[...counts].map(([name, count]) => `  ${count} ${name}`)];
}
