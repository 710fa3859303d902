import type { Tx } from '@switchboard/database';
import {
  areChangesRecorded,
  type ModelDefinition,
  type ColumnValuesBeforeAndAfter,
} from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { ObjectChange } from './change-sink.js';
import { lockAndLoadObjects } from './lock-and-load.js';
import { readWrittenObjects } from './read-written-objects.js';
import { rejectLongReferencedTexts } from './stored-text-limit.js';
import type { RowLoadedBeforeChange, RowWriteStatements } from './write-statements.js';

/** Objects of one model that triggers may change. The objects were locked and read before the write. */
export interface LockedTriggerSideEffects {
  readonly model: ModelDefinition;
  readonly before: readonly RowLoadedBeforeChange[];
}

/**
 * Locks and reads the objects that triggers may change during a write. Skips models whose changes are not recorded.
 *
 * @param maxTextBytes maximum total length of the stored texts of the objects, in bytes; no limit if absent
 * @throws ApplicationError VALIDATION_FAILED if the texts are too long
 */
export async function loadTriggerSideEffects(
  tx: Tx,
  statements: RowWriteStatements,
  { model, ids }: ModelObjectIds,
  maxTextBytes?: number,
): Promise<LockedTriggerSideEffects> {
  if (!areChangesRecorded(model)) return { model, before: [] };
  const lookup = { model, ids, grant: null, withData: false, forDeletion: false, maxTextBytes };
  return { model, before: await lockAndLoadObjects(tx, statements, lookup) };
}

/** A model, and the ids of some of its objects. */
export interface ModelObjectIds {
  readonly model: ModelDefinition;
  readonly ids: readonly number[];
}

/**
 * Returns the objects that triggers change when rows of a model are written, as declared by the model. Omits the
 * written objects themselves.
 */
export async function findTriggerSideEffects(
  tx: Tx,
  { model, registry }: { readonly model: ModelDefinition; readonly registry: ModelRegistry },
  writes: readonly ColumnValuesBeforeAndAfter[],
): Promise<ModelObjectIds[]> {
  const named = (await model.hooks.triggerSideEffects?.(tx, writes)) ?? [];
  return named.flatMap(({ type, ids }) => {
    const target = registry.find(type);
    const own = new Set(target === model ? writes.map(({ after }) => after['id']) : []);
    const others = ids.filter((id) => !own.has(id));
    return target === null || others.length === 0 ? [] : [{ model: target, ids: others }];
  });
}

/**
 * Locks and reads the objects found by {@link findTriggerSideEffects}.
 *
 * @throws ApplicationError VALIDATION_FAILED if the stored texts of the objects are longer than `maxTextBytes`
 */
export async function lockTriggerSideEffects(
  tx: Tx,
  statements: RowWriteStatements,
  context: { readonly model: ModelDefinition; readonly registry: ModelRegistry; readonly maxTextBytes: number },
  writes: readonly ColumnValuesBeforeAndAfter[],
): Promise<readonly LockedTriggerSideEffects[]> {
  const found: LockedTriggerSideEffects[] = [];
  for (const named of await findTriggerSideEffects(tx, context, writes)) {
    found.push(await loadTriggerSideEffects(tx, statements, named, context.maxTextBytes));
  }
  return found;
}

/**
 * Returns the changes that triggers made to objects since they were read.
 *
 * @param maxTextBytes maximum length of the texts of other objects that the objects show, in bytes; no limit if absent
 * @throws ApplicationError VALIDATION_FAILED if these texts are too long
 */
export async function findTriggeredChanges(
  tx: Tx,
  statements: RowWriteStatements,
  { model, before }: LockedTriggerSideEffects,
  maxTextBytes?: number,
): Promise<ObjectChange[]> {
  const snapshots = new Map(before.map(([id, , snapshot]) => [id, snapshot]));
  const ids = [...snapshots.keys()];
  if (maxTextBytes !== undefined)
    await rejectLongReferencedTexts(tx, { model, ids, limit: maxTextBytes, inMemory: 'together' });
  const changes: ObjectChange[] = [];
  await readWrittenObjects(tx, statements, { model, ids, base: '' }, ([id, data, postchange]) => {
    const prechange = snapshots.get(id) ?? null;
    if (prechange !== postchange) changes.push({ model, id, event: 'updated', data, prechange, postchange });
  });
  return changes;
}
