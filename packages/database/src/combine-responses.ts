import { isServerRejection } from './connection-errors.js';
import type { QueryOutcome } from './transaction-interface.js';

/**
 * Combines the results of a transaction's last statement and of COMMIT, which were sent together. If the statement's
 * response cannot be parsed and the server rejects COMMIT, returns the error of COMMIT.
 */
export function combineResponses<R>(
  outcome: Promise<QueryOutcome<R>>,
  commit: Promise<void>,
): { outcome: Promise<QueryOutcome<R>>; commit: Promise<void> } {
  const read = outcome.catch(async (error: unknown) => {
    if (!isServerRejection(error)) {
      const [committed] = await Promise.allSettled([commit]);
      if (committed.status === 'rejected' && isServerRejection(committed.reason)) throw committed.reason;
    }
    throw error;
  });
  return { outcome: read, commit };
}
