/** Something that answers SQL queries: the database, a transaction, or the snapshot that a registration reads. */
export interface SqlReader {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}
