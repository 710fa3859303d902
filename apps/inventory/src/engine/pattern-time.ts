import type { Tx } from '@switchboard/database';
import { errors } from '../errors.js';

/** Time for a statement that runs patterns of users, in milliseconds. */
export const patternMs = 2_000;

/** SQLSTATE of a pattern that cannot be read or is too complex, and of a statement that took too long. */
const messages: Readonly<Record<string, string>> = {
  '2201B': 'Enter a valid regular expression.',
  '57014': 'This regular expression takes too long to match.',
};

/** Returns the error for a pattern that the database could not run, at `keys`; other errors unchanged. */
export function patternRefusal(error: unknown, keys: readonly string[]): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = messages[code];
  if (message === undefined) return error;
  return errors.create('VALIDATION_FAILED', {
    fields: { body: Object.fromEntries(keys.map((key) => [key, [message]])) },
  });
}

/**
 * Runs one part of a transaction whose statements match patterns of users, each in bounded time; later statements have
 * the time that they had before.
 *
 * @throws AppError VALIDATION_FAILED at `keys`, when the database cannot read a pattern or takes too long
 */
export async function inPatternTime<T>(tx: Tx, keys: readonly string[], run: () => Promise<T>): Promise<T> {
  const { rows } = await tx.query<{ before: string }>(
    `SELECT current_setting('statement_timeout') AS before, set_config('statement_timeout', '${patternMs}', true)`,
  );
  try {
    const result = await run();
    await tx.query("SELECT set_config('statement_timeout', $1, true)", [rows[0]?.before ?? '0']);
    return result;
  } catch (error) {
    throw patternRefusal(error, keys);
  }
}
