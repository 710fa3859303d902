import type { Tx } from '@switchboard/database';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import { objectRowAlias, type ObjectJsonSqlCache } from '../read/object-json-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { TemporaryTableChangeGroup } from './change-sink.js';
import { stringifyListWithPauses } from './map-with-event-loop-pauses.js';
import {
  createSelectedRowValueSql,
  runStatementOnRowBatches,
  selectedRowsFromClauseSql,
} from './run-in-row-batches.js';
import { forEachNumberRange, temporaryTableRowsPerStatement, type TemporaryChangeTable } from './staged-changes.js';
import { forceLargeWriteIndexReads } from './force-index-reads.js';
import type { ModelObjectIds } from './trigger-side-effects.js';
import type { CandidateRowValues } from './validation-error.js';
import type { RowWriteStatements } from './write-statements.js';

/**
 * Name of the temporary table that contains the rows of a write, ordered by `part` and `place`. For rows to write, the
 * column `candidate` contains the JSON of the row's columns.
 */
export const temporaryRowsTableName = 'pg_temp.staged_rows';

const temporaryRowsTableCreationSql: readonly SqlText[] = [
  `CREATE TEMP TABLE staged_rows (part integer, place bigint, id bigint, candidate jsonb, hidden boolean, message text,
    prechange text, PRIMARY KEY (part, place)) WITH (toast_tuple_target = 8160) ON COMMIT DROP`,
  // These rows live for one transaction. Compressing them takes longer than writing them.
  `ALTER TABLE ${temporaryRowsTableName} ALTER COLUMN candidate SET STORAGE EXTERNAL, ALTER COLUMN prechange SET STORAGE EXTERNAL`,
];

/** A row of a write in the form in which the temporary table stores it. */
interface TemporaryTableRowToWrite {
  readonly place: number;
  readonly id?: number;
  readonly candidate?: CandidateRowValues;
  readonly hidden: boolean;
  readonly message: string;
}

/**
 * Function that inserts rows into the temporary table of a write. The parameter `$2` is a JSON array of
 * {@link TemporaryTableRowToWrite}, and `$3` is the value of the column `part`.
 */
type TemporaryRowsInserter = (tx: Tx, params: readonly unknown[]) => Promise<unknown>;

const insertNewTemporaryRows: TemporaryRowsInserter = (tx, params) =>
  tx.query(
    `INSERT INTO ${temporaryRowsTableName} (part, place, candidate, hidden, message)
      SELECT $3::integer, g.place, g.candidate, g.hidden, g.message
      FROM jsonb_to_recordset($2::jsonb) AS g(place bigint, candidate jsonb, hidden boolean, message text) WHERE $1::text IS NOT NULL`,
    [...params],
  );

/** Stores the rows of a write in a temporary table, with the state of the rows before the write. */
export class TemporaryRowTable {
  constructor(
    private readonly statements: RowWriteStatements,
    private readonly shapes: ObjectJsonSqlCache,
    private readonly changes: TemporaryChangeTable,
  ) {}

  /** Creates the temporary table for rows of a write. PostgreSQL drops the table when the transaction ends. */
  async createRowsTable(tx: Tx): Promise<void> {
    for (const statement of temporaryRowsTableCreationSql) await tx.query(statement);
  }

  /** Stores new rows that have the same `part`, in batches. */
  storeNewRows(
    tx: Tx,
    group: TemporaryTableChangeGroup,
    row: (index: number) => TemporaryTableRowToWrite,
  ): Promise<void> {
    return this.#storeInBatches(tx, insertNewTemporaryRows, group, row);
  }

  /** Stores rows of a model that have the same `part`, in batches, with the state of the rows before the write. */
  storeStoredRows(
    tx: Tx,
    model: ModelDefinition,
    group: TemporaryTableChangeGroup,
    row: (index: number) => TemporaryTableRowToWrite,
  ): Promise<void> {
    return this.#storeInBatches(tx, this.#createStoredRowsInserter(model), group, row);
  }

  /**
   * Locks objects that a write changes in addition to the objects of the request. Stores the state of these objects
   * before the write, as rows with the given `part`. Returns the objects that exist.
   */
  async lockAndStoreSideEffects(tx: Tx, { model, ids }: ModelObjectIds, part: number): Promise<ModelObjectIds> {
    await forceLargeWriteIndexReads(tx, model, ids.length);
    const lock = this.statements.createRowLockStatement(model, { condition: null, forDeletion: false });
    const { rows } = await tx.query<{ id: number }>(lock, ['', ids]);
    const locked = rows.map(({ id }) => id);
    await this.storeStoredRows(tx, model, { part, count: locked.length }, (index) => ({
      place: index + 1,
      id: locked[index] ?? 0,
      hidden: false,
      message: '',
    }));
    return { model, ids: locked };
  }

  /**
   * Stores the changes of the objects of {@link lockAndStoreSideEffects} in the temporary table of changes. Omits
   * objects that did not change.
   */
  async storeChangesOfSideEffects(tx: Tx, { model, ids }: ModelObjectIds, part: number): Promise<void> {
    const source = `${temporaryRowsTableName} s JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = s.id
      WHERE s.part = ${part} AND s.place > $2 AND s.place <= $3`;
    await forEachNumberRange(ids.length, temporaryTableRowsPerStatement, (after, to) =>
      this.changes.storeUpdatesOrDeletions(tx, model, { part, place: 's.place', source, prechange: 's.prechange' }, [
        after,
        to,
      ]),
    );
  }

  async #storeInBatches(
    tx: Tx,
    insert: TemporaryRowsInserter,
    { part, count }: TemporaryTableChangeGroup,
    row: (index: number) => TemporaryTableRowToWrite,
  ): Promise<void> {
    await forEachNumberRange(count, temporaryTableRowsPerStatement, async (after, to) => {
      const rows = Array.from({ length: to - after }, (_, index) => row(after + index));
      await insert(tx, ['', await stringifyListWithPauses(rows), part]);
    });
  }

  #createStoredRowsInserter(model: ModelDefinition): TemporaryRowsInserter {
    const isRecorded = areChangesRecorded(model);
    const source = `jsonb_to_recordset($2::jsonb) AS g(place bigint, id bigint, candidate jsonb, hidden boolean, message text)
        JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = g.id WHERE true`;
    const names = ['place', 'candidate', 'hidden', 'message'];
    const values = Object.fromEntries(names.map((name) => [name, `g.${name}`]));
    return (tx, params) =>
      runStatementOnRowBatches(
        tx,
        this.shapes,
        { model, source, values },
        ({ snapshot }) => ` INSERT INTO ${temporaryRowsTableName} (part, id, ${names.join(', ')}, prechange)
          SELECT $3::integer, ${objectRowAlias}.id, ${names.map(createSelectedRowValueSql).join(', ')}, ${isRecorded ? snapshot : 'NULL::text'}
          FROM ${selectedRowsFromClauseSql}`,
        params,
      );
  }
}
