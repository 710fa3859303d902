import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import { createEntityTagSql, objectRowAlias } from '../read/object-json-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import { runStatementOnRowBatches, selectedRowsFromClauseSql } from './run-in-row-batches.js';
import type { RowWriteStatements, WrittenRow } from './write-statements.js';

/**
 * Maximum number of rows for which the SQL of each row loads the row's own related objects. For more rows, related
 * objects are loaded in batches.
 */
const maxRowsReadWithoutBatching = 20;

/** Number of written rows that one SQL statement reads. */
const rowsReadPerStatement = 500;

/** Objects of one model that are read after they were written. */
interface WrittenObjectsToRead {
  readonly model: ModelDefinition;
  readonly ids: readonly number[];
  /** Scheme and host with which URLs in the JSON begin. */
  readonly base: string;
}

/**
 * Reads written objects in batches in the order of their ids, and calls a function with each batch. A large batch loads
 * each related object and each shared list only once. The caller must run the transaction in `retryWithoutBatches`.
 */
export async function readWrittenObjects(
  tx: Tx,
  statements: RowWriteStatements,
  { model, ids, base }: WrittenObjectsToRead,
  take: (row: WrittenRow) => void,
): Promise<void> {
  for (let from = 0; from < ids.length; from += rowsReadPerStatement) {
    const slice = ids.slice(from, from + rowsReadPerStatement);
    if (slice.length <= maxRowsReadWithoutBatching) {
      const { rows } = await tx.query<WrittenRow>(
        createPreparedQuery(statements.createRowRereadStatement(model), [base, slice]),
      );
      rows.forEach(take);
      continue;
    }
    const rows = await runStatementOnRowBatches<{ id: number; data: string; snapshot: string; tag: string | null }>(
      tx,
      statements.shapes,
      { model, source: `${model.table} ${objectRowAlias} WHERE ${objectRowAlias}.id = ANY ($2::bigint[])`, values: {} },
      ({ full, snapshot }) =>
        ` SELECT ${objectRowAlias}.id, ${full} AS data, ${snapshot} AS snapshot, ${createEntityTagSql(model, objectRowAlias)} AS tag
          FROM ${selectedRowsFromClauseSql} ORDER BY ${objectRowAlias}.id`,
      [base, slice],
    );
    for (const { id, data, snapshot, tag } of rows) take([id, data, snapshot, tag]);
  }
}
