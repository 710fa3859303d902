import type { Tx } from '@switchboard/database';
import type { FieldPartsStorage } from '../declaration/field.js';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import type { ObjectChange } from './change-sink.js';
import { updateDerivedDataAfterWrite } from './derived-data-updates.js';
import {
  findTriggeredChanges,
  type LockedTriggerSideEffects,
  loadTriggerSideEffects,
  type ModelObjectIds,
} from './trigger-side-effects.js';
import { lockAndLoadObjects } from './lock-and-load.js';
import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import type { ObjectUpdate } from './object-update.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { forceLargeWriteIndexReads } from './force-index-reads.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';
import type { RowLoadedBeforeChange, RowWriteStatements, WrittenRow } from './write-statements.js';

/** Returns true if database functions store some fields of the model. */
export function hasFieldsStoredByFunctions(model: ModelDefinition): boolean {
  return Object.values(model.fields).some(({ storedBy }) => storedBy !== undefined);
}

/** Returns how many objects of another model request bodies list in fields that database functions store. */
export function countRelatedObjectsInBodies(model: ModelDefinition, bodies: readonly unknown[]): number {
  const names = listFunctionsStoringFields(model).flatMap(({ fields }) => fields);
  let count = 0;
  for (const name of names) {
    for (const body of bodies) {
      const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
      if (Array.isArray(value)) count += value.length;
    }
  }
  return count;
}

/**
 * Returns how many objects of another model belong to objects that a request changes, in fields that database functions
 * store. Counts the objects in the request bodies and the stored objects.
 */
export async function countRelatedObjects(
  tx: Tx,
  { model, registry }: { readonly model: ModelDefinition; readonly registry: ModelRegistry },
  changes: readonly ObjectUpdate[],
): Promise<number> {
  const bodies = changes.map(({ body }) => body);
  let count = countRelatedObjectsInBodies(model, bodies);
  for (const { storedBy } of listFunctionsStoringFields(model)) {
    const parts = registry.find(storedBy.parts);
    if (parts === null) continue;
    const { rows } = await tx.query<{ n: number }>(
      `SELECT count(*) AS n FROM ${parts.table} WHERE ${storedBy.via}_id = ANY ($1::bigint[])`,
      [changes.map(({ id }) => id)],
    );
    count += rows[0]?.n ?? 0;
  }
  return count;
}

/** Data needed to store a field as objects of another model, and to record the changes of those objects. */
export interface RelatedObjectsWriteContext {
  readonly model: ModelDefinition;
  readonly registry: ModelRegistry;
  readonly statements: RowWriteStatements;
  /** Maximum length, in bytes, of texts that a changed object shows of other objects. */
  readonly maxTextBytes: number;
}

/** A database function that stores fields of a model as objects of another model, and the names of these fields. */
export interface FunctionStoringFields {
  readonly storedBy: FieldPartsStorage;
  readonly fields: readonly string[];
}

/** Returns the database functions that store fields of the model. */
export function listFunctionsStoringFields({ fields }: ModelDefinition): readonly FunctionStoringFields[] {
  const functions = new Map<string, { readonly storedBy: FieldPartsStorage; readonly fields: string[] }>();
  for (const [name, { storedBy }] of Object.entries(fields)) {
    if (storedBy === undefined) continue;
    const known = functions.get(storedBy.function);
    if (known === undefined) functions.set(storedBy.function, { storedBy, fields: [name] });
    else known.fields.push(name);
  }
  return [...functions.values()];
}

/**
 * Returns true if a function must store parts of an object: the object is new, or the request contains a field of the
 * function or a field on which the parts depend.
 */
export function mustStoreParts(
  item: ParsedRequestObject | undefined,
  { storedBy, fields }: FunctionStoringFields,
): boolean {
  if (item === undefined) return false;
  return item.id === null || [...fields, ...storedBy.dependsOn].some((name) => Object.hasOwn(item.values, name));
}

/**
 * Returns the argument of a function that stores fields, as JSON text. The argument has an entry for each written
 * object, with the fields that the request contains: `[{"id": 1, "<field>": …}]`.
 */
