import type { Tx } from '@switchboard/database';
import {
  areChangesRecorded,
  type ModelDefinition,
  type ColumnValuesBeforeAndAfter,
} from '../declaration/define-model.js';
import { objectRowAlias } from '../read/object-json-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import type { CreatedCompanionObjectCounts, NewObjectWithCompanions } from '../declaration/companion-objects.js';
import { getChangeAuthor, type TemporaryTableChangeGroup } from './change-sink.js';
import { doHiddenColumnsDiffer } from './stored-columns-of-models.js';
import { findDerivedDataBeforeWrite, updateDerivedDataAfterWrite } from './derived-data-updates.js';
import { findTriggerSideEffects, type ModelObjectIds } from './trigger-side-effects.js';
import { allowLongStatements } from './allow-long-statements.js';
import type { RowPreparedForWrite } from './prepare-rows-for-writing.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { rejectLongReferencedTexts } from './stored-text-limit.js';
import type { CandidateRowValues } from './validation-error.js';
import type { RowWriter } from './row-writer.js';
import { countChangeNumbersPerOwner, CompanionObjectCreator } from './staged-companions.js';
import { writeRelatedObjectsInBatches } from './staged-fields-stored-as-objects.js';
import { TemporaryRowTable, temporaryRowsTableName } from './staged-rows.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';
import {
  temporaryChangesTableName,
  forEachNumberRange,
  temporaryTableRowsPerStatement,
  TemporaryChangeTable,
  type ChangedObjectInTemporaryTable,
} from './staged-changes.js';
import {
  urlBasePlaceholder,
  type WrittenObjectReceiver,
  type WriteRequest,
  type ObjectWriterOptions,
} from './write-request.js';
import type { RowLoadedBeforeChange, RowWriteStatements, WrittenRow } from './write-statements.js';

/** Value of the column `part` for rows of the objects in the request. Rows that triggers change have higher values. */
const requestedRowsPartNumber = 0;
const requestedRowsSelectionSql: SqlText = `(SELECT * FROM ${temporaryRowsTableName} WHERE part = ${requestedRowsPartNumber}) s`;

/** New objects that passed all checks, with the database rows to insert. */
export interface CheckedNewObjects {
  readonly items: readonly ParsedRequestObject[];
  readonly prepared: readonly RowPreparedForWrite[];
  readonly candidates: readonly CandidateRowValues[];
  /**
   * Companions to create along with the new objects, such as the ports of devices, and their numbers. Null if no
   * companions are created.
   */
  readonly companions: {
    readonly counts: CreatedCompanionObjectCounts;
    readonly given: readonly NewObjectWithCompanions[];
  } | null;
}

/** Objects to update that passed all checks, with their stored rows and new rows. */
export interface CheckedChangedObjects extends CheckedNewObjects {
  readonly loaded: readonly RowLoadedBeforeChange[];
}

/** Objects whose rows were written, in the order of the column `place`. */
interface WrittenRowIds extends CheckedNewObjects {
  readonly event: 'created' | 'updated';
  readonly ids: readonly number[];
  readonly sideEffects: readonly ModelObjectIds[];
}

/**
 * Creates or updates many objects. Rows and changes are stored in temporary tables. One statement writes all rows.
 * Other statements read the rows in batches for the response, the change log and the outbox. The last statements of the
 * transaction write the change log and the outbox.
 */
export class BulkObjectWriter {
  readonly #changes: TemporaryChangeTable;
  readonly #companions: CompanionObjectCreator;
  readonly #temporaryRows: TemporaryRowTable;

  constructor(
    private readonly options: ObjectWriterOptions,
    private readonly statements: RowWriteStatements,
    private readonly rows: RowWriter,
  ) {
    this.#changes = new TemporaryChangeTable(options.registry, options.shapes);
    this.#companions = new CompanionObjectCreator(options, this.#changes);
    this.#temporaryRows = new TemporaryRowTable(statements, options.shapes, this.#changes);
  }

