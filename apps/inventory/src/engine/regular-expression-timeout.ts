import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../errors.js';

/** Timeout of a statement that matches regular expressions of users, in milliseconds. */
export const regularExpressionTimeoutMs = 2_000;

/**
 * Error messages for failed regular expressions, by SQLSTATE code: for an expression that is invalid or too complex,
 * and for a statement that timed out.
 */
const patternMessageBySqlState: Readonly<Record<string, string>> = {
  '2201B': 'Enter a valid regular expression.',
  '57014': 'This regular expression takes too long to match.',
};

/**
 * Returns a validation error, reported under `keys`, for a database error that a user's regular expression caused.
 * Returns any other error unchanged.
 */
export function createRegularExpressionError(error: unknown, keys: readonly string[]): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = patternMessageBySqlState[code];
  if (message === undefined) return error;
  return inventoryErrors.create('VALIDATION_FAILED', {
    fields: { body: Object.fromEntries(keys.map((key) => [key, [message]])) },
  });
}

/**
 * SQL that sets the statement timeout and returns the previous timeout as a number of milliseconds. The connection pool
 * needs a number to compute the longest silence it allows a server. `current_setting` instead returns a text such as
 * `10min`, which is also a valid interval.
 */
const setPatternTimeoutSql = `
  SELECT (extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::bigint::text AS "beforeMs",
    set_config('statement_timeout', '${regularExpressionTimeoutMs}', true)`;

/**
 * Runs a part of a transaction whose statements match regular expressions of users, with a timeout of {@link regularExpressionTimeoutMs}
 * for each statement. Restores the previous timeout afterwards.
 *
 * @throws ApplicationError VALIDATION_FAILED with the keys `keys` if a regular expression is invalid or a statement times out
 */
export async function runWithPatternTimeout<T>(tx: Tx, keys: readonly string[], run: () => Promise<T>): Promise<T> {
  const { rows } = await tx.query<{ beforeMs: string }>(setPatternTimeoutSql);
  try {
    const result = await run();
    await tx.query("SELECT set_config('statement_timeout', $1, true)", [rows[0]?.beforeMs ?? '0']);
    return result;
  } catch (error) {
    throw createRegularExpressionError(error, keys);
  }
}
