import type { Database, OpenTx, SqlStatement } from '@switchboard/database';
import type { SentSqlStatement } from './tables-read-by-statements.js';

/** Methods of the database that code may use while it builds a response for the cache. */
export type ReadOnlyResponseDatabase = Pick<Database, 'query' | 'inTransaction'>;

/** Database access that records the SQL statements that are sent through it. */
export class ReadStatementRecorder implements ReadOnlyResponseDatabase {
  readonly statements: SentSqlStatement[] = [];

  constructor(private readonly database: ReadOnlyResponseDatabase) {}

  /** Records an SQL statement, runs the statement and returns its result; see {@link Database}. */
  readonly query: ReadOnlyResponseDatabase['query'] = (sql, params) => {
    this.#recordStatement(sql, params);
    return this.database.query(sql, params);
  };

  /** Runs a transaction, and records the SQL statements of the transaction; see {@link Database}. */
  readonly inTransaction: ReadOnlyResponseDatabase['inTransaction'] = (run, options) =>
    this.database.inTransaction((tx) => run(this.#recordingTx(tx)), options);

  #recordingTx(tx: OpenTx): OpenTx {
    return {
      get isOpen() {
        return tx.isOpen;
      },
      get prisma() {
        return tx.prisma;
      },
      addCommitCheck: (check) => tx.addCommitCheck(check),
      query: (sql, params) => {
        this.#recordStatement(sql, params);
        return tx.query(sql, params);
      },
      finish: (sql, params) => {
        this.#recordStatement(sql, params);
        return tx.finish(sql, params);
      },
    };
  }

  #recordStatement(sql: string | SqlStatement, params: unknown[] | undefined): void {
    if (typeof sql === 'string') this.statements.push({ text: sql, values: params ?? [] });
    else this.statements.push({ text: sql.text, values: params ?? sql.values ?? [] });
  }
}