  /**
   * Creates all objects of a write.
   *
   * @returns the ids of the new objects
   * @throws ApplicationError PERMISSION_DENIED if the user's permissions do not include a new object; also the errors of
   *   `WrittenObjectReceiver.add` and `Companions`
   */
  async createObjects(
    tx: Tx,
    write: WriteRequest,
    made: CheckedNewObjects,
    response: WrittenObjectReceiver,
  ): Promise<readonly number[]> {
    const { model } = write;
    const { items, candidates } = made;
    await this.#createRowsTable(tx);
    const group = { part: requestedRowsPartNumber, count: candidates.length };
    await this.#temporaryRows.storeNewRows(tx, group, (index) => ({
      place: index + 1,
      candidate: candidates[index] ?? {},
      hidden: false,
      message: items[index]?.message ?? '',
    }));
    await findDerivedDataBeforeWrite(tx, model, items);
    const sideEffects = await this.#lockSideEffects(
      tx,
      model,
      candidates.map((after) => ({ before: null, after })),
    );
    const { rows } = await tx.query<{ id: number }>(
      this.statements.createInsertFromSourceStatement(model, requestedRowsSelectionSql),
    );
    const ids = rows.map(({ id }) => id);
    await tx.query(
      `UPDATE ${temporaryRowsTableName} s SET id = made.id FROM unnest($1::bigint[]) WITH ORDINALITY AS made (id, place)
        WHERE s.part = ${requestedRowsPartNumber} AND s.place = made.place`,
      [ids],
    );
    await tx.query(`ANALYZE ${temporaryRowsTableName} (id)`);
    await this.#writeResponseAndChanges(tx, write, { ...made, event: 'created', ids, sideEffects }, response);
    return ids;
  }

  /**
   * Updates all objects of a write.
   *
   * @throws ApplicationError PERMISSION_DENIED if the user's permissions do not include a changed object; also the errors of
   *   `WrittenObjectReceiver.add`
   */
  async updateObjects(
    tx: Tx,
    write: WriteRequest,
    update: CheckedChangedObjects,
    response: WrittenObjectReceiver,
  ): Promise<void> {
    const { model } = write;
    const { items, candidates, loaded, prepared } = update;
    await this.#createRowsTable(tx);
    const group = { part: requestedRowsPartNumber, count: loaded.length };
    await this.#temporaryRows.storeStoredRows(tx, model, group, (index) => {
      const [id, stored] = loaded[index] ?? [0, {}];
      return {
        place: index + 1,
        id,
        candidate: candidates[index] ?? {},
        hidden: doHiddenColumnsDiffer(model, stored, prepared[index]?.columns ?? {}),
        message: items[index]?.message ?? '',
      };
    });
    await findDerivedDataBeforeWrite(tx, model, items);
    const writes = candidates.map((after, index) => ({ before: loaded[index]?.[1] ?? null, after }));
    const sideEffects = await this.#lockSideEffects(tx, model, writes);
    await tx.query(`ANALYZE ${temporaryRowsTableName} (id)`);
    // Triggers may update many more rows: renamed devices, for example, write their name to each of their components.
    await allowLongStatements(tx);
    await tx.query(this.statements.createUpdateFromSourceStatement(model, requestedRowsSelectionSql));
    const ids = loaded.map(([id]) => id);
    await this.#writeResponseAndChanges(tx, write, { ...update, event: 'updated', ids, sideEffects }, response);
  }

  async #createRowsTable(tx: Tx): Promise<void> {
    await this.#temporaryRows.createRowsTable(tx);
    await this.#changes.createChangesTable(tx);
  }

  /**
   * Writes the fields of objects that are stored in other tables. Then writes the response, the change log and the
   * outbox.
   */
  async #writeResponseAndChanges(
    tx: Tx,
    write: WriteRequest,
    written: WrittenRowIds,
    response: WrittenObjectReceiver,
  ): Promise<void> {
    const { model } = write;
    const { items, prepared: saves, event, ids, sideEffects } = written;
    const objects = ids.map((objectId, index) => ({ objectId, item: items[index] }));
    const related = await this.#writeRelatedTables(
      tx,
      model,
      objects,
      requestedRowsPartNumber + 1 + sideEffects.length,
    );
    await this.rows.rejectRowsOutsidePermission(tx, write, ids);
    const limit = this.options.services.limits.updateTextBytes;
    for (const each of [{ model, ids }, ...sideEffects]) {
      await rejectLongReferencedTexts(tx, { ...each, limit, inMemory: 'in slices' });
    }
    const respond = async (rows: readonly ChangedObjectInTemporaryTable[], from: number): Promise<void> => {
      const objects = rows.map(({ id, object, tag }, index) =>
        this.rows.toResponseJson({ id, data: object, entityTag: tag }, write, saves[from + index]?.reveal ?? {}),
      );
      await response.add(objects);
    };
    const { companions } = model.hooks;
    const brought = written.companions;
    if (companions === undefined || brought === null) {
      await this.#stageChanges(tx, { model, ids }, event, { perObject: 1 }, respond);
    } else {
      const perObject = countChangeNumbersPerOwner(brought.counts);
      await this.#stageChanges(tx, { model, ids }, event, { perObject }, () => Promise.resolve());
      await this.#companions.createCompanionObjects(tx, companions, { ids, ...brought, part: requestedRowsPartNumber });
      await this.#rereadForResponse(tx, model, ids, respond);
    }
    for (const [index, each] of sideEffects.entries())
      await this.#temporaryRows.storeChangesOfSideEffects(tx, each, requestedRowsPartNumber + 1 + index);
    const own =
      brought === null
        ? { part: requestedRowsPartNumber, count: ids.length }
        : await this.#changes.countChangesOfPart(tx, requestedRowsPartNumber);
    const further = sideEffects.map((each, index) => ({
      part: requestedRowsPartNumber + 1 + index,
      count: each.ids.length,
    }));
    await this.#writeStagedChanges(tx, write, [own, ...further, ...related]);
  }

  /**
   * Writes the fields of objects that are stored in other tables. Returns the groups of the changes of objects in these
   * tables, whose values of the column `part` begin with `firstPart`.
   */
  async #writeRelatedTables(
    tx: Tx,
    model: ModelDefinition,
    written: readonly WrittenObjectWithTags[],
    firstPart: number,
  ): Promise<readonly TemporaryTableChangeGroup[]> {
    await this.rows.writeTagsAndRelatedFields(tx, model, written);
    const tables = { rows: this.#temporaryRows, changes: this.#changes, firstPart };
    const context = this.rows.createRelatedObjectsContext(model);
    const groups = await writeRelatedObjectsInBatches(tx, context, written, tables);
    if (groups === null) await updateDerivedDataAfterWrite(tx, model, written);
    return groups ?? [];
  }

  /** Reads new objects again for the response, because companions, such as ports, were created along with them. */
  async #rereadForResponse(
    tx: Tx,
    model: ModelDefinition,
    ids: readonly number[],
    take: (rows: readonly ChangedObjectInTemporaryTable[], from: number) => Promise<void>,
  ): Promise<void> {
    await forEachNumberRange(ids.length, temporaryTableRowsPerStatement, async (after, to) => {
      const { rows } = await tx.query<WrittenRow>(
        createPreparedQuery(this.statements.createRowRereadStatement(model), [
          urlBasePlaceholder,
          ids.slice(after, to),
        ]),
      );
      await take(
        rows.map(([id, object, , tag]) => ({ id, object, tag })),
        after,
      );
    });
  }

  /**
   * Locks the objects that triggers will change when the rows are written. Stores the state of these objects in a
   * temporary table.
   */
  async #lockSideEffects(
    tx: Tx,
    model: ModelDefinition,
    writes: readonly ColumnValuesBeforeAndAfter[],
  ): Promise<readonly ModelObjectIds[]> {
    const { registry } = this.options;
    await model.hooks.lock?.(tx, writes);
    const named = await findTriggerSideEffects(tx, { model, registry }, writes);
    const recorded = named.filter((each) => areChangesRecorded(each.model));
    const sideEffects: ModelObjectIds[] = [];
    for (const each of recorded) {
      const part = requestedRowsPartNumber + 1 + sideEffects.length;
      sideEffects.push(await this.#temporaryRows.lockAndStoreSideEffects(tx, each, part));
    }
    return sideEffects;
  }

  async #stageChanges(
    tx: Tx,
    { model, ids }: ModelObjectIds,
    event: 'created' | 'updated',
    { perObject }: { readonly perObject: number },
    take: (rows: readonly ChangedObjectInTemporaryTable[], from: number) => Promise<void>,
  ): Promise<void> {
    const from = {
      part: requestedRowsPartNumber,
      place: perObject === 1 ? 's.place' : `(s.place - 1) * ${perObject} + 1`,
      event,
      source: `${temporaryRowsTableName} s JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = s.id
        WHERE s.part = ${requestedRowsPartNumber} AND s.place > $2 AND s.place <= $3`,
      prechange: 's.prechange',
      message: 's.message',
      hidden: 's.hidden',
    };
    await forEachNumberRange(ids.length, temporaryTableRowsPerStatement, async (after, to) => {
      const given = { base: urlBasePlaceholder, params: [after, to] };
      await take(await this.#changes.storeWrittenObjectChanges(tx, model, from, given), after);
    });
  }

  async #writeStagedChanges(tx: Tx, write: WriteRequest, parts: readonly TemporaryTableChangeGroup[]): Promise<void> {
    const { model } = write;
    if (!areChangesRecorded(model)) return;
    await tx.query(`ANALYZE ${temporaryChangesTableName} (part, place, type, id)`);
    await this.options.changes.insertStaged(tx, parts, getChangeAuthor(write));
  }
}
