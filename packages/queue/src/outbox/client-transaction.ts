import type { QueueTx } from '../database.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** A transaction on a connection of the caller that may add outbox rows, created by `Outbox.begin`. */
export interface ClientTransaction extends TransactionHandle {
  /**
   * Commits the transaction, and starts the dispatch of its outbox rows. `query('COMMIT')` has the same effect.
   *
   * @throws QueueUsageError after a rollback, when rows were added and not flushed, or when a failed statement was
   *   ignored
   */
  commit(): Promise<void>;
  /**
   * Rolls back the transaction and drops its outbox rows. `query('ROLLBACK')` has the same effect. Does nothing if the
   * transaction has already ended.
   */
  rollback(): Promise<void>;
}

const COMMIT_OR_ROLLBACK_PATTERN = /^\s*(?:(COMMIT|END)|(ROLLBACK|ABORT))(?:\s+(?:WORK|TRANSACTION))?\s*;?\s*$/i;
const FORBIDDEN_TRANSACTION_COMMAND_PATTERN =
  /^\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|END|PREPARE\s+TRANSACTION|ABORT)\b|\bAND\s+CHAIN\s*;?\s*$/i;

/**
 * {@link ClientTransaction} on a database connection on which BEGIN was already sent. `committed` is called after a
 * confirmed COMMIT.
 */
export class DatabaseConnectionTransaction implements ClientTransaction {
  private isOpenForStatements = true;
  private readonly checks: (() => void)[] = [];

  constructor(
    private readonly connection: QueueTx,
    private readonly onCommitted: (tx: TransactionHandle) => void,
  ) {}

  get isOpen(): boolean {
    return this.isOpenForStatements;
  }

  addCommitCheck(check: () => void): void {
    this.checks.push(check);
  }

  async query<R = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<{ rows: R[] }> {
    if (!this.isOpenForStatements) throw new QueueUsageError('The transaction has ended');
    const [ends, commits] = COMMIT_OR_ROLLBACK_PATTERN.exec(sql) ?? [];
    if (ends === undefined) {
      if (FORBIDDEN_TRANSACTION_COMMAND_PATTERN.test(sql))
        throw new QueueUsageError(`A transaction handle does not accept this statement: ${sql}`);
      return this.connection.query<R>(sql, params);
    }
    await (commits === undefined ? this.rollback() : this.commit());
    return { rows: [] };
  }

  async commit(): Promise<void> {
    if (!this.isOpenForStatements) throw new QueueUsageError('The transaction has ended');
    try {
      for (const check of this.checks) check();
    } catch (error) {
      await this.rollback();
      throw error;
    }
    this.isOpenForStatements = false;
    const outcome: unknown = await this.connection.query('COMMIT');
    if (getExecutedSqlCommand(outcome) === 'ROLLBACK') {
      throw new QueueUsageError('The transaction was rolled back because the error of a statement was ignored');
    }
    this.onCommitted(this);
  }

  async rollback(): Promise<void> {
    if (!this.isOpenForStatements) return;
    this.isOpenForStatements = false;
    await this.connection.query('ROLLBACK');
  }
}

/** Returns the SQL command that was executed; undefined if the database driver does not report the command. */
function getExecutedSqlCommand(outcome: unknown): unknown {
  return typeof outcome === 'object' && outcome !== null ? Reflect.get(outcome, 'command') : undefined;
}
