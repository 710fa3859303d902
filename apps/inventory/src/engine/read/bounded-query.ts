import type { Database, TransactionOptions, Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { PreparedQuery } from '../sql/statement.js';

/** What a list with patterns from outside may take, in milliseconds. */
const patternMs = 2_000;

/** Whose patterns they are, and how long they may take. */
export interface Bounds {
  /** The query parameters that hold the patterns. */
  readonly parameters: readonly string[];
  readonly mostMs?: number;
}

/** SQLSTATE of a pattern that cannot be read or is too complex, and of a statement that took too long. */
const messages: Readonly<Record<string, string>> = {
  '2201B': 'Enter a valid regular expression.',
  '57014': 'This regular expression takes too long to match.',
};

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

/** As {@link queryBounded}, for a transaction each of whose statements has that time. */
export async function inBoundedTransaction<T>(
  database: Pick<Database, 'inTransaction'>,
  { parameters, mostMs = patternMs }: Bounds,
  run: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  try {
    return await database.inTransaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${mostMs}`);
      return run(tx);
    }, options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = messages[code];
    if (message === undefined) throw error;
    const body = Object.fromEntries(parameters.map((name) => [name, [message]]));
    throw errors.create('VALIDATION_FAILED', { fields: { body } });
  }
}
