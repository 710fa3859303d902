import type { Tx } from '@switchboard/database';
import type { FieldPartsStorage } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';
import type { ObjectChange } from './change-sink.js';
import { updateDerivedDataAfterWrite } from './derived-data-updates.js';
import { findTriggeredChanges, type LockedTriggerSideEffects, loadTriggerSideEffects } from './trigger-side-effects.js';
import { lockAndLoadObjects } from './lock-and-load.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';
import type { RowLoadedBeforeChange, RowWriteStatements, WrittenRow } from './write-statements.js';

/** Returns true if database functions store some fields of the model. */
export function hasFieldsStoredByFunctions(model: ModelDefinition): boolean {
  return Object.values(model.fields).some(({ storedBy }) => storedBy !== undefined);
}

/** Data needed to store a field as objects of another model, and to record the changes of those objects. */
export interface RelatedObjectsWriteContext {
  readonly model: ModelDefinition;
  readonly registry: ModelRegistry;
  readonly statements: RowWriteStatements;
  /** Maximum length, in bytes, of texts that a changed object shows of other objects. */
  readonly maxTextBytes: number;
}

/**
 * Writes fields that database functions store as objects in other tables. Calls each function once for all written
 * objects. The argument of a function has an entry for each written object, with the fields that the request contains:
 * `[{"id": 1, "<field>": …}]`.
 *
 * @returns the changes of the objects in the other tables; null if no function was called
 */
export async function writeRelatedObjectsOfFields(
  tx: Tx,
  context: RelatedObjectsWriteContext,
  written: readonly WrittenObjectWithTags[],
): Promise<readonly ObjectChange[] | null> {
  const functions = new Map<string, { readonly storedBy: FieldPartsStorage; readonly fields: string[] }>();
  for (const [name, { storedBy }] of Object.entries(context.model.fields)) {
    if (storedBy === undefined) continue;
    const known = functions.get(storedBy.function);
    if (known === undefined) functions.set(storedBy.function, { storedBy, fields: [name] });
    else known.fields.push(name);
  }
  if (functions.size === 0) return null;
  const changes: ObjectChange[] = [];
  for (const { storedBy, fields } of functions.values()) {
    const given = written.map(({ objectId, item }) => {
      const named = fields.filter((field) => item !== undefined && Object.hasOwn(item.values, field));
      return { ...Object.fromEntries(named.map((field) => [field, item?.values[field]])), id: objectId };
    });
    const parts = new RelatedObjectsOfField(tx, context, storedBy);
    const earlier = written.flatMap(({ objectId, item }) => (item?.id === null ? [] : [objectId]));
    // Deleting an end locks the end first, then the parts that refer to it. Lock in the same order.
    const ends = await parts.lockAndLoadEndObjects(earlier, JSON.stringify(given), fields);
    const before = await parts.loadRelatedObjects(earlier);
    await tx.query(`SELECT ${storedBy.function}($1::jsonb)`, [JSON.stringify(given)]);
    const objects = written.map(({ objectId }) => objectId);
    changes.push(...(await parts.compareRelatedObjects(before, objects)));
    // The changed ends show the derived data, so that it must be up to date before they are read.
    await updateDerivedDataAfterWrite(tx, context.model, written);
    for (const each of ends)
      changes.push(...(await findTriggeredChanges(tx, context.statements, each, context.maxTextBytes)));
  }
  return changes;
}

/** Objects ("parts") that store a field of other objects. For example, cable terminations store the ends of a cable. */
class RelatedObjectsOfField {
  readonly #part: ModelDefinition | null;

  constructor(
    private readonly tx: Tx,
    private readonly context: RelatedObjectsWriteContext,
    private readonly storedBy: FieldPartsStorage,
  ) {
    this.#part = context.registry.find(storedBy.parts);
  }

  async loadRelatedObjects(owners: readonly number[]): Promise<readonly RowLoadedBeforeChange[]> {
    const ids = await this.#idsOf(owners);
    if (this.#part === null || ids.length === 0) return [];
    const { statements } = this.context;
    return lockAndLoadObjects(this.tx, statements, {
      model: this.#part,
      ids,
      grant: null,
      withData: true,
      forDeletion: false,
    });
  }

  /**
   * Locks and reads the objects at the current and the future ends of the parts, such as the ports of a cable's
   * terminations. The order of locking does not depend on the request.
   *
   * @param given argument of the function, with lists of objects under the names of `fields`
   */
  async lockAndLoadEndObjects(
    owners: readonly number[],
    given: string,
    fields: readonly string[],
  ): Promise<readonly LockedTriggerSideEffects[]> {
    if (this.#part === null) return [];
    const { ends, via } = this.storedBy;
    const { rows } = await this.tx.query<{ type: string; ids: number[] }>(
      `SELECT type, array_agg(id ORDER BY id) AS ids FROM (
          SELECT ${ends.type} AS type, ${ends.id} AS id FROM ${this.#part.table} WHERE ${via}_id = ANY ($1::bigint[])
          UNION
          SELECT item ->> 'type', (item ->> 'id')::bigint FROM jsonb_array_elements($2::jsonb) AS w,
            unnest($3::text[]) AS field, jsonb_array_elements(w -> field) AS item
        ) AS named GROUP BY type ORDER BY type`,
      [owners, given, fields],
    );
    const found: LockedTriggerSideEffects[] = [];
    for (const { type, ids } of rows) {
      const model = this.context.registry.find(type);
      if (model !== null) found.push(await loadTriggerSideEffects(this.tx, this.context.statements, { model, ids }));
    }
    return found;
  }

  /**
   * Compares the objects that store a field, such as the terminations of a cable, before and after a write. Returns one
   * change for each object that the write removed or added.
   */
  async compareRelatedObjects(
    before: readonly RowLoadedBeforeChange[],
    owners: readonly number[],
  ): Promise<ObjectChange[]> {
    const model = this.#part;
    if (model === null) return [];
    const now = new Set(await this.#idsOf(owners));
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

  async #idsOf(owners: readonly number[]): Promise<number[]> {
    if (this.#part === null || owners.length === 0) return [];
    const { rows } = await this.tx.query<{ id: number }>(
      `SELECT id FROM ${this.#part.table} WHERE ${this.storedBy.via}_id = ANY ($1::bigint[]) ORDER BY id`,
      [owners],
    );
    return rows.map(({ id }) => id);
  }
}
