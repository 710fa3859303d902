/**
 * Object that runs SQL queries: the database, a transaction, or the read-only transaction of a `POST /register`
 * request.
 */
export interface SqlQueryRunner {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}
