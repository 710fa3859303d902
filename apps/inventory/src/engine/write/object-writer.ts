import type { OpenTx, Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import { canShowEncryptedTexts } from '../sealed/encrypted-text-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import { referenceSetByTriggerMessage } from '../read/object-json-fragments.js';
import { getChangeAuthor, type ObjectChange } from './change-sink.js';
import { doHiddenColumnsDiffer } from './stored-columns-of-models.js';
import { listWrittenChanges, type WrittenObjects } from './list-written-changes.js';
import { lockSentFields } from './custom-field-values.js';
import { findDerivedDataBeforeWrite, affectsDerivedData } from './derived-data-updates.js';
import { findTriggeredChanges, type LockedSideEffects, lockTriggerSideEffects } from './trigger-side-effects.js';
import { lockAndLoadObjects, lockAndLoadColumns } from './lock-and-load.js';
import { toJsonWithPauses, mapWithPauses } from './map-with-event-loop-pauses.js';
import { type PreparedRow, prepareRows } from './prepare-rows-for-writing.js';
import { parseRequestBody } from './parse-request-body.js';
import type { ParsedObject, ObjectWriteMode } from './parse-object-input.js';
import { checkEntityTag } from './check-entity-tag.js';
import { UploadedFileChanges } from '../uploads/uploaded-file-changes.js';
import type { CandidateRow, ValidationErrorForm } from './validation-error.js';
import { hasRelatedObjectValues } from './related-assignments.js';
import { mustRereadAfterCreate, mustRereadAfterUpdate, findNullReferences } from './reread-after-write-conditions.js';
import { RowWriter } from './row-writer.js';
import { type CheckedNewObjects, type CheckedChangedObjects, StagedWrite } from './staged-write.js';
import { hasFieldsStoredByFunctions } from './fields-stored-as-objects.js';
import { hasTagsInRequest } from './tag-changes.js';
import { canShowTextsOfOthers } from './stored-text-limit.js';
import { WorkOutsideTransaction } from './work-outside-transaction.js';
import { type WriteAttempt, WriteRetries } from './write-retries.js';
import {
  urlBasePlaceholder,
  type ObjectReceiver,
  type WriteRequest,
  type WriterOptions,
  type WrittenObject,
} from './write-request.js';
import { type LoadedRow, WriteStatements, type WrittenRow } from './write-statements.js';

/** Id of one object of an update request, and the part of the request body for that object. */
export interface ObjectUpdate {
  readonly id: string;
  readonly body: unknown;
}

/** Request bodies of the objects to create, or a function that returns the bodies within the write's transaction. */
export type NewObjectBodies = readonly unknown[] | ((tx: Tx) => Promise<readonly unknown[]>);

/** Options of an update of objects. */
export interface UpdateOptions {
  readonly mode: ObjectWriteMode;
  /**
   * Entity tags in the request's `If-Match` header. The entity tag of each object must be among them. Null accepts any
   * entity tag (docs/contract/inventory.md 1.6, 1.11).
   */
  readonly ifMatch: readonly string[] | null;
}

/** Options of an update of objects, with further data for the checks of the update. */
interface CheckedUpdateOptions extends UpdateOptions {
  readonly attempt: WriteAttempt;
  readonly shape: ValidationErrorForm;
  /** Maximum total length of the stored texts of the objects, in bytes; no limit if absent. */
  readonly maxTextBytes?: number;
}

/** Creates and updates lists of objects of any model. Callers pass a single object as a list with one item. */
export class ObjectWriter {
  readonly #statements: WriteStatements;
  /** Models whose triggers have set references in new objects although the write left those references null. */
  readonly #filledByTriggers = new WeakSet<ModelDefinition>();

  readonly #rows: RowWriter;
  readonly #attempts: WriteRetries;
  readonly #staged: StagedWrite;

  constructor(private readonly options: WriterOptions) {
    this.#statements = new WriteStatements(options.registry, options.shapes);
    this.#rows = new RowWriter(options, this.#statements);
    this.#attempts = new WriteRetries(options, this.#statements, this.#rows);
    this.#staged = new StagedWrite(options, this.#statements, this.#rows);
  }

  /**
   * Creates all given objects, or none of them if one is invalid. Returns the objects in the given order.
   *
   * @throws AppError VALIDATION_FAILED, or PERMISSION_DENIED if the user's permissions do not include a new object
   */
  async create(write: WriteRequest, given: NewObjectBodies, shape: ValidationErrorForm): Promise<WrittenObject[]> {
    return this.#attempts.runWithRetries(write.model, shape, async (tx, attempt) => {
      const made = await this.#prepareNew(tx, write, given, { attempt, shape });
      const objects = await (made.companions === null
        ? this.#create(tx, write, made)
        : this.#createWithCompanions(tx, write, made));
      return { ids: objects.map(({ id }) => id), result: objects };
    });
  }

  /**
   * Creates a list of objects like {@link create}. The objects of a long list are added to the response before the
   * transaction is committed.
   *
   * @param length number of objects in the list
   * @returns the objects of a short list; null if they were passed to the response
   * @throws AppError as {@link create} does, and errors of the response
   */
  async createMany(
    write: WriteRequest,
    given: NewObjectBodies,
    length: number,
    response: ObjectReceiver,
  ): Promise<readonly WrittenObject[] | null> {
    const { model } = write;
    const shape: ValidationErrorForm = { kind: 'created list', length };
    const isStaged = length > this.options.services.limits.creationInMemory && !hasFieldsStoredByFunctions(model);
    if (!isStaged) return this.create(write, given, shape);
    return this.#attempts.runWithRetries(model, shape, async (tx, attempt) => {
      const made = await this.#prepareNew(tx, write, given, { attempt, shape });
      await response.begin();
      return { ids: await this.#staged.create(tx, write, made, response), result: null };
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
      ...(await mapWithPauses(bodies, (body) => parseRequestBody(model, this.options.registry, body, 'create'))),
    );
    const before = items.map(() => null);
    const saves = await prepareRows(tx, this.options, write, { items, before, shape, files, ahead });
    candidates.push(...saves.map(({ columns }) => columns));
    return { items, prepared: saves, candidates, companions: await this.#countCompanions(tx, model, attempt) };
  }

  /**
   * Counts the companions, such as ports of devices, that will be created along with the new objects.
   *
   * @throws AppError CREATION_TOO_LARGE
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
    await this.#staged.create(tx, write, made, { begin: () => Promise.resolve(), add });
    return objects;
  }

  async #create(tx: OpenTx, write: WriteRequest, made: CheckedNewObjects): Promise<WrittenObject[]> {
    const { items, candidates, prepared: saves } = made;
    await findDerivedDataBeforeWrite(tx, write.model, items);
    const sideEffects = await this.#lockTriggerSideEffects(tx, write.model, candidates, []);
    const written = await this.#insertRows(tx, write, { items, candidates, sideEffects });
    return this.#toObjects(written, write, saves);
  }

  /**
   * Changes all objects or none. Objects that do not exist or that the user may not change are omitted from the result.
   *
   * @throws AppError VALIDATION_FAILED, PRECONDITION_FAILED, or PERMISSION_DENIED if a permission excludes an object
   */
  async update(
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: UpdateOptions,
  ): Promise<WrittenObject[]> {
    return this.#attempts.runWithRetries(write.model, { kind: 'one' }, async (tx, attempt) => {
      const objects = await this.#update(tx, write, changes, { ...options, attempt, shape: { kind: 'one' } });
      return { ids: objects.map(({ id }) => id), result: objects };
    });
  }

  /**
   * Changes a list of objects like {@link update}, and passes them to the response before the transaction commits.
   *
   * @returns null, because the objects were passed to the response
   * @throws AppError as {@link update} does; VALIDATION_FAILED if the objects have too much text; errors of the
   *   response
   */
  async updateMany(
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: UpdateOptions,
    response: ObjectReceiver,
  ): Promise<null> {
    const { model } = write;
    const { limits } = this.options.services;
    const shape: ValidationErrorForm = { kind: 'changed list' };
    const isStaged = changes.length > limits.updateInMemory && !hasFieldsStoredByFunctions(model);
    return this.#attempts.runWithRetries(model, shape, async (tx, attempt) => {
      await response.begin();
      const checked = { ...options, attempt, shape, maxTextBytes: limits.updateTextBytes };
      if (isStaged) {
        const update = await this.#prepareUpdate(tx, write, changes, { ...checked, load: lockAndLoadColumns });
        if (update.loaded.length > 0) await this.#staged.update(tx, write, update, response);
        return { ids: update.loaded.map(([id]) => id), result: null };
      }
      const objects = await this.#update(tx, write, changes, checked);
      await response.add(objects);
      return { ids: objects.map(({ id }) => id), result: null };
    });
  }

  /**
   * Updates objects in a transaction that the caller has started. The caller must run the transaction in
   * `runWithCustomFields` and `retryWithoutBatches`.
   *
   * @throws AppError VALIDATION_FAILED with the errors of all objects; the caller must then roll back the transaction
   */
  async updateWithin(tx: Tx, write: WriteRequest, changes: readonly ObjectUpdate[]): Promise<void> {
    const files = new UploadedFileChanges(this.options.media);
    const attempt: WriteAttempt = { candidates: [], items: [], files, ahead: new WorkOutsideTransaction() };
    const shape: ValidationErrorForm = { kind: 'changed list' };
    await this.#update(tx, write, changes, { mode: 'update', ifMatch: null, attempt, shape });
  }

  async #update(
    tx: Tx,
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: CheckedUpdateOptions,
  ): Promise<WrittenObject[]> {
    const { model } = write;
    const update = await this.#prepareUpdate(tx, write, changes, { ...options, load: lockAndLoadObjects });
    const { items, loaded, prepared: saves, candidates } = update;
    if (candidates.length === 0) return [];
    await findDerivedDataBeforeWrite(tx, model, items);
    const sideEffects = await this.#lockTriggerSideEffects(tx, model, candidates, loaded);
    const { rows: written, changes: further } = await this.#rows.write(tx, model, update, {
      kind: 'update',
      isMeasured: canShowTextsOfOthers(model, candidates.length),
      needsRereading: () => mustRereadAfterUpdate(tx, model, candidates),
    });
    await this.#rejectObjectsOutsidePermission(tx, write, written);
    const hidden = loaded.map(([, stored], index) => doHiddenColumnsDiffer(model, stored, saves[index]?.columns ?? {}));
    await this.#recordChanges(tx, write, { items, rows: written, before: loaded, hidden, sideEffects, further });
    return this.#toObjects(written, write, saves);
  }

  /** Locks and reads the objects to update. Returns the rows to store after checking them. */
  async #prepareUpdate(
    tx: Tx,
    write: WriteRequest,
    changes: readonly ObjectUpdate[],
    options: CheckedUpdateOptions & { readonly load: typeof lockAndLoadObjects },
  ): Promise<CheckedChangedObjects> {
    const { model, grant } = write;
    const { shape, ifMatch, mode, maxTextBytes } = options;
    const { candidates, items, files, ahead } = options.attempt;
    const { customFields } = this.options.shapes;
    const bodies = new Map(changes.map(({ id, body }) => [Number(id), body]));
    await lockSentFields(
      tx,
      changes.map(({ body }) => body),
      { model, customFields },
    );
    const ids = changes.map(({ id }) => id);
    const lookup = { model, ids, grant, withData: false, forDeletion: false, maxTextBytes };
    const loaded = await options.load(tx, this.#statements, lookup);
    if (ifMatch !== null) loaded.forEach((row) => checkEntityTag(ifMatch, row[3]));
    const read = await mapWithPauses(loaded, ([id]) => {
      const item = parseRequestBody(model, this.options.registry, bodies.get(id), mode);
      item.id = id;
      return item;
    });
    items.push(...read);
    const saves = await prepareRows(tx, this.options, write, { items, before: loaded, shape, files, ahead });
    candidates.push(...saves.map(({ columns }, index) => ({ ...columns, id: items[index]?.id })));
    return { items, loaded, prepared: saves, candidates, companions: null };
  }

  /** Inserts new objects and records their creation. If possible, one statement inserts, records and commits. */
  async #insertRows(
    tx: OpenTx,
    write: WriteRequest,
    given: {
      readonly items: readonly ParsedObject[];
      readonly candidates: readonly CandidateRow[];
      readonly sideEffects: readonly LockedSideEffects[];
    },
  ): Promise<WrittenRow[]> {
    const { model } = write;
    const { items, candidates, sideEffects } = given;
    const inSteps =
      !model.events ||
      !model.changeLog ||
      model.audit !== null ||
      canShowEncryptedTexts(model) ||
      write.grant.where !== null;
    const further = (item: ParsedObject): boolean =>
      hasTagsInRequest(item) ||
      hasRelatedObjectValues(model, item) ||
      affectsDerivedData(model, item.values) ||
      item.message !== undefined;
    const settles = sideEffects.length > 0 || mustRereadAfterCreate(model, candidates);
    const isMeasured = canShowTextsOfOthers(model, candidates.length, true);
    if (inSteps || settles || isMeasured || hasFieldsStoredByFunctions(model) || items.some(further)) {
      const { rows: written, changes } = await this.#rows.write(tx, model, given, {
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
    const statement = this.#statements.insertAndRecord(model, unrelated, (from) =>
      changes.recordCreationsSql(model, from),
    );
    const noted = changes.recordCreationsValues(tx, candidates.length, getChangeAuthor(write));
    const json = await toJsonWithPauses(candidates);
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
    candidates: readonly CandidateRow[],
    loaded: readonly LoadedRow[],
  ): Promise<readonly LockedSideEffects[]> {
    const writes = candidates.map((after, index) => ({ before: loaded[index]?.[1] ?? null, after }));
    await model.hooks.lock?.(tx, writes);
    const { registry, services } = this.options;
    const context = { model, registry, maxTextBytes: services.limits.updateTextBytes };
    return lockTriggerSideEffects(tx, this.#statements, context, writes);
  }

  async #recordChanges(
    tx: Tx,
    write: WriteRequest,
    written: WrittenObjects & {
      readonly sideEffects: readonly LockedSideEffects[];
      /** Changes that the write caused in objects other than the written objects. */
      readonly further: readonly ObjectChange[];
    },
  ): Promise<void> {
    const { model } = write;
    if (!areChangesRecorded(model)) return;
    const { sideEffects, further } = written;
    const own = await listWrittenChanges(model, written);
    const limit = this.options.services.limits.updateTextBytes;
    for (const each of sideEffects) own.push(...(await findTriggeredChanges(tx, this.#statements, each, limit)));
    this.options.changes.record(tx, [...own, ...further], getChangeAuthor(write));
    await this.options.changes.writeIfMany(tx);
  }

  #toObjects(
    rows: readonly WrittenRow[],
    write: WriteRequest,
    saves: readonly PreparedRow[],
  ): Promise<WrittenObject[]> {
    return mapWithPauses(rows, ([id, data, , entityTag], index) =>
      this.#rows.toObject({ id, data, entityTag }, write, saves[index]?.reveal ?? {}),
    );
  }
}
