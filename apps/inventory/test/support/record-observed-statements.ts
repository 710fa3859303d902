import type { Database } from '@switchboard/database';

/** Runs `send`, and calls `before` before each SQL statement of a transaction. Returns the result of `send`. */
export async function observeStatements<R>(
  database: Database,
  before: (statement: string) => unknown,
  send: () => Promise<R>,
): Promise<R> {
  const original = database.inTransaction.bind(database);
  database.inTransaction = (run, options) =>
    original((tx) => {
      const query = tx.query.bind(tx);
      tx.query = async (...given: Parameters<typeof query>) => {
        const [statement] = given;
        await before(typeof statement === 'string' ? statement : statement.text);
        return query(...given);
      };
      return run(tx);
    }, options);
  try {
    return await send();
  } finally {
    database.inTransaction = original;
  }
}