export function createFunctionArgument(
  written: readonly WrittenObjectWithTags[],
  { fields }: FunctionStoringFields,
): Promise<string> {
  return mapWithEventLoopPauses(written, ({ objectId, item }) => {
    const named = fields.filter((field) => item !== undefined && Object.hasOwn(item.values, field));
    return JSON.stringify({
      ...Object.fromEntries(named.map((field) => [field, item?.values[field]])),
      id: objectId,
    });
  }).then((entries) => `[${entries.join(',')}]`);
}

/**
 * Writes fields that database functions store as objects in other tables. Calls each function once for all written
 * objects for which {@link mustStoreParts} returns true, with the argument of {@link createFunctionArgument}.
 *
 * @returns the changes of the objects in the other tables; null if no function stores fields of the model
 */
export async function writeRelatedObjectsOfFields(
  tx: Tx,
  context: RelatedObjectsWriteContext,
  written: readonly WrittenObjectWithTags[],
): Promise<readonly ObjectChange[] | null> {
  const functions = listFunctionsStoringFields(context.model);
  if (functions.length === 0) return null;
  const changes: ObjectChange[] = [];
  for (const storing of functions) {
    const { storedBy, fields } = storing;
    const owners = written.filter(({ item }) => mustStoreParts(item, storing));
    if (owners.length === 0) {
      await updateDerivedDataAfterWrite(tx, context.model, written);
      continue;
    }
    const given = await createFunctionArgument(owners, storing);
    const parts = new RelatedObjectsOfField(tx, context, storedBy);
    const earlier = listStoredObjectIds(owners);
    // Deleting an end locks the end first, then the parts that refer to it. Lock in the same order.
    const ends: LockedTriggerSideEffects[] = [];
    for (const named of await parts.findEndObjects(earlier, given, fields))
      ends.push(await loadTriggerSideEffects(tx, context.statements, named));
    const before = await parts.loadRelatedObjects(earlier);
    await tx.query(`SELECT ${storedBy.function}($1::jsonb)`, [given]);
    const objects = owners.map(({ objectId }) => objectId);
    changes.push(...(await parts.compareRelatedObjects(before, objects)));
    // The changed ends show the derived data, so that it must be up to date before they are read.
    await updateDerivedDataAfterWrite(tx, context.model, written);
    for (const each of ends)
      changes.push(...(await findTriggeredChanges(tx, context.statements, each, context.maxTextBytes)));
  }
  return changes;
}

/**
 * Writes fields like {@link writeRelatedObjectsOfFields}, in a transaction that is rolled back. Acquires the same locks,
 * but does not read the state of the objects in the other tables.
 *
 * @returns false if no function stores fields of the model
 */
export async function tryRelatedObjectsOfFields(
  tx: Tx,
  context: RelatedObjectsWriteContext,
  written: readonly WrittenObjectWithTags[],
): Promise<boolean> {
  const functions = listFunctionsStoringFields(context.model);
  for (const storing of functions) {
    const { storedBy, fields } = storing;
    const owners = written.filter(({ item }) => mustStoreParts(item, storing));
    if (owners.length > 0) {
      const given = await createFunctionArgument(owners, storing);
      const parts = new RelatedObjectsOfField(tx, context, storedBy);
      const earlier = listStoredObjectIds(owners);
      for (const { model, ids } of await parts.findEndObjects(earlier, given, fields)) {
        await forceLargeWriteIndexReads(tx, model, ids.length);
        const lock = context.statements.createRowLockStatement(model, { condition: null, forDeletion: false });
        await tx.query(createPreparedQuery(lock, ['', ids]));
      }
      await parts.lockRelatedObjects(earlier);
      await tx.query(`SELECT ${storedBy.function}($1::jsonb)`, [given]);
    }
    await updateDerivedDataAfterWrite(tx, context.model, written);
  }
  return functions.length > 0;
}

/** Returns the ids of the written objects that existed before the write. */
export function listStoredObjectIds(written: readonly WrittenObjectWithTags[]): number[] {
  return written.flatMap(({ objectId, item }) => (item?.id === null ? [] : [objectId]));
}

/** Objects ("parts") that store a field of other objects. For example, cable terminations store the ends of a cable. */
export class RelatedObjectsOfField {
  /** Model of the parts; null if the registry does not contain the model. */
  readonly model: ModelDefinition | null;

