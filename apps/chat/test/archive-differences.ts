/** Function that runs an SQL statement and returns the resulting rows. */
export type RunQuery = <R>(sql: string, params?: unknown[]) => Promise<R[]>;

/** Rows of one table for comparison: the rows in the export archive, and the rows in the database. */
export interface Compared {
  readonly archive: readonly unknown[];
  readonly database: readonly unknown[];
}

/** Lists the rows that only the archive or only the database contains, or that occur there more often. */
export function differencesOf(table: string, { archive, database }: Compared): string[] {
  const counts = new Map<string, number>();
  const add = (row: unknown, n: number): void => {
    const text = JSON.stringify(row);
    const count = (counts.get(text) ?? 0) + n;
    if (count === 0) counts.delete(text);
    else counts.set(text, count);
  };
  for (const row of archive) add(row, 1);
  for (const row of database) add(row, -1);
  return [...counts].map(([text, count]) => `${table}: ${count > 0 ? 'only archive' : 'only database'} ${text}`);
}
