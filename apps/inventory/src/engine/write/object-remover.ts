import { UnknownCommitOutcomeError, type Database, type Tx } from '@switchboard/database';
import { type DatabaseFaultKind, convertErrorToDatabaseFault } from '@switchboard/errors';
import { inventoryErrors } from '../../errors.js';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import type { RequestLimits } from '../request-limits.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { ObjectJsonSqlCache } from '../read/object-json-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import { type ChangeAuthor, type ObjectChangeReceiver, getChangeAuthor, type ObjectChange } from './change-sink.js';
import { UploadedFileChanges, listFileFieldNames } from '../uploads/uploaded-file-changes.js';
import type { MediaStore } from '../uploads/uploaded-file.js';
import { findDerivedDataBeforeDeletion, findDerivedDataBeforePlan } from './derived-data-updates.js';
import { type DeletionPlan, type ReferenceToClear, type ObjectsOfModel, planObjectDeletion } from './deletion-plan.js';
import { findTriggeredChanges, loadTriggerSideEffects } from './trigger-side-effects.js';
import { lockRowsAndListIds, lockAndLoadObjects } from './lock-and-load.js';
import { listBlockerNames, createDeletionBlockedError } from './rejected-deletion-error.js';
import { retryWithoutBatches } from './run-in-row-batches.js';
import { BulkObjectDeleter } from './staged-deletion.js';
import { type RowLoadedBeforeChange, RowWriteStatements } from './write-statements.js';
import { haveLongStoredTexts } from './stored-text-limit.js';
import { checkEntityTag } from './check-entity-tag.js';
import type { WriteRequest } from './write-request.js';

/** Services and settings on which {@link ObjectRemover} depends. */
export interface ObjectRemoverOptions {
  readonly database: Database;
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonSqlCache;
  readonly changes: ObjectChangeReceiver;
  /**
   * Invalidates the cached data of the objects that a committed deletion changed, in all processes. The returned
   * promise never rejects.
   */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
  readonly limits: Pick<RequestLimits, 'deletionInMemory' | 'deletionObjects'>;
}

/** Options of a request that deletes objects. */
export interface ObjectDeletionOptions {
  /**
   * Entity tags in the request's `If-Match` header. The entity tag of each object to delete must be among them. Null
   * accepts any entity tag.
   */
  readonly ifMatch: readonly string[] | null;
  /** Messages that the client sent for the change log, by the id of the deleted object. */
  readonly messages: ReadonlyMap<number, string>;
}

/**
 * Maximum number of objects that are always deleted in memory, without temporary tables. The length of the objects'
 * texts does not matter up to this number.
 */
const maxObjectsDeletedInMemory = 3;

/**
 * Maximum total length, in bytes, of the stored texts of objects that are deleted in memory. A deletion in memory reads
 * and writes each text twice.
 */
const maxTextBytesForDeletion = 8 * 1024 * 1024;

/** Objects to delete whose rows are locked. `loaded` is null if only the ids of the objects were read. */
interface LockedObjectsToDelete {
  readonly ids: readonly number[];
  readonly loaded: readonly RowLoadedBeforeChange[] | null;
}

/** Deleted rows of one model, by the id of the object. */
interface DeletedRows {
  readonly model: ModelDefinition;
  readonly ids: readonly number[];
}

/**
 * Deletes objects of any model. Also deletes objects that depend on the deleted objects by a cascading reference. Sets
 * other references to deleted objects to null. Rejects the deletion if a protecting reference of another object
 * prevents it.
 */
export class ObjectRemover {
  readonly #statements: RowWriteStatements;
  readonly #staged: BulkObjectDeleter;

  constructor(private readonly options: ObjectRemoverOptions) {
    this.#statements = new RowWriteStatements(options.registry, options.shapes);
    this.#staged = new BulkObjectDeleter(options);
  }

