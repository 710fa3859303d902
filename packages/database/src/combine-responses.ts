import { isStatementRejectedByServer } from './connection-errors.js';
import type { SqlStatementResult } from './transaction-interface.js';

/**
 * Combines the results of a transaction's last statement and of COMMIT, which were sent together. If the statement's
 * response cannot be parsed and the server rejects COMMIT, returns the error of COMMIT.
 */
export function combineStatementAndCommitResults<R>(
  outcome: Promise<SqlStatementResult<R>>,
  commit: Promise<void>,
): { outcome: Promise<SqlStatementResult<R>>; commit: Promise<void> } {
  const read = outcome.catch(async (error: unknown) => {
    if (!isStatementRejectedByServer(error)) {
      const [committed] = await Promise.allSettled([commit]);
      if (committed.status === 'rejected' && isStatementRejectedByServer(committed.reason)) throw committed.reason;
    }
    throw error;
  });
  return { outcome: read, commit };
}
