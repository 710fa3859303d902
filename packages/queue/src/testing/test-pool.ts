import type { QueueConnection, QueuePool } from '../database.js';

/** A statement that a {@link TestPool} received. */
export interface TestStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Function of a test that returns the rows of a statement. */
export type StatementResponder = (statement: TestStatement) => readonly object[] | Promise<readonly object[]>;

const TRANSACTION_CONTROL_PATTERN = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

/**
 * Pool without a database. It records all statements. The function of the test supplies the rows, except of statements
 * that begin or end a transaction. A rollback has no effect on what the test stores.
 */
export class TestPool implements QueuePool {
  /** All statements in the order in which they were sent. */
  readonly statements: TestStatement[] = [];

  constructor(private readonly respond: StatementResponder = () => []) {}

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
