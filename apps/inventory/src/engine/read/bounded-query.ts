import type { Database, OpenTx, TransactionOptions } from '@switchboard/database';
import { patternMs, patternRefusal } from '../pattern-time.js';
import type { PreparedQuery } from '../sql/statement.js';

/** Origin of the patterns, and their time limit. */
export interface Bounds {
  /** The query parameters with the patterns. */
  readonly parameters: readonly string[];
  readonly mostMs?: number;
}

/**
 * Runs a statement that matches patterns from outside, for a bounded time.
 *
 * @throws AppError VALIDATION_FAILED naming them, when the database cannot read a pattern or takes too long
 */
export function queryBounded<R>(
  database: Pick<Database, 'inTransaction'>,
  query: PreparedQuery,
  bounds: Bounds,
): Promise<R[]> {
  return inBoundedTransaction(database, bounds, async (tx) => (await tx.query<R>(query)).rows, { readOnly: true });
}

/** As {@link queryBounded}, for a transaction with that time limit for each statement. */
export async function inBoundedTransaction<T>(
  database: Pick<Database, 'inTransaction'>,
  { parameters, mostMs = patternMs }: Bounds,
  run: (tx: OpenTx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  try {
    return await database.inTransaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${mostMs}`);
      return run(tx);
    }, options);
  } catch (error) {
    throw patternRefusal(error, parameters);
  }
}
