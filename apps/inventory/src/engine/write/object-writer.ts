import type { OpenTx, Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import { canModelReturnEncryptedTexts } from '../sealed/encrypted-text-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import { referenceSetByTriggerMessage } from '../read/object-json-fragments.js';
import { getChangeAuthor, type ObjectChange } from './change-sink.js';
import { doHiddenColumnsDiffer } from './stored-columns-of-models.js';
import { listChangesOfWrittenObjects, type WrittenObjectsOfModel } from './list-written-changes.js';
import { lockSentCustomFields } from './custom-field-values.js';
import { findDerivedDataBeforeWrite, doesBodyAffectDerivedData } from './derived-data-updates.js';
import { findTriggeredChanges, type LockedTriggerSideEffects, lockTriggerSideEffects } from './trigger-side-effects.js';
import { lockAndLoadObjects, lockAndLoadColumns } from './lock-and-load.js';
import { stringifyListWithPauses, mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import { type RowPreparedForWrite, prepareRowsForWrite } from './prepare-rows-for-writing.js';
import { parseRequestBody } from './parse-request-body.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { checkEntityTag } from './check-entity-tag.js';
import { UploadedFileChanges } from '../uploads/uploaded-file-changes.js';
import type { CandidateRowValues, ValidationErrorForm } from './validation-error.js';
import { hasRelatedObjectValues } from './related-assignments.js';
import { mustRereadAfterCreate, mustRereadAfterUpdate, findNullReferences } from './reread-after-write-conditions.js';
import { RowWriter } from './row-writer.js';
import { type CheckedNewObjects, type CheckedChangedObjects, BulkObjectWriter } from './staged-write.js';
import {
  countRelatedObjects,
  countRelatedObjectsInBodies,
  hasFieldsStoredByFunctions,
} from './fields-stored-as-objects.js';
import { hasTagsInRequest } from './tag-changes.js';
import { canShowOtherObjectsTexts } from './stored-text-limit.js';
import { WorkOutsideTransaction } from './work-outside-transaction.js';
import { type WriteAttempt, RetryingWriteRunner } from './write-retries.js';
import {
  urlBasePlaceholder,
  type WrittenObjectReceiver,
  type WriteRequest,
  type ObjectWriterOptions,
  type WrittenObject,
} from './write-request.js';
import type { ObjectUpdate, ObjectUpdateOptions } from './object-update.js';
import { type RowLoadedBeforeChange, RowWriteStatements, type WrittenRow } from './write-statements.js';

/** Request bodies of the objects to create, or a function that returns the bodies within the write's transaction. */
export type NewObjectBodies = readonly unknown[] | ((tx: Tx) => Promise<readonly unknown[]>);

/** Options of an update of objects, with further data for the checks of the update. */
interface CheckedObjectUpdateOptions extends ObjectUpdateOptions {
  readonly attempt: WriteAttempt;
  readonly shape: ValidationErrorForm;
  /** Maximum total length of the stored texts of the objects, in bytes; no limit if absent. */
  readonly maxTextBytes?: number;
}

/** Creates and updates lists of objects of any model. Callers pass a single object as a list with one item. */
export class ObjectWriter {
  readonly #statements: RowWriteStatements;
  /** Models whose triggers have set references in new objects although the write left those references null. */
  readonly #filledByTriggers = new WeakSet<ModelDefinition>();

  readonly #rows: RowWriter;
  readonly #attempts: RetryingWriteRunner;
  readonly #staged: BulkObjectWriter;

  constructor(private readonly options: ObjectWriterOptions) {
    this.#statements = new RowWriteStatements(options.registry, options.shapes);
    this.#rows = new RowWriter(options, this.#statements);
    this.#attempts = new RetryingWriteRunner(options, this.#statements, this.#rows);
    this.#staged = new BulkObjectWriter(options, this.#statements, this.#rows);
  }

  /**
   * Creates all given objects, or none of them if one is invalid. Returns the objects in the given order.
   *
   * @throws ApplicationError VALIDATION_FAILED, or PERMISSION_DENIED if the user's permissions do not include a new object
   */
  async createObjects(
    write: WriteRequest,
    given: NewObjectBodies,
    shape: ValidationErrorForm,
  ): Promise<WrittenObject[]> {
    return this.#attempts.runWriteWithRetries(write.model, shape, async (tx, attempt) => {
      const made = await this.#prepareNew(tx, write, given, { attempt, shape });
      const objects = await (made.companions === null
        ? this.#create(tx, write, made)
        : this.#createWithCompanions(tx, write, made));
      return { ids: objects.map(({ id }) => id), result: objects };
    });
  }

  /**
   * Creates a list of objects like {@link createObjects}. The objects of a long list are added to the response before the
   * transaction is committed.
   *
   * @param length number of objects in the list
   * @returns the objects of a short list; null if they were passed to the response
   * @throws ApplicationError as {@link createObjects} does, and errors of the response
   */
  async createObjectsIntoResponse(
    write: WriteRequest,
    given: NewObjectBodies,
    length: number,
    response: WrittenObjectReceiver,
  ): Promise<readonly WrittenObject[] | null> {
    const { model } = write;
    const shape: ValidationErrorForm = { kind: 'created list', length };
    const count = Math.max(length, Array.isArray(given) ? countRelatedObjectsInBodies(model, given) : 0);
    const isStaged = count > this.options.services.limits.creationInMemory;
    if (!isStaged) return this.createObjects(write, given, shape);
    return this.#attempts.runWriteWithRetries(model, shape, async (tx, attempt) => {
      attempt.isStaged = true;
      const made = await this.#prepareNew(tx, write, given, { attempt, shape });
      await response.begin();
      return { ids: await this.#staged.createObjects(tx, write, made, response), result: null };
    });
  }

  /** Parses the request bodies of new objects. Returns the rows to store after checking them. */
  async #prepareNew(
    tx: Tx,
    write: WriteRequest,
    given: NewObjectBodies,
    { attempt, shape }: { readonly attempt: WriteAttempt; readonly shape: ValidationErrorForm },
  ): Promise<CheckedNewObjects> {
    const { model } = write;
    const { candidates, items, files, ahead } = attempt;
    const bodies = typeof given === 'function' ? await given(tx) : given;
    items.push(
      ...(await mapWithEventLoopPauses(bodies, (body) =>
        parseRequestBody(model, this.options.registry, body, 'create'),
      )),
    );
    const before = items.map(() => null);
    const saves = await prepareRowsForWrite(tx, this.options, write, { items, before, shape, files, ahead });
    candidates.push(...saves.map(({ columns }) => columns));
    return { items, prepared: saves, candidates, companions: await this.#countCompanions(tx, model, attempt) };
  }

  /**
   * Counts the companions, such as ports of devices, that will be created along with the new objects.
   *
   * @throws ApplicationError CREATION_TOO_LARGE
   */
  async #countCompanions(
    tx: Tx,
    { hooks }: ModelDefinition,
    { candidates, items }: WriteAttempt,
  ): Promise<CheckedNewObjects['companions']> {
    if (hooks.companions === undefined) return null;
    const given = candidates.map((columns, index) => ({ columns, sent: items[index]?.values ?? {} }));
    const counts = await hooks.companions.count(tx, given);
    if (counts.total === 0) return null;
    const { creationObjects: limit } = this.options.services.limits;
    const count = candidates.length + counts.total;
    if (count > limit) throw inventoryErrors.create('CREATION_TOO_LARGE', { params: { count, limit } });
    return { counts, given };
  }

  async #createWithCompanions(tx: Tx, write: WriteRequest, made: CheckedNewObjects): Promise<WrittenObject[]> {
    const objects: WrittenObject[] = [];
    const add = (some: readonly WrittenObject[]): Promise<void> => {
      objects.push(...some);
      return Promise.resolve();
    };
    await this.#staged.createObjects(tx, write, made, { begin: () => Promise.resolve(), add });
    return objects;
  }

  async #create(tx: OpenTx, write: WriteRequest, made: CheckedNewObjects): Promise<WrittenObject[]> {
    const { items, candidates, prepared: saves } = made;
    await findDerivedDataBeforeWrite(tx, write.model, items);
    const sideEffects = await this.#lockTriggerSideEffects(tx, write.model, candidates, []);
    const written = await this.#insertRows(tx, write, { items, candidates, sideEffects });
    return this.#toWrittenObjects(written, write, saves);
  }

  /**
   * Changes all objects or none. Objects that do not exist or that the user may not change are omitted from the result.
   *
   * @throws ApplicationError VALIDATION_FAILED, PRECONDITION_FAILED, or PERMISSION_DENIED if a permission excludes an object
   */
  async updateObjects(
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: ObjectUpdateOptions,
  ): Promise<WrittenObject[]> {
    return this.#attempts.runWriteWithRetries(write.model, { kind: 'one' }, async (tx, attempt) => {
      const objects = await this.#update(tx, write, changes, { ...options, attempt, shape: { kind: 'one' } });
      return { ids: objects.map(({ id }) => id), result: objects };
    });
  }

  /**
   * Changes a list of objects like {@link updateObjects}, and passes them to the response before the transaction commits.
   *
   * @returns null, because the objects were passed to the response
   * @throws ApplicationError as {@link updateObjects} does; VALIDATION_FAILED if the objects have too much text; errors of the
   *   response
   */
  async updateObjectsIntoResponse(
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: ObjectUpdateOptions,
    response: WrittenObjectReceiver,
  ): Promise<null> {
    const { model } = write;
    const { limits } = this.options.services;
    const shape: ValidationErrorForm = { kind: 'changed list' };
    return this.#attempts.runWriteWithRetries(model, shape, async (tx, attempt) => {
      await response.begin();
      const checked = { ...options, attempt, shape, maxTextBytes: limits.updateTextBytes };
      const related = await countRelatedObjects(tx, { model, registry: this.options.registry }, changes);
      attempt.isStaged = Math.max(changes.length, related) > limits.updateInMemory;
      if (attempt.isStaged) {
        const update = await this.#prepareUpdate(tx, write, changes, { ...checked, load: lockAndLoadColumns });
        if (update.loaded.length > 0) await this.#staged.updateObjects(tx, write, update, response);
        return { ids: update.loaded.map(([id]) => id), result: null };
      }
      const objects = await this.#update(tx, write, changes, checked);
      await response.add(objects);
      return { ids: objects.map(({ id }) => id), result: null };
    });
  }

  /**
   * Updates objects in a transaction that the caller has started. The caller must run the transaction in
   * `writeWithCurrentCustomFields` and `retryWithoutBatches`.
   *
   * @throws ApplicationError VALIDATION_FAILED with the errors of all objects; the caller must then roll back the transaction
   */
  async updateObjectsInTransaction(tx: Tx, write: WriteRequest, changes: readonly ObjectUpdate[]): Promise<void> {
    const files = new UploadedFileChanges(this.options.media);
    const ahead = new WorkOutsideTransaction();
    const attempt: WriteAttempt = { candidates: [], items: [], files, ahead, isStaged: false };
    const shape: ValidationErrorForm = { kind: 'changed list' };
    await this.#update(tx, write, changes, { mode: 'update', ifMatch: null, attempt, shape });
  }

  async #update(
    tx: Tx,
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: CheckedObjectUpdateOptions,
  ): Promise<WrittenObject[]> {
    const { model } = write;
    const update = await this.#prepareUpdate(tx, write, changes, { ...options, load: lockAndLoadObjects });
    const { items, loaded, prepared: saves, candidates } = update;
    if (candidates.length === 0) return [];
    await findDerivedDataBeforeWrite(tx, model, items);
    const sideEffects = await this.#lockTriggerSideEffects(tx, model, candidates, loaded);
    const { rows: written, changes: further } = await this.#rows.writeRows(tx, model, update, {
      kind: 'update',
      isMeasured: canShowOtherObjectsTexts(model, candidates.length),
      needsRereading: () => mustRereadAfterUpdate(tx, model, candidates),
    });
    await this.#rejectObjectsOutsidePermission(tx, write, written);
    const hidden = loaded.map(([, stored], index) => doHiddenColumnsDiffer(model, stored, saves[index]?.columns ?? {}));
    await this.#recordChanges(tx, write, { items, rows: written, before: loaded, hidden, sideEffects, further });
    return this.#toWrittenObjects(written, write, saves);
  }

  /** Locks and reads the objects to update. Returns the rows to store after checking them. */
  async #prepareUpdate(
    tx: Tx,
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: CheckedObjectUpdateOptions & { readonly load: typeof lockAndLoadObjects },
  ): Promise<CheckedChangedObjects> {
    const { model, grant } = write;
    const { shape, ifMatch, mode, maxTextBytes } = options;
    const { candidates, items, files, ahead } = options.attempt;
    const { customFields } = this.options.shapes;
    const bodies = new Map(changes.map(({ id, body }) => [Number(id), body]));
    await lockSentCustomFields(
      tx,
      changes.map(({ body }) => body),
      { model, customFields },
    );
    const ids = changes.map(({ id }) => id);
    const lookup = { model, ids, grant, withData: false, forDeletion: false, maxTextBytes };
    const loaded = await options.load(tx, this.#statements, lookup);
    if (ifMatch !== null) loaded.forEach((row) => checkEntityTag(ifMatch, row[3]));
    const read = await mapWithEventLoopPauses(loaded, ([id]) => {
      const item = parseRequestBody(model, this.options.registry, bodies.get(id), mode);
      item.id = id;
      return item;
    });
    items.push(...read);
    const saves = await prepareRowsForWrite(tx, this.options, write, { items, before: loaded, shape, files, ahead });
    candidates.push(...saves.map(({ columns }, index) => ({ ...columns, id: items[index]?.id })));
    return { items, loaded, prepared: saves, candidates, companions: null };
  }

  /** Inserts new objects and records their creation. If possible, one statement inserts, records and commits. */
  async #insertRows(
    tx: OpenTx,
    write: WriteRequest,
    given: {
      readonly items: readonly ParsedRequestObject[];
      readonly candidates: readonly CandidateRowValues[];
      readonly sideEffects: readonly LockedTriggerSideEffects[];
    },
  ): Promise<WrittenRow[]> {
    const { model } = write;
    const { items, candidates, sideEffects } = given;
    const inSteps =
      !model.events ||
      !model.changeLog ||
      model.audit !== null ||
      canModelReturnEncryptedTexts(model) ||
      write.grant.where !== null;
    const further = (item: ParsedRequestObject): boolean =>
      hasTagsInRequest(item) ||
      hasRelatedObjectValues(model, item) ||
      doesBodyAffectDerivedData(model, item.values) ||
      item.message !== undefined;
    const settles = sideEffects.length > 0 || mustRereadAfterCreate(model, candidates);
    const isMeasured = canShowOtherObjectsTexts(model, candidates.length, true);
    if (inSteps || settles || isMeasured || hasFieldsStoredByFunctions(model) || items.some(further)) {
      const { rows: written, changes } = await this.#rows.writeRows(tx, model, given, {
        kind: 'insert',
        isMeasured,
        needsRereading: () => settles,
      });
      await this.#rejectObjectsOutsidePermission(tx, write, written);
      await this.#recordChanges(tx, write, { items, rows: written, before: null, sideEffects, further: changes });
      return written;
    }
    const unrelated = this.#filledByTriggers.has(model) ? [] : findNullReferences(model, candidates);
    const { changes } = this.options;
    const statement = this.#statements.createInsertAndRecordStatement(model, unrelated, (from) =>
      changes.recordCreationsSql(model, from),
    );
    const noted = changes.recordCreationsValues(tx, candidates.length, getChangeAuthor(write));
    const json = await stringifyListWithPauses(candidates);
    try {
      const { rows } = await tx.finish<WrittenRow>(
        createPreparedQuery(statement, [urlBasePlaceholder, json, ...noted]),
      );
      return rows;
    } catch (error) {
      // The transaction is repeated automatically. The repetition reads all references.
      if (error instanceof Error && error.message === referenceSetByTriggerMessage) this.#filledByTriggers.add(model);
      throw error;
    }
  }

  #rejectObjectsOutsidePermission(tx: Tx, write: WriteRequest, rows: readonly WrittenRow[]): Promise<void> {
    return this.#rows.rejectRowsOutsidePermission(
      tx,
      write,
      rows.map(([id]) => id),
    );
  }

  async #lockTriggerSideEffects(
    tx: Tx,
    model: ModelDefinition,
    candidates: readonly CandidateRowValues[],
    loaded: readonly RowLoadedBeforeChange[],
  ): Promise<readonly LockedTriggerSideEffects[]> {
    const writes = candidates.map((after, index) => ({ before: loaded[index]?.[1] ?? null, after }));
    await model.hooks.lock?.(tx, writes);
    const { registry, services } = this.options;
    const context = { model, registry, maxTextBytes: services.limits.updateTextBytes };
    return lockTriggerSideEffects(tx, this.#statements, context, writes);
  }

  async #recordChanges(
    tx: Tx,
    write: WriteRequest,
    written: WrittenObjectsOfModel & {
      readonly sideEffects: readonly LockedTriggerSideEffects[];
      /** Changes that the write caused in objects other than the written objects. */
      readonly further: readonly ObjectChange[];
    },
  ): Promise<void> {
    const { model } = write;
    if (!areChangesRecorded(model)) return;
    const { sideEffects, further } = written;
    const own = await listChangesOfWrittenObjects(model, written);
    const limit = this.options.services.limits.updateTextBytes;
    for (const each of sideEffects) own.push(...(await findTriggeredChanges(tx, this.#statements, each, limit)));
    this.options.changes.record(tx, [...own, ...further], getChangeAuthor(write));
    await this.options.changes.writeIfMany(tx);
  }

  #toWrittenObjects(
    rows: readonly WrittenRow[],
    write: WriteRequest,
    saves: readonly RowPreparedForWrite[],
  ): Promise<WrittenObject[]> {
    return mapWithEventLoopPauses(rows, ([id, data, , entityTag], index) =>
      this.#rows.toResponseJson({ id, data, entityTag }, write, saves[index]?.reveal ?? {}),
    );
  }
}
