import type { Database, Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault, type DatabaseFaultKind } from '@switchboard/errors';

/** Error that rolls back the transaction in which {@link findFirstRejectedRow} tries to write rows. */
class TrialRollbackError extends Error {
  override readonly name = 'TrialOver';
}

/** Kinds of database errors that do not depend on the rows of a write, such as a lost connection. */
const faultKindsIndependentOfRows: ReadonlySet<DatabaseFaultKind> = new Set([
  'timeout',
  'deadlock',
  'serialization',
  'unavailable',
]);

/** SQL statements with which {@link findFirstRejectedRow} tries to write rows. */
export interface TrialStatements<Row> {
  /** Sets the time limit of the statements, and acquires the locks that the write of all rows needs. */
  begin(tx: Tx): Promise<unknown>;
  write(tx: Tx, rows: readonly Row[]): Promise<unknown>;
}

/**
 * Returns the position of the first row that the database rejects. An error of a trigger does not name the row that
 * caused it. Therefore a binary search finds the row: the function writes half of the remaining rows until one row is
 * left. For a thousand rows, the search takes about ten statements, all of which are rolled back.
 *
 * @throws Error of the database that is no rejection of a row: a time limit, a deadlock or a lost connection
 */
export async function findFirstRejectedRow<Row>(
  database: Database,
  rows: readonly Row[],
  { begin, write }: TrialStatements<Row>,
): Promise<number> {
  let [low, high] = [0, rows.length - 1];
  const trial = async (tx: Tx): Promise<never> => {
    await begin(tx);
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      await tx.query('SAVEPOINT trial');
      try {
        await write(tx, rows.slice(low, middle + 1));
        low = middle + 1;
      } catch (error) {
        const fault = convertErrorToDatabaseFault(error);
        if (fault !== null && faultKindsIndependentOfRows.has(fault.kind)) throw error;
        await tx.query('ROLLBACK TO SAVEPOINT trial');
        high = middle;
      }
    }
    throw new TrialRollbackError();
  };
  await database.inTransaction(trial, { attempts: 1 }).catch((error: unknown) => {
    if (!(error instanceof TrialRollbackError)) throw error;
  });
  return low;
}
