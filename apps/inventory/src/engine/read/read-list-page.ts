import type { Database, OpenTx, TransactionOptions } from '@switchboard/database';
import { createPreparedQuery, createReplannedQuery } from '../sql/parameterized-statement.js';
import {
  createReadPageSql,
  createSelectByIdsSql,
  createSelectPageIdsSql,
  type ListPageStatementSqlParts,
} from './list-page-statements.js';
import { inTransactionWithPatternTimeout, queryWithPatternTimeout } from './query-with-pattern-timeout.js';

type ReadPageRowsTuple = [results: string | null, rows: number, lastId: number | null];
type SelectedPageIdsTuple = [count: number, ids: readonly unknown[], missing: string[] | null, types: string[] | null];
/** Values of the row that contains a page: number of objects, JSON, number and last id of the rows, and the failed checks of filters. */
export type ListPageResultTuple = [count: number, ...ReadPageRowsTuple, missing: string[] | null];

/** Options of the SQL statements that read a page of a list. */
export interface ListPageReadOptions {
  readonly isPlanned: boolean;
  /** Names of query parameters that are regular expressions, for which the statements get a timeout. */
  readonly patterns: readonly string[];
}

/** Database functions that list requests need. */
export type ListDatabase = Pick<Database, 'query' | 'inTransaction'>;

/** Reads the objects of a page in one statement. */
export async function readPageInOneStatement(
  database: ListDatabase,
  parts: ListPageStatementSqlParts,
  { isPlanned, patterns }: ListPageReadOptions,
): Promise<ListPageResultTuple> {
  const createQuery = isPlanned ? createReplannedQuery : createPreparedQuery;
  const requested = createQuery(createReadPageSql(parts), parts.parameters.values);
  const rows =
    patterns.length === 0
      ? (await database.query<ListPageResultTuple>(requested)).rows
      : await queryWithPatternTimeout<ListPageResultTuple>(database, requested, { parameters: patterns });
  return rows[0] ?? [0, null, 0, null, null];
}

/**
 * Reads a page in two statements of one snapshot. The first selects the ids. The second contains the long SQL of the
 * objects' JSON; its plan does not depend on parameter values and is cached. If the SQL depends on the types of related
 * objects, it contains only the types on this page and is planned each time.
 */
export async function readPageInTwoStatements(
  database: ListDatabase,
  parts: ListPageStatementSqlParts,
  { isPlanned, patterns }: ListPageReadOptions,
): Promise<ListPageResultTuple> {
  const { parameters, typed } = parts;
  const { values } = parameters;
  const choosing = (isPlanned ? createReplannedQuery : createPreparedQuery)(createSelectPageIdsSql(parts), values);
  const run = async (tx: OpenTx): Promise<ListPageResultTuple> => {
    const [chosen] = (await tx.query<SelectedPageIdsTuple>(choosing)).rows;
    if (chosen === undefined || chosen[1].length === 0) return [chosen?.[0] ?? 0, null, 0, null, chosen?.[2] ?? null];
    const reading =
      typed === null
        ? createPreparedQuery(createSelectByIdsSql(parts), [values[0], chosen[1]])
        : createReplannedQuery(createSelectByIdsSql({ ...parts, shape: typed.shapeOf(chosen[3] ?? []) }), [
            values[0],
            chosen[1],
          ]);
    const [read] = (await tx.finish<ReadPageRowsTuple>(reading)).rows;
    return [chosen[0], ...(read ?? [null, 0, null]), chosen[2]];
  };
  return readInSnapshotTransaction(database, patterns, run);
}

/** Runs a function in a read-only transaction with one snapshot, with a time limit if there are regular expressions. */
export function readInSnapshotTransaction<T>(
  database: ListDatabase,
  patterns: readonly string[],
  run: (tx: OpenTx) => Promise<T>,
  options: Pick<TransactionOptions, 'attempts'> = {},
): Promise<T> {
  const snapshot = { isolation: 'repeatable read', readOnly: true, ...options } as const;
  if (patterns.length === 0) return database.inTransaction(run, snapshot);
  return inTransactionWithPatternTimeout(database, { parameters: patterns }, run, snapshot);
}
