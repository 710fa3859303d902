import type { Tx } from '@switchboard/database';
import { objectRowAlias } from '../read/object-json-sql.js';
import type { TemporaryTableChangeGroup } from './change-sink.js';
import { allowLongStatements } from './allow-long-statements.js';
import { updateDerivedDataAfterWrite } from './derived-data-updates.js';
import {
  createFunctionArgument,
  listFunctionsStoringFields,
  listStoredObjectIds,
  mustStoreParts,
  RelatedObjectsOfField,
  type FunctionStoringFields,
  type RelatedObjectsWriteContext,
} from './fields-stored-as-objects.js';
import {
  forEachNumberRange,
  temporaryChangesTableName,
  temporaryTableRowsPerStatement,
  type TemporaryChangeTable,
} from './staged-changes.js';
import type { TemporaryRowTable } from './staged-rows.js';
import { rejectLongReferencedTexts } from './stored-text-limit.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';
import type { ModelObjectIds } from './trigger-side-effects.js';

/** Temporary tables of a write, and the first value of the column `part` that the write has not used. */
interface TemporaryTablesOfWrite {
  readonly rows: TemporaryRowTable;
  readonly changes: TemporaryChangeTable;
  readonly firstPart: number;
}

/**
 * Writes fields like `writeRelatedObjectsOfFields`. Stores the changes of the objects in other tables in temporary
 * tables, in batches of rows.
 *
 * @returns the groups of changes, in the order in which they are recorded; null if no function stores fields of the model
 */
export async function writeRelatedObjectsInBatches(
  tx: Tx,
  context: RelatedObjectsWriteContext,
  written: readonly WrittenObjectWithTags[],
  tables: TemporaryTablesOfWrite,
): Promise<readonly TemporaryTableChangeGroup[] | null> {
  const functions = listFunctionsStoringFields(context.model);
  if (functions.length === 0) return null;
  // One statement of the function writes the parts of all objects.
  await allowLongStatements(tx);
  const groups: TemporaryTableChangeGroup[] = [];
  for (const storing of functions) {
    const firstPart = (groups.at(-1)?.part ?? tables.firstPart - 1) + 1;
    groups.push(...(await writeFieldInBatches(tx, context, written, { storing, tables: { ...tables, firstPart } })));
  }
  return groups;
}

async function writeFieldInBatches(
  tx: Tx,
  context: RelatedObjectsWriteContext,
  written: readonly WrittenObjectWithTags[],
  { storing, tables }: { readonly storing: FunctionStoringFields; readonly tables: TemporaryTablesOfWrite },
): Promise<TemporaryTableChangeGroup[]> {
  const { rows, changes, firstPart } = tables;
  const [removedPart, addedPart, firstEndPart] = [firstPart, firstPart + 1, firstPart + 2];
  const owners = written.filter(({ item }) => mustStoreParts(item, storing));
  if (owners.length === 0) {
    await updateDerivedDataAfterWrite(tx, context.model, written);
    return [];
  }
  const parts = new RelatedObjectsOfField(tx, context, storing.storedBy);
  const earlier = listStoredObjectIds(owners);
  const given = await createFunctionArgument(owners, storing);
  // Deleting an end locks the end first, then the parts that refer to it. Lock in the same order.
  const ends: ModelObjectIds[] = [];
  for (const named of await parts.findEndObjects(earlier, given, storing.fields)) {
    ends.push(await rows.lockAndStoreSideEffects(tx, named, firstEndPart + ends.length));
  }
  const before = await parts.lockRelatedObjects(earlier);
  const { model } = parts;
  if (model !== null) await storeRemovals(tx, changes, { model, ids: before }, removedPart);
  await tx.query(`SELECT ${storing.storedBy.function}($1::jsonb)`, [given]);
  let added: readonly number[] = [];
  if (model !== null) {
    const now = await parts.listIds(owners.map(({ objectId }) => objectId));
    await discardRemovals(tx, { model, ids: now }, removedPart);
    const known = new Set(before);
    added = now.filter((id) => !known.has(id));
  }
  // The changed ends show the derived data, so that it must be up to date before they are read.
  await updateDerivedDataAfterWrite(tx, context.model, written);
  if (model !== null) await storeAdditions(tx, changes, { model, ids: added }, addedPart);
  for (const [index, each] of ends.entries()) {
    await rejectLongReferencedTexts(tx, { ...each, limit: context.maxTextBytes, inMemory: 'in slices' });
    await rows.storeChangesOfSideEffects(tx, each, firstEndPart + index);
  }
  return [
    await changes.countChangesOfPart(tx, removedPart),
    { part: addedPart, count: added.length },
    ...ends.map(({ ids }, index) => ({ part: firstEndPart + index, count: ids.length })),
  ];
}

/** Stores the deletion of each related object that the function may remove, in the state of the object before. */
async function storeRemovals(
  tx: Tx,
  changes: TemporaryChangeTable,
  objects: ModelObjectIds,
  part: number,
): Promise<void> {
  await forEachSliceOfObjects(objects, (source, params) =>
    changes.storeUpdatesOrDeletions(tx, objects.model, { part, ...source, prechange: null }, params),
  );
}

/** Discards the stored deletions of related objects that still exist. */
async function discardRemovals(tx: Tx, { model, ids }: ModelObjectIds, part: number): Promise<void> {
  await tx.query(`DELETE FROM ${temporaryChangesTableName} WHERE part = $1 AND type = $2 AND id = ANY ($3::bigint[])`, [
    part,
    model.type,
    ids,
  ]);
}

async function storeAdditions(
  tx: Tx,
  changes: TemporaryChangeTable,
  objects: ModelObjectIds,
  part: number,
): Promise<void> {
  await forEachSliceOfObjects(objects, (source, params) =>
    changes.storeObjectCreations(tx, objects.model, { part, ...source }, params),
  );
}

async function forEachSliceOfObjects(
  { model, ids }: ModelObjectIds,
  store: (source: { readonly place: string; readonly source: string }, params: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const source = `unnest($2::bigint[]) WITH ORDINALITY AS g (id, place)
    JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = g.id WHERE true`;
  await forEachNumberRange(ids.length, temporaryTableRowsPerStatement, (after, to) =>
    store({ place: 'g.place + $3::bigint', source }, [ids.slice(after, to), after]),
  );
}
