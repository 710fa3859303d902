import type { Database, OpenTx, TransactionOptions } from '@switchboard/database';
import { regularExpressionTimeoutMs, createRegularExpressionError } from '../regular-expression-timeout.js';
import type { SqlQueryOfArrayRows } from '../sql/parameterized-statement.js';

/**
 * Options of a statement that matches regular expressions: the query parameters with the expressions, and the time
 * limit of the statement.
 */
export interface PatternTimeoutOptions {
  /**
   * Names of the query parameters that are regular expressions. An error in a regular expression is reported under
   * these names.
   */
  readonly parameters: readonly string[];
  readonly maxMs?: number;
}

/**
 * Runs a statement that matches regular expressions of a client, with a timeout.
 *
 * @throws ApplicationError VALIDATION_FAILED under the parameters' names if an expression is invalid or the statement times out
 */
export function queryWithPatternTimeout<R>(
  database: Pick<Database, 'inTransaction'>,
  query: SqlQueryOfArrayRows,
  bounds: PatternTimeoutOptions,
): Promise<R[]> {
  return inTransactionWithPatternTimeout(database, bounds, async (tx) => (await tx.query<R>(query)).rows, {
    readOnly: true,
  });
}

/** Runs a transaction in which each statement has the timeout of {@link queryWithPatternTimeout}. */
export async function inTransactionWithPatternTimeout<T>(
  database: Pick<Database, 'inTransaction'>,
  { parameters, maxMs = regularExpressionTimeoutMs }: PatternTimeoutOptions,
  run: (tx: OpenTx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  try {
    return await database.inTransaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${maxMs}`);
      return run(tx);
    }, options);
  } catch (error) {
    throw createRegularExpressionError(error, parameters);
  }
}
