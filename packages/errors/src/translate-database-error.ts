import type { DatabaseFault } from './database-fault.js';
import { convertPostgresErrorToFault } from './postgres-fault.js';
import { convertPrismaErrorToFault } from './prisma-fault.js';

/** Maximum number of nested `cause` errors that are examined. A longer chain is considered a cycle. */
const maxErrorCauseDepth = 8;

/**
 * Converts an error of `pg` (by SQLSTATE), of Node's sockets or of Prisma (by its P codes) to a database fault. The
 * error may also be the `cause` of another error. Returns `null` for all other errors, including syntax errors and
 * missing tables, which are defects of the program. Sources: PostgreSQL documentation, appendix A "Error Codes"; Prisma
 * ORM documentation, "Error reference".
 */
export function convertErrorToDatabaseFault(error: unknown): DatabaseFault | null {
  let current = error;
  for (let depth = 0; depth < maxErrorCauseDepth && current instanceof Error; depth += 1) {
    const fault = convertPostgresErrorToFault(current) ?? convertPrismaErrorToFault(current);
    if (fault) return fault;
    current = current.cause;
  }
  return null;
}

/** Returns true for errors after which a repeated transaction may succeed: serialization failures and deadlocks. */
export function isRetryableTransactionError(error: unknown): boolean {
  const kind = convertErrorToDatabaseFault(error)?.kind;
  return kind === 'serialization' || kind === 'deadlock';
}
