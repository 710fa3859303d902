import type { Database, Tx } from '@switchboard/database';

/** Error that rolls back the trial transaction of {@link findFirstRejectedRow}. */
class TrialRollbackError extends Error {
  override readonly name = 'TrialOver';
}

/** Statements with which {@link findFirstRejectedRow} tries to write rows. */
export interface TrialStatements<Row> {
  /** Acquires the locks for all rows of the write. */
  begin(tx: Tx): Promise<unknown>;
  write(tx: Tx, rows: readonly Row[]): Promise<unknown>;
}

/**
 * Returns the position of the first row that the database rejects. Errors of triggers do not name the row, so that this
 * function finds it by binary search: it writes half of the remaining rows until one is left. For a thousand rows this
 * takes about ten statements, which are all rolled back.
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
      } catch {
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
