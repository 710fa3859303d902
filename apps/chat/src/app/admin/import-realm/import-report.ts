/** Counts the rows that an import has written and omitted. */
export class ImportReport {
  readonly #imported = new Map<string, number>();
  readonly #skipped = new Map<string, number>();

  addImported(name: string, count: number): void {
    add(this.#imported, name, count);
  }

  /**
   * Counts rows that were omitted.
   *
   * @param reason a noun phrase, for example `reactions to unknown messages`
   */
  addSkipped(reason: string, count = 1): void {
    add(this.#skipped, reason, count);
  }

  /** Returns the counts of written and omitted rows as text for the operator. */
  toText(): string {
    return [...lines('Imported', this.#imported), ...lines('Not imported', this.#skipped)].join('\n');
  }
}

function add(counts: Map<string, number>, name: string, count: number): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}

function lines(title: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  return [`${title}:`, ...[...counts].map(([name, count]) => `  ${count} ${name}`)];
}
