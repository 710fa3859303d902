import type { Tx } from '@switchboard/database';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { maxRowsForBatchedLoading } from '../read/page-rows-sql.js';
import type { ObjectJsonSqlCache } from '../read/object-json-sql.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import { type UploadedFileChanges, listFileFieldNames } from '../uploads/uploaded-file-changes.js';
import type { ChangeAuthor, ObjectChangeReceiver, TemporaryTableChangeGroup } from './change-sink.js';
import { findDerivedDataBeforeDeletion } from './derived-data-updates.js';
import { allowLongStatements } from './allow-long-statements.js';
import { listBlockerNames, createDeletionBlockedError } from './rejected-deletion-error.js';
import { runStatementOnRowBatches, selectedRowsFromClauseSql } from './run-in-row-batches.js';
import { temporaryChangesTableName, forEachNumberRange, TemporaryChangeTable } from './staged-changes.js';
import {
  deletionBlockersTableName,
  deletedRowsTableName,
  clearedReferencesTableName,
  type RowsWithReferenceToClear,
  type TemporaryTableDeletionPlan,
  type RowsToDelete,
  planDeletionInTemporaryTables,
} from './staged-deletion-plan.js';

/** Number of rows that one SQL statement reads for change records and events. */
const changeRecordRowsPerStatement = maxRowsForBatchedLoading;

/** Number of rows in which one SQL statement sets a reference to null, or which one statement deletes. */
const rowsChangedPerStatement = 5_000;

/** Services and settings on which {@link BulkObjectDeleter} depends. */
export interface BulkObjectDeleterOptions {
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonSqlCache;
  readonly changes: ObjectChangeReceiver;
}

/** A deletion of objects that are already locked, with the user and the request to record for the deletion. */
export interface BulkObjectDeletion {
  readonly model: ModelDefinition;
  readonly ids: readonly number[];
  readonly messages: ReadonlyMap<number, string>;
  readonly context: ChangeAuthor;
  readonly files: UploadedFileChanges;
  /** Maximum total number of objects that are deleted and objects in which a reference is set to null. */
  readonly most: number;
}

/**
 * Deletes many objects, and by cascade the objects that depend on them. The results are the same as those of
 * `ObjectRemover` for few objects. The objects and their changes are stored in temporary tables and processed in
 * batches. The last statements of the transaction, which run when all rows are locked, copy the changes to the change
 * log and the outbox.
 */
export class BulkObjectDeleter {
  readonly #staged: TemporaryChangeTable;

  constructor(private readonly options: BulkObjectDeleterOptions) {
    this.#staged = new TemporaryChangeTable(options.registry, options.shapes);
  }

  /**
   * Deletes the objects.
   *
   * @returns the models of the deleted objects, each with its ids
   * @throws ApplicationError PROTECTED, DELETION_TOO_LARGE
   */
  async deleteObjects(
    tx: Tx,
    deletion: BulkObjectDeletion,
  ): Promise<{ model: ModelDefinition; ids: readonly number[] }[]> {
    const { registry, changes } = this.options;
    const { model, ids, most } = deletion;
    const plan = await planDeletionInTemporaryTables(tx, registry, { model, ids, most });
    await this.#rejectBlocked(tx, plan);
    // All foreign keys are checked in one statement, after the last row is deleted. Locks are waited for no longer.
    await allowLongStatements(tx);
    await this.#staged.createChangesTable(tx);
    const [own, ...others] = plan.deleted;
    // The last part. Its objects are staged here already, in their state before references are set to null.
    const ownPart = plan.emptied.length + plan.deleted.length;
    if (own !== undefined) await this.#stageDeletions(tx, ownPart, own, { level: 'asked for' });
    const removed = await this.#deletedIdsOf(tx, plan.deleted);
    const updateDerived = await findDerivedDataBeforeDeletion(tx, removed);
    for (const emptied of plan.emptied) await this.#clearReference(tx, emptied);
    await tx.query('SET CONSTRAINTS ALL DEFERRED');
    const parts: TemporaryTableChangeGroup[] = plan.emptied.map(({ entry, count }) => ({ part: entry, count }));
    for (const [index, rows] of others.toReversed().entries()) {
      const part = plan.emptied.length + index;
      await this.#stageDeletions(tx, part, rows, { level: 'any' });
      parts.push({ part, count: rows.count });
    }
    if (own !== undefined) {
      await this.#stageDeletions(tx, ownPart, own, { level: 'found' });
      await this.#addMessages(tx, deletion);
      parts.push({ part: ownPart, count: own.count });
    }
    for (const rows of plan.deleted.toReversed()) await this.#deleteStagedRows(tx, rows, deletion.files);
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    await updateDerived(tx);
    // The other columns are long and no condition reads them.
    await tx.query(`ANALYZE ${temporaryChangesTableName} (part, place, type, id)`);
    await changes.insertStaged(tx, parts, deletion.context);
    return removed;
  }

