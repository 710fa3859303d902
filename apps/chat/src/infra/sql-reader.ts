/** Object that runs SQL queries: the database, a transaction, or the snapshot of a registration. */
export interface SqlReader {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}
