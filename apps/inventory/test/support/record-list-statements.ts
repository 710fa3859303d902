import { vi } from 'vitest';
import type { TestInventory } from './test-service.js';

/** An SQL statement that the service runs for a list request. */
export interface Sent {
  readonly text: string;
  readonly values: unknown[];
  readonly planned?: 'each time';
}

/**
 * SQL statements of a list request: `choosing` selects and counts the rows, `reading` reads their columns. `choosing`
 * and `reading` may be the same statement.
 */
export interface ListStatements {
  readonly count: number;
  readonly choosing: Sent;
  readonly reading: Sent;
}

const isReading = ({ text }: Sent): boolean => text.includes('string_agg');
const isChoosing = ({ text }: Sent): boolean => /^SELECT .*ARRAY\(SELECT t\.id /s.test(text);

/**
 * Requests a list and returns the SQL statements that the service runs for the request. Includes statements in a
 * transaction.
 */
export async function statementsOf({ api, inventory }: TestInventory, path: string): Promise<ListStatements> {
  const { database } = inventory;
  const sent: Sent[] = [];
  const record = (statement: unknown): void => {
    const { text = statement, values = [], planned } = Object(statement) as Partial<Sent>;
    sent.push({ text: String(text), values, ...(planned && { planned }) });
  };
  const single = vi.spyOn(database.pool, 'query');
  const original = database.inTransaction.bind(database);
  const several = vi.spyOn(database, 'inTransaction').mockImplementation((run, options) =>
    original((tx) => {
      const [query, finish] = [tx.query.bind(tx), tx.finish.bind(tx)];
      vi.spyOn(tx, 'query').mockImplementation((statement, values) => {
        record(statement);
        return query(statement, values);
      });
      vi.spyOn(tx, 'finish').mockImplementation((statement, values) => {
        record(statement);
        return finish(statement, values);
      });
      return run(tx);
    }, options),
  );
  try {
    // The response is not checked, because the OpenAPI document does not contain filters by custom fields.
    const { body } = await api.get<{ count: number }>(`/api/${path}`, { unchecked: true });
    for (const [statement] of single.mock.calls) record(statement);
    const choosing = sent.find(isChoosing) ?? sent.findLast(isReading);
    const reading = sent.findLast(isReading) ?? choosing;
    if (choosing === undefined || reading === undefined) throw new Error(`No statement read ${path}`);
    return { count: body.count, choosing, reading };
  } finally {
    single.mockRestore();
    several.mockRestore();
  }
}