  /**
   * Deletes all given objects or rejects the whole request. Ids that do not exist or are not visible to the user are
   * omitted from the result.
   *
   * @throws ApplicationError PROTECTED with all objects that prevent the deletion, PRECONDITION_FAILED, or DELETION_TOO_LARGE
   */
  async removeObjects(
    write: WriteRequest,
    ids: readonly string[],
    { ifMatch, messages }: ObjectDeletionOptions,
  ): Promise<readonly number[]> {
    const { database, shapes, media } = this.options;
    const files = new UploadedFileChanges(media);
    await shapes.customFields.waitUntilLoaded();
    let deleted: readonly DeletedRows[] = [];
    try {
      const removed = await retryWithoutBatches((begin) =>
        database.inTransaction(async (tx) => {
          begin(tx);
          files.prepareForNextWriteAttempt();
          const found = await this.#lockAndLoad(tx, write, ids, ifMatch);
          if (found.ids.length === 0) return [];
          deleted = await this.#removeLockedObjects(tx, write, found, { messages, files });
          return found.ids;
        }),
      );
      await Promise.all([this.#invalidateCaches(deleted), files.removeReplacedFiles()]);
      return removed;
    } catch (error) {
      if (error instanceof UnknownCommitOutcomeError) await this.#invalidateCaches(deleted);
      else await files.removeAddedFiles();
      throw convertToProtectedObjectError(error);
    }
  }

  /**
   * Sets all references to some objects to null and records the changes. Runs in a transaction of the caller. The
   * caller must lock the referenced objects before the call and deletes them afterwards.
   */
  async clearReferencesToObjects(
    tx: Tx,
    { model, ids }: { readonly model: ModelDefinition; readonly ids: readonly number[] },
    context: ChangeAuthor,
  ): Promise<void> {
    const plan = await planObjectDeletion(tx, this.options.registry, { model, ids, most: Number.MAX_SAFE_INTEGER - 1 });
    const changes: ObjectChange[] = [];
    for (const emptied of plan?.emptied ?? []) changes.push(...(await this.#clearReference(tx, emptied)));
    this.options.changes.record(tx, changes, context);
  }

  /** Locks the objects to delete. Also reads all data of the objects if the objects are few. */
  async #lockAndLoad(
    tx: Tx,
    { model, grant }: WriteRequest,
    ids: readonly string[],
    ifMatch: readonly string[] | null,
  ): Promise<LockedObjectsToDelete> {
    if (ids.length > Math.min(maxObjectsDeletedInMemory, this.options.limits.deletionInMemory)) {
      const found = await lockRowsAndListIds(tx, this.#statements, { model, ids, grant });
      if (ifMatch !== null) found.forEach(([, tag]) => checkEntityTag(ifMatch, tag));
      return { ids: found.map(([id]) => id), loaded: null };
    }
    const loaded = await lockAndLoadObjects(tx, this.#statements, {
      model,
      ids,
      grant,
      withData: true,
      forDeletion: true,
    });
    if (ifMatch !== null) loaded.forEach((row) => checkEntityTag(ifMatch, row[3]));
    return { ids: loaded.map(([id]) => id), loaded };
  }

  /**
   * Deletes objects that are already locked. A few objects are deleted in memory; many objects, or objects with long
   * texts, through temporary tables.
   */
  async #removeLockedObjects(
    tx: Tx,
    write: WriteRequest,
    { ids, loaded }: LockedObjectsToDelete,
    { messages, files }: { readonly messages: ReadonlyMap<number, string>; readonly files: UploadedFileChanges },
  ): Promise<readonly DeletedRows[]> {
    const { limits, registry } = this.options;
    const { model } = write;
    const most = Math.min(limits.deletionInMemory, limits.deletionObjects);
    await findDerivedDataBeforePlan(tx, model, ids);
    const plan = ids.length > most ? null : await planObjectDeletion(tx, registry, { model, ids, most });
    if (plan === null || (await hasTooLongStoredTexts(tx, plan))) {
      return this.#staged.deleteObjects(tx, {
        model,
        ids,
        messages,
        files,
        context: getChangeAuthor(write),
        most: limits.deletionObjects,
      });
    }
    await this.#rejectBlocked(tx, plan);
    // Events and change log show the objects in their state before references are set to null.
    const own = loaded ?? (await this.#readLockedObjects(tx, model, ids));
    await this.#runDeletionPlan(tx, write, plan, { loaded: own, messages, files });
    return [...plan.deleted.values()].map((rows) => ({ model: rows.model, ids: [...rows.ids] }));
  }

  async #invalidateCaches(deleted: readonly DeletedRows[]): Promise<void> {
    await Promise.all(deleted.map(({ model, ids }) => this.options.onCommitted(model, ids)));
  }