  constructor(
    private readonly tx: Tx,
    private readonly context: RelatedObjectsWriteContext,
    private readonly storedBy: FieldPartsStorage,
  ) {
    this.model = context.registry.find(storedBy.parts);
  }

  async loadRelatedObjects(owners: readonly number[]): Promise<readonly RowLoadedBeforeChange[]> {
    const ids = await this.listIds(owners);
    if (this.model === null || ids.length === 0) return [];
    const { statements } = this.context;
    return lockAndLoadObjects(this.tx, statements, {
      model: this.model,
      ids,
      grant: null,
      withData: true,
      forDeletion: false,
    });
  }

  /** Locks the parts of some objects. Returns the ids of the parts, in ascending order. */
  async lockRelatedObjects(owners: readonly number[]): Promise<readonly number[]> {
    const ids = await this.listIds(owners);
    if (this.model === null || ids.length === 0) return [];
    await forceLargeWriteIndexReads(this.tx, this.model, ids.length);
    const lock = this.context.statements.createRowLockStatement(this.model, { condition: null, forDeletion: false });
    const { rows } = await this.tx.query<[id: number]>(createPreparedQuery(lock, ['', ids]));
    return rows.map(([id]) => id);
  }

  /**
   * Finds the objects that the stored part objects refer to before and after the write. For the terminations of cables,
   * these are ports. The order of models and ids does not depend on the request. Omits models whose changes are not
   * recorded.
   *
   * @param given argument of the function, with lists of objects under the names of `fields`
   */
  async findEndObjects(
    owners: readonly number[],
    given: string,
    fields: readonly string[],
  ): Promise<readonly ModelObjectIds[]> {
    if (this.model === null) return [];
    const { ends, via } = this.storedBy;
    const { rows } = await this.tx.query<{ type: string; id: number }>(
      `SELECT ${ends.type} AS type, ${ends.id} AS id FROM ${this.model.table} WHERE ${via}_id = ANY ($1::bigint[])
        UNION
        SELECT item ->> 'type', (item ->> 'id')::bigint FROM jsonb_array_elements($2::jsonb) AS w,
          unnest($3::text[]) AS field, jsonb_array_elements(w -> field) AS item
        ORDER BY type, id`,
      [owners, given, fields],
    );
    const idsByType = new Map<string, number[]>();
    for (const { type, id } of rows) {
      const ids = idsByType.get(type) ?? [];
      if (ids.length === 0) idsByType.set(type, ids);
      ids.push(id);
    }
    return [...idsByType].flatMap(([type, ids]) => {
      const model = this.context.registry.find(type);
      return model !== null && areChangesRecorded(model) ? [{ model, ids }] : [];
    });
  }

  /**
   * Compares the objects that store a field, such as the terminations of a cable, before and after a write. Returns one
   * change for each object that the write removed or added.
   */
  async compareRelatedObjects(
    before: readonly RowLoadedBeforeChange[],
    owners: readonly number[],
  ): Promise<ObjectChange[]> {
    const model = this.model;
    if (model === null) return [];
    const now = new Set(await this.listIds(owners));
    const known = new Set(before.map(([id]) => id));
    const fresh = [...now].filter((id) => !known.has(id));
    const reread = this.context.statements.createRowRereadStatement(model);
    const came =
      fresh.length === 0 ? [] : (await this.tx.query<WrittenRow>(createPreparedQuery(reread, ['', fresh]))).rows;
    return [
      ...before.flatMap(([id, , prechange, , data]) =>
        now.has(id) ? [] : [{ model, id, event: 'deleted' as const, data: data ?? '{}', prechange, postchange: null }],
      ),
      ...came.map(([id, data, postchange]) => ({
        model,
        id,
        event: 'created' as const,
        data,
        prechange: null,
        postchange,
      })),
    ];
  }

  /** Returns the ids of the parts of some objects, in ascending order. */
  async listIds(owners: readonly number[]): Promise<number[]> {
    if (this.model === null || owners.length === 0) return [];
    const { rows } = await this.tx.query<{ id: number }>(
      `SELECT id FROM ${this.model.table} WHERE ${this.storedBy.via}_id = ANY ($1::bigint[]) ORDER BY id`,
      [owners],
    );
    return rows.map(({ id }) => id);
  }
}
