import type { QueueConnection, QueuePool } from '../database.js';

/** An SQL statement that a {@link TestPool} received. */
export interface ReceivedTestStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Function of a test that returns the result rows of an SQL statement. */
export type TestStatementResponder = (
  statement: ReceivedTestStatement,
) => readonly object[] | Promise<readonly object[]>;

const TRANSACTION_CONTROL_PATTERN = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

/**
 * Database pool without a database. The pool records all SQL statements. A function of the test supplies the result
 * rows, except for statements that begin or end a transaction. A rollback does not undo changes of the test's data.
 */
export class TestPool implements QueuePool {
  /** All SQL statements that the pool received, in order. */
  readonly statements: ReceivedTestStatement[] = [];

  constructor(private readonly respond: TestStatementResponder = () => []) {}

  async query<R = Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<{ rows: R[] }> {
    const statement = { sql, params };
    this.statements.push(statement);
    const rows = TRANSACTION_CONTROL_PATTERN.test(sql) ? [] : await this.respond(statement);
    return { rows: [...rows] as R[] };
  }

  async connect(): Promise<QueueConnection> {
    return { query: (sql, params) => this.query(sql, params), release: () => {} };
  }
}