  async #rejectBlocked(tx: Tx, { blockers }: DeletionPlan): Promise<void> {
    if (blockers.size === 0) return;
    const names: string[] = [];
    let count = 0;
    for (const { model, ids } of blockers.values()) {
      count += ids.size;
      const condition = 't.id = ANY ($1::bigint[])';
      names.push(...(await listBlockerNames(tx, this.options.registry, { model, condition, params: [[...ids]] })));
    }
    throw createDeletionBlockedError(count, names);
  }

  /**
   * Sets references to deleted objects to null, then deletes the rows. A row that refers to another deleted row is
   * deleted first.
   */
  async #runDeletionPlan(
    tx: Tx,
    write: WriteRequest,
    plan: DeletionPlan,
    {
      loaded,
      messages,
      files,
    }: { loaded: readonly RowLoadedBeforeChange[]; messages: ReadonlyMap<number, string>; files: UploadedFileChanges },
  ): Promise<void> {
    const changes: ObjectChange[] = [];
    const updateDerived = await findDerivedDataBeforeDeletion(tx, [
      ...plan.deleted.values(),
      ...plan.emptied.map(({ reference: { model }, ids }) => ({ model, ids })),
    ]);
    for (const emptied of plan.emptied) changes.push(...(await this.#clearReference(tx, emptied)));
    const order = [...plan.deleted.values()].toReversed();
    // Objects of two models may refer to each other, so constraints are checked after all rows are deleted.
    await tx.query('SET CONSTRAINTS ALL DEFERRED');
    for (const rows of order) {
      const own = rows.model === write.model;
      const deletions = await this.#deletionChangesOf(tx, rows, own ? loaded : []);
      changes.push(...deletions.map((change) => ({ ...change, message: own ? messages.get(change.id) : undefined })));
    }
    for (const rows of order) await files.markFilesOfDeletedObjects(rows.model, await this.#deleteRows(tx, rows));
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    await updateDerived(tx);
    this.options.changes.record(tx, changes, getChangeAuthor(write));
  }

  async #clearReference(tx: Tx, { reference, ids }: ReferenceToClear): Promise<ObjectChange[]> {
    if (ids.size === 0) return [];
    const { model, idColumn, typeColumn, emptiedToo } = reference;
    const own = [...ids];
    const sideEffects = await loadTriggerSideEffects(tx, this.#statements, { model, ids: own });
    const emptied = [idColumn, ...(typeColumn === null ? [] : [typeColumn]), ...emptiedToo];
    const columns = emptied.map((name) => `${name} = NULL`);
    if (model.fields['last_updated'] !== undefined) columns.push('last_updated = clock_timestamp()');
    await tx.query(`UPDATE ${model.table} SET ${columns.join(', ')} WHERE id = ANY ($1::bigint[])`, [own]);
    return findTriggeredChanges(tx, this.#statements, sideEffects);
  }

  async #deletionChangesOf(
    tx: Tx,
    { model, ids }: ObjectsOfModel,
    known: readonly RowLoadedBeforeChange[],
  ): Promise<ObjectChange[]> {
    if (!areChangesRecorded(model)) return [];
    const seen = new Set(known.map(([id]) => id));
    const further = await this.#readLockedObjects(
      tx,
      model,
      [...ids].filter((id) => !seen.has(id)),
    );
    const rows = new Map([...further, ...known].map((row) => [row[0], row]));
    return [...ids].flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const [, , prechange, , data] = row;
      return [{ model, id, event: 'deleted' as const, data: data ?? '{}', prechange, postchange: null }];
    });
  }

  /** Reads objects of a model that are already locked. */
  async #readLockedObjects(
    tx: Tx,
    model: ModelDefinition,
    ids: readonly number[],
  ): Promise<readonly RowLoadedBeforeChange[]> {
    if (ids.length === 0) return [];
    const load = this.#statements.createRowLoadStatement(model, { condition: null, withData: true });
    return (await tx.query<RowLoadedBeforeChange>(createPreparedQuery(load, ['', ids]))).rows;
  }

  /** Deletes rows of a model. Returns the paths of the uploaded files that belong to the rows. */
  async #deleteRows(tx: Tx, { model, ids }: ObjectsOfModel): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const own = [...ids];
    const tables = model.fields['tags']?.tagTables;
    if (tables !== undefined) {
      await tx.query(`DELETE FROM ${tables.assignments} WHERE object_type = $1 AND object_id = ANY ($2::bigint[])`, [
        model.type,
        own,
      ]);
    }
    const files = ['id', ...listFileFieldNames(model)].map((name) => `"${name}"`).join(', ');
    const { rows } = await tx.query<Record<string, unknown>>(
      `DELETE FROM ${model.table} WHERE id = ANY ($1::bigint[]) RETURNING ${files}`,
      [own],
    );
    return rows;
  }
}

/**
 * Returns true if the stored texts of the objects to delete are too long for a deletion in memory. The caller must have
 * locked the objects.
 */
async function hasTooLongStoredTexts(tx: Tx, { deleted, emptied }: DeletionPlan): Promise<boolean> {
  const objects = [...deleted.values(), ...emptied.map(({ reference: { model }, ids }) => ({ model, ids }))];
  const count = objects.reduce((sum, { ids }) => sum + ids.size, 0);
  return count > maxObjectsDeletedInMemory && haveLongStoredTexts(tx, objects, maxTextBytesForDeletion);
}

const unnamedDeletionBlockerText = 'one that cannot be without it';
const deletionBlockerNameByError: Partial<Record<DatabaseFaultKind, string>> = {
  foreign_key: 'one that was added just now',
  unique: unnamedDeletionBlockerText,
  check: unnamedDeletionBlockerText,
  not_null: unnamedDeletionBlockerText,
  exclusion: unnamedDeletionBlockerText,
};

/**
 * Converts a database error to the error PROTECTED in two cases. In the first case, a reference to a deleted object was
 * added after the deletion was planned. In the second case, a remaining object would become invalid. For example, two
 * objects would have the same name and no group. Returns any other error unchanged.
 */
function convertToProtectedObjectError(error: unknown): unknown {
  const kind = convertErrorToDatabaseFault(error)?.kind;
  const objects = kind && deletionBlockerNameByError[kind];
  return objects ? inventoryErrors.create('PROTECTED', { params: { count: 1, objects }, cause: error }) : error;
}