  async #rejectBlocked(tx: Tx, { blockers }: TemporaryTableDeletionPlan): Promise<void> {
    if (blockers.length === 0) return;
    const names: string[] = [];
    for (const { model } of blockers) {
      const ids = `t.id IN (SELECT b.id FROM ${deletionBlockersTableName} b WHERE b.type = ${quoteSqlLiteral(model.type)})`;
      names.push(...(await listBlockerNames(tx, this.options.registry, { model, condition: ids })));
    }
    throw createDeletionBlockedError(
      blockers.reduce((sum, { count }) => sum + count, 0),
      names,
    );
  }

  /**
   * Stores the deletions of a model's objects in the temporary table of changes. Covers all objects to delete, only the
   * objects in the request, or only the objects found by cascade.
   */
  async #stageDeletions(
    tx: Tx,
    part: number,
    { model, count }: RowsToDelete,
    { level }: { readonly level: 'any' | 'asked for' | 'found' },
  ): Promise<void> {
    if (!areChangesRecorded(model)) return;
    const levels = { any: '', 'asked for': ' AND d.level = 0', found: ' AND d.level > 0' };
    const source = `${createRowRangeConditionSql(model.type)}${levels[level]}`;
    await forEachNumberRange(count, changeRecordRowsPerStatement, (after, to) =>
      this.#staged.storeUpdatesOrDeletions(
        tx,
        model,
        {
          part,
          place: 'd.place',
          source: `${model.table} t JOIN ${deletedRowsTableName} d ON d.id = t.id WHERE ${source}`,
          prechange: null,
        },
        [after, to],
      ),
    );
  }

  async #addMessages(tx: Tx, { model, messages }: BulkObjectDeletion): Promise<void> {
    if (messages.size === 0) return;
    await tx.query(
      `UPDATE ${temporaryChangesTableName} c SET message = m.message FROM unnest($2::bigint[], $3::text[]) AS m (id, message)
        WHERE c.type = $1 AND c.id = m.id AND c.event = 'deleted'`,
      [model.type, [...messages.keys()], [...messages.values()]],
    );
  }

  /**
   * Sets one reference to null in all rows that contain it. Stores the changes of the rows in a temporary table. Reads
   * all rows before changing the first row.
   */
  async #clearReference(tx: Tx, { reference, entry, count }: RowsWithReferenceToClear): Promise<void> {
    const { model, idColumn, typeColumn, emptiedToo } = reference;
    const isKept = areChangesRecorded(model);
    const rows = `e.entry = ${entry} AND e.place > $2 AND e.place <= $3`;
    const source = `${model.table} t JOIN ${clearedReferencesTableName} e ON e.id = t.id WHERE ${rows}`;
    if (isKept) {
      await forEachNumberRange(count, changeRecordRowsPerStatement, async (after, to) => {
        await runStatementOnRowBatches(
          tx,
          this.options.shapes,
          { model, source, values: {} },
          ({
            snapshot,
          }) => ` UPDATE ${clearedReferencesTableName} e SET prechange = ${snapshot} FROM ${selectedRowsFromClauseSql}
            WHERE e.entry = ${entry} AND e.id = t.id`,
          ['', after, to],
        );
      });
    }
    const emptied = [idColumn, ...(typeColumn === null ? [] : [typeColumn]), ...emptiedToo];
    const columns = emptied.map((name) => `${name} = NULL`);
    if (model.fields['last_updated'] !== undefined) columns.push('last_updated = clock_timestamp()');
    await forEachNumberRange(count, rowsChangedPerStatement, async (after, to) => {
      await tx.query(
        `UPDATE ${model.table} t SET ${columns.join(', ')} FROM ${clearedReferencesTableName} e
          WHERE t.id = e.id AND ${rows} AND $1::text IS NOT NULL`,
        ['', after, to],
      );
    });
    if (!isKept) return;
    await forEachNumberRange(count, changeRecordRowsPerStatement, (after, to) =>
      this.#staged.storeUpdatesOrDeletions(
        tx,
        model,
        { part: entry, place: 'e.place', source, prechange: 'e.prechange' },
        [after, to],
      ),
    );
  }

  async #deletedIdsOf(
    tx: Tx,
    deleted: readonly RowsToDelete[],
  ): Promise<{ model: ModelDefinition; ids: readonly number[] }[]> {
    const found: { model: ModelDefinition; ids: number[] }[] = [];
    for (const { model, count } of deleted) {
      const ids: number[] = [];
      await forEachNumberRange(count, rowsChangedPerStatement, async (after, to) => {
        const text = `SELECT d.id FROM ${deletedRowsTableName} d WHERE ${createRowRangeConditionSql(model.type)} AND $1::text IS NOT NULL`;
        const { rows } = await tx.query<{ id: number }>(text, ['', after, to]);
        for (const { id } of rows) ids.push(id);
      });
      found.push({ model, ids });
    }
    return found;
  }

  async #deleteStagedRows(tx: Tx, { model, count }: RowsToDelete, files: UploadedFileChanges): Promise<void> {
    const tables = model.fields['tags']?.tagTables;
    const names = listFileFieldNames(model);
    const stored = names.length === 0 ? '' : ` RETURNING ${names.map((name) => `t."${name}"`).join(', ')}`;
    await forEachNumberRange(count, rowsChangedPerStatement, async (after, to) => {
      if (tables !== undefined) {
        await tx.query(
          `DELETE FROM ${tables.assignments} a USING ${deletedRowsTableName} d
            WHERE a.object_type = $1 AND a.object_id = d.id AND ${createRowRangeConditionSql(model.type)}`,
          [model.type, after, to],
        );
      }
      const { rows } = await tx.query<Record<string, unknown>>(
        `DELETE FROM ${model.table} t USING ${deletedRowsTableName} d
          WHERE t.id = d.id AND ${createRowRangeConditionSql(model.type)} AND $1::text IS NOT NULL${stored}`,
        ['', after, to],
      );
      if (names.length > 0) await files.markFilesOfDeletedObjects(model, rows);
    });
  }
}

/**
 * Returns the SQL condition for rows of the table `d` of objects to delete. It selects rows of the given model whose
 * `place` is above `$2` and at most `$3`.
 */
function createRowRangeConditionSql(type: string): SqlText {
  return `d.type = ${quoteSqlLiteral(type)} AND d.place > $2 AND d.place <= $3`;
}
